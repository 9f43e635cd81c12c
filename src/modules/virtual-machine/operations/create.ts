import { createInstance, GanetiRequestError } from '../../../ganeti/index.ts';
import { claimRequest } from '../../../operations/claims.rules.ts';
import type { OperationKind } from '../../../operations/operation-kind.ts';
import { resourceKey } from '../../../operations/resource-key.ts';
import { copyRequest, planCopy } from '../../network/backend-network.rules.ts';
import type { MachineKeys, MachineSubject } from '../virtual-machine-subject.ts';

/** Builds a machine: brings up the missing copies of its networks, then creates the instance. */
export const createVirtualMachineKind: OperationKind<MachineKeys, MachineSubject> = {
  name: 'createVirtualMachine',
  task: 'BUILDING',
  decidedBy: 'create',
  claims: ({ virtualMachineId, backendId, imageId, networkIds }) =>
    claimRequest([
      [resourceKey.virtualMachine(virtualMachineId), 'EXCLUSIVE'],
      [resourceKey.backend(backendId), 'SHARED'],
      [resourceKey.image(imageId), 'SHARED'],
      ...networkIds.flatMap((id) => [
        [resourceKey.network(id), 'SHARED'] as const,
        [resourceKey.backendNetwork(id, backendId), 'SHARED'] as const,
      ]),
    ]),
  locks: ({ networkIds }) => networkIds.map(resourceKey.addressPool),
  // A machine that is not there yet allows everything; its parts are checked where their rows are locked.
  allow: () => undefined,
  plan(subject) {
    const copies = subject.copies.flatMap(planCopy);
    return [
      ...copies,
      {
        role: 'create',
        opcode: 'OP_INSTANCE_CREATE',
        backendId: subject.backendId,
        after: copies.map((step) => step.role),
        afterSteps: subject.copies.flatMap((copy) => copy.openStepIds),
      },
    ];
  },
  request(role, subject, parameters, secrets) {
    const copy = copyRequest(role, subject.copies);
    if (copy) return copy;
    // A copy that is gone must not turn its step into a second create.
    if (role !== 'create') throw new GanetiRequestError(`there is nothing to ask for step ${role}`);
    return createInstance({
      name: subject.ganetiName,
      osType: subject.osType,
      diskTemplate: subject.diskTemplate,
      // Ganeti's policy would judge the size of a disk that a diskless machine does not get.
      disks: subject.diskTemplate === 'diskless' ? [] : [{ sizeMiB: subject.diskGiB * 1024 }],
      nics: subject.nics.map((nic) => ({ name: nic.name, network: nic.networkName, ip: nic.ipv4 })),
      vcpus: subject.vcpus,
      memoryMiB: subject.memoryMiB,
      osParameters: buildParameters(subject, secrets.progressUrl),
      start: parameters['start'] !== false,
      hypervisor: subject.hypervisor,
      opportunisticLocking: true,
      extra: subject.createDefaults,
    });
  },
};

/** The image's own parameters, what identifies the image, and where the deployer reports to (decision 13). */
function buildParameters(subject: MachineSubject, progressUrl: string): Record<string, string> {
  return {
    ...subject.osParameters,
    ...(subject.backendImageId === null ? {} : { img_id: subject.backendImageId }),
    ...(subject.imageFormat === null ? {} : { img_format: subject.imageFormat }),
    ...(subject.progressParameter === null ? {} : { [subject.progressParameter]: progressUrl }),
  };
}
