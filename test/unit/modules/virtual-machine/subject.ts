import type { CopySubject } from '../../../../src/modules/network/backend-network.rules.ts';
import type { MachineSubject } from '../../../../src/modules/virtual-machine/virtual-machine-subject.ts';

/** The copy of the recorded network, up and connected. */
export const COPY: CopySubject = {
  backendNetworkId: 11,
  backendId: 3,
  networkId: 1,
  ganetiName: 'snf-net-1',
  macPrefix: 'aa:00:01',
  operState: 'ACTIVE',
  wasAdded: true,
  missingGroups: [],
  openStepIds: [],
  mode: 'bridged',
  link: 'br0',
  subnet: '10.0.0.0/24',
  gateway: '10.0.0.1',
  subnet6: null,
  gateway6: null,
  isPublic: false,
  tags: ['nfdhcpd', 'private'],
};

/** A copy whose row was just inserted. */
export const NEW_COPY: CopySubject = { ...COPY, operState: 'PENDING', wasAdded: false, missingGroups: ['default'] };

/** The machine of the recorded create. */
export const SUBJECT: MachineSubject = {
  id: 1,
  ganetiName: 'snf-1',
  operState: 'BUILD',
  task: 'BUILDING',
  isSuspended: false,
  isDeleted: false,
  backendId: 3,
  hypervisor: 'fake',
  createDefaults: {},
  vcpus: 1,
  memoryMiB: 256,
  diskGiB: 1,
  diskTemplate: 'file',
  osType: 'labimage+default',
  osParameters: { step: '0.1' },
  progressParameter: null,
  backendImageId: 'debian',
  imageFormat: 'diskdump',
  nics: [{ id: 1, name: 'snf-nic-1', networkName: 'snf-net-1', ipv4: 'pool' }],
  copies: [COPY],
};
