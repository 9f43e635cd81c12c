import type { Flavor, Image } from '../../database/generated/client.ts';
import type { SchemaTypes } from '../../graphql/builder.ts';
import { NameTaken, NotFound, Unsupported } from '../../graphql/error-types.ts';
import { inputId } from '../../graphql/global-id.ts';
import { defineMutation } from '../../graphql/mutation.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { createFlavor, createImage, deleteFlavor, deleteImage } from './catalog.service.ts';
import { FlavorNode, FlavorType, flavorRows } from './flavor.graphql.ts';
import { ImageNode, ImageType, imageRows } from './image.graphql.ts';

const flavorField = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, { flavorId: number }>) => ({
  flavor: t.field({
    type: FlavorType,
    description: 'The flavor as it is now.',
    resolve: async ({ flavorId }, _args, context, info) =>
      (await loadRow<Flavor>(flavorRows, context, info, String(flavorId))) as Flavor,
  }),
});

const imageField = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, { imageId: number }>) => ({
  image: t.field({
    type: ImageType,
    description: 'The image as it is now.',
    resolve: async ({ imageId }, _args, context, info) =>
      (await loadRow<Image>(imageRows, context, info, String(imageId))) as Image,
  }),
});

defineMutation({
  name: 'CreateFlavor',
  description: 'Offers a size of virtual machine. Its name is made of its numbers.',
  input: (t) => ({
    cpu: t.int({ required: true, description: 'Virtual processors, from 1.' }),
    memoryMiB: t.int({ required: true, description: 'Memory in MiB, from 1.' }),
    diskGiB: t.int({ required: true, description: 'Disk size in GiB, from 1; 0 for diskless machines.' }),
    diskTemplate: t.string({
      required: true,
      description: 'How Ganeti keeps the disk: plain, drbd, file, sharedfile, rbd, gluster, blockdev or diskless.',
    }),
  }),
  errors: [NameTaken, Unsupported],
  success: flavorField,
  resolve: (input, { environment, viewer }) => createFlavor(environment, viewer, input),
});

defineMutation({
  name: 'DeleteFlavor',
  description: 'Withdraws a size: machines that have it keep it, new ones cannot.',
  input: (t) => ({ id: t.id({ required: true, description: 'The flavor.' }) }),
  errors: [NotFound],
  success: flavorField,
  resolve: async ({ id }, { environment, viewer }) => {
    const flavorId = inputId(FlavorNode, id, ['id']);
    await deleteFlavor(environment, viewer, flavorId);
    return { flavorId };
  },
});

defineMutation({
  name: 'CreateImage',
  description: 'Offers something to build virtual machines from: an OS definition of Ganeti with its parameters.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Its name here, 1 to 255 characters.' }),
    osType: t.string({
      required: true,
      description: 'The OS definition in Ganeti with its variant, such as `debootstrap+default`.',
    }),
    osParameters: t.field({
      type: 'JSONObject',
      description: 'Parameters of the OS definition: texts by their names.',
    }),
    secretParameters: t.stringList({
      description: 'Names of parameters whose values are kept encrypted and never shown again.',
    }),
    progressParameter: t.string({
      description: 'The parameter in which the deployer finds the URL to report its progress to.',
    }),
    configUrlParameter: t.string({
      description: 'The parameter in which the deployer finds the URL of its configuration.',
    }),
    backendImageId: t.string({ description: 'What the deployer calls the image.' }),
    format: t.string({ description: 'The format of the image file, for the deployer.' }),
    checksum: t.string({ description: 'The checksum of the image file, for the deployer.' }),
    properties: t.field({ type: 'JSONObject', description: 'Whatever else is worth knowing about it.' }),
  }),
  errors: [NameTaken, Unsupported],
  success: imageField,
  resolve: (input, { environment, viewer }) => createImage(environment, viewer, input),
});

defineMutation({
  name: 'DeleteImage',
  description: 'Withdraws an image: machines built from it stay, new ones cannot be.',
  input: (t) => ({ id: t.id({ required: true, description: 'The image.' }) }),
  errors: [NotFound],
  success: imageField,
  resolve: async ({ id }, { environment, viewer }) => {
    const imageId = inputId(ImageNode, id, ['id']);
    await deleteImage(environment, viewer, imageId);
    return { imageId };
  },
});
