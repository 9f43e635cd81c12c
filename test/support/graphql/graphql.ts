/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What addBackend needs to know. */
export type AddBackendInput = {
  /** The certificate authority of its certificate, in PEM; without it, the system’s. */
  caPem?: string | null | undefined;
  /** The SHA-256 fingerprint of its certificate, when it is signed by itself. */
  certificateFingerprint?: string | null | undefined;
  /** Parameters that each new instance on it gets, by Ganeti’s names. */
  createDefaults?: Record<string, unknown> | null | undefined;
  /** Where its remote API listens, 1 to 8 https addresses, tried in turn. */
  endpoints: Array<string>;
  /** The hypervisor that new machines get; without it, the cluster’s default. */
  hypervisor?: string | null | undefined;
  /** Whether to keep new machines off it at first. */
  isDrained?: boolean | null | undefined;
  /** Whether everyone’s machines may go to it. */
  isPublic?: boolean | null | undefined;
  /** What to call it here, 1 to 255 characters; unique in any case. */
  name: string;
  /** The user’s password; kept encrypted and never shown again. */
  password: string;
  /** A user of the remote API with write access. */
  username: string;
};

/** What a build is busy with. */
export type BuildPhase =
  /** Ganeti looks for a node and makes the instance known. */
  | 'ALLOCATING'
  /** The machine starts. */
  | 'BOOTING'
  /** Disks are made. */
  | 'DISKS'
  /** The build is over. */
  | 'DONE'
  /** The image is written. */
  | 'IMAGE'
  /** It waits for Ganeti. */
  | 'QUEUED';

/** What cancelOperation needs to know. */
export type CancelOperationInput = {
  /** The operation. */
  id: string | number;
};

/** How a resource is held. */
export type ClaimMode =
  /** Alone, to change it. */
  | 'EXCLUSIVE'
  /** Together with others that need it to stay as it is. */
  | 'SHARED';

/** What createFlavor needs to know. */
export type CreateFlavorInput = {
  /** Virtual processors, from 1. */
  cpu: number;
  /** Disk size in GiB, from 1; 0 for diskless machines. */
  diskGiB: number;
  /** How Ganeti keeps the disk: plain, drbd, file, sharedfile, rbd, gluster, blockdev or diskless. */
  diskTemplate: string;
  /** Memory in MiB, from 1. */
  memoryMiB: number;
};

/** What createImage needs to know. */
export type CreateImageInput = {
  /** What the deployer calls the image. */
  backendImageId?: string | null | undefined;
  /** The checksum of the image file, for the deployer. */
  checksum?: string | null | undefined;
  /** The parameter in which the deployer finds the URL of its configuration. */
  configUrlParameter?: string | null | undefined;
  /** The format of the image file, for the deployer. */
  format?: string | null | undefined;
  /** Its name here, 1 to 255 characters. */
  name: string;
  /** Parameters of the OS definition: texts by their names. */
  osParameters?: Record<string, unknown> | null | undefined;
  /** The OS definition in Ganeti with its variant, such as `debootstrap+default`. */
  osType: string;
  /** The parameter in which the deployer finds the URL to report its progress to. */
  progressParameter?: string | null | undefined;
  /** Whatever else is worth knowing about it. */
  properties?: Record<string, unknown> | null | undefined;
  /** Names of parameters whose values are kept encrypted and never shown again. */
  secretParameters?: Array<string> | null | undefined;
};

/** What createNetwork needs to know. */
export type CreateNetworkInput = {
  /** Whether machines on it get their addresses by DHCP. */
  dhcp?: boolean | null | undefined;
  /** How its traffic is kept apart. */
  flavor: NetworkFlavor;
  /** Its IPv4 gateway, within the subnet. */
  gateway?: string | null | undefined;
  /** Its IPv6 gateway, within the IPv6 network. */
  gateway6?: string | null | undefined;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
  /** Whether everyone’s machines may be on it. */
  isPublic?: boolean | null | undefined;
  /** Its name, 1 to 255 characters; unique among its owner’s. */
  name: string;
  /** Its IPv4 network, if it has one. */
  subnet?: string | null | undefined;
  /** Its IPv6 network, if it has one. */
  subnet6?: string | null | undefined;
};

/** What createVirtualMachine needs to know. */
export type CreateVirtualMachineInput = {
  /** The cluster to build it on; without it, the one with the fewest machines that can. */
  backendId?: string | number | null | undefined;
  /** Its size. */
  flavorId: string | number;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
  /** What to build it from. */
  imageId: string | number;
  /** What to call it, 1 to 255 characters; unique among its owner’s. */
  name: string;
  /** Its network interfaces in order, 1 to 8. */
  networks?: Array<CreateVirtualMachineNetworkInput> | null | undefined;
  /** Whether to start it once it is built. */
  start?: boolean | null | undefined;
};

/** One network interface of a new virtual machine. */
export type CreateVirtualMachineNetworkInput = {
  /** How it is guarded. */
  firewallProfile?: FirewallProfile | null | undefined;
  /** The address that it gets; without it, the next free one. */
  ipv4?: string | null | undefined;
  /** The network that it is on. */
  networkId: string | number;
};

/** What deleteVirtualMachine needs to know. */
export type DeleteVirtualMachineInput = {
  /** The virtual machine. */
  id: string | number;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
};

/** How much a diagnostic matters. */
export type DiagnosticLevel =
  /** For whoever looks for a fault. */
  | 'DEBUG'
  /** Something went wrong. */
  | 'ERROR'
  /** Good to know. */
  | 'INFO'
  /** Something may go wrong. */
  | 'WARNING';

/** What went wrong, for programs. */
export type ErrorCode =
  /** The address is taken. */
  | 'ADDRESS_IN_USE'
  /** The cluster refused the user name or password. */
  | 'BACKEND_AUTHENTICATION_FAILED'
  /** The cluster showed a certificate that was not expected. */
  | 'BACKEND_CERTIFICATE_MISMATCH'
  /** The cluster takes no new work: it is drained or offline. */
  | 'BACKEND_UNAVAILABLE'
  /** The cluster did not answer. */
  | 'BACKEND_UNREACHABLE'
  /** The idempotency key belongs to another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** A value outside its stated domain; `path` leads to it. */
  | 'INVALID_INPUT'
  /** The state of the object does not allow this. */
  | 'INVALID_STATE'
  /** Another object bears the name. */
  | 'NAME_TAKEN'
  /** Something answered, but not as a Ganeti cluster. */
  | 'NOT_A_GANETI_CLUSTER'
  /** No such object, or none that you may see. */
  | 'NOT_FOUND'
  /** No cluster can take the machine. */
  | 'NO_BACKEND_FITS'
  /** The network has no free address left. */
  | 'POOL_EXHAUSTED'
  /** Another operation is at work on the same thing. */
  | 'RESOURCE_BUSY'
  /** Known, but not offered by this version or this cluster. */
  | 'UNSUPPORTED';

/** What an event of a subscription is. */
export type EventKind =
  /** One change, in order. */
  | 'CHANGE'
  /** Changes are missing: the cursor was too old or the client too slow. Look at the whole again. */
  | 'RESYNC'
  /** How things stand at first. */
  | 'SNAPSHOT';

/** How a network interface is guarded. */
export type FirewallProfile =
  /** Everything gets in. */
  | 'DISABLED'
  /** Nothing gets in but answers. */
  | 'ENABLED'
  /** Only a few well-known services get in. */
  | 'PROTECTED';

/** Where a Ganeti job stands, in Ganeti’s words. */
export type JobStatus =
  /** It was stopped before it began. */
  | 'CANCELED'
  /** It was asked to stop. */
  | 'CANCELING'
  /** It failed. */
  | 'ERROR'
  /** It waits for its turn. */
  | 'QUEUED'
  /** It is at work. */
  | 'RUNNING'
  /** It is done. */
  | 'SUCCESS'
  /** It waits for locks or for the jobs that it depends on. */
  | 'WAITING';

/** How a network keeps its traffic apart from others. */
export type NetworkFlavor =
  /** On a bridge that the hosts already have. */
  | 'CUSTOM'
  /** Routed by the hosts; machines see no neighbours. */
  | 'IP_LESS_ROUTED'
  /** On a shared bridge, told apart by the first half of the MAC addresses. */
  | 'MAC_FILTERED'
  /** On a bridge of its own, which is a VLAN of the hosts. */
  | 'PHYSICAL_VLAN';

/** Where a network, or its copy in a cluster, stands. */
export type NetworkState =
  /** It can be used. */
  | 'ACTIVE'
  /** It is gone. */
  | 'DELETED'
  /** Making or removing it failed. */
  | 'ERROR'
  /** It is being made. */
  | 'PENDING';

/** Where a network interface stands. */
export type NicState =
  /** It works. */
  | 'ACTIVE'
  /** It is being made. */
  | 'BUILD'
  /** It is not connected. */
  | 'DOWN'
  /** Making it failed. */
  | 'ERROR';

/** What a virtual machine is, as far as the cluster is concerned. */
export type OperState =
  /** It is being built. */
  | 'BUILD'
  /** It is gone. */
  | 'DESTROYED'
  /** Its build failed, or it is not what it should be. */
  | 'ERROR'
  /** It runs. */
  | 'STARTED'
  /** It is there and does not run. */
  | 'STOPPED';

/** Which operations to list; all conditions must hold. */
export type OperationFilter = {
  /** This user asked for them. */
  actor?: string | null | undefined;
  /** Whether they are still open. */
  isOpen?: boolean | null | undefined;
  /** They are of one of these kinds, such as createVirtualMachine. */
  kind?: Array<string> | null | undefined;
  /** They stand at one of these. */
  status?: Array<OperationStatus> | null | undefined;
};

/** Where an operation stands. */
export type OperationStatus =
  /** Accepted and kept; nothing was sent yet. */
  | 'ADMITTED'
  /** Stopped before it could do anything. */
  | 'CANCELED'
  /** Failed; `error` says why. */
  | 'ERROR'
  /** Whether Ganeti got a job is not known; an administrator must look. */
  | 'INDETERMINATE'
  /** Ganeti is at work on it. */
  | 'RUNNING'
  /** Ganeti has its jobs; none has begun. */
  | 'SUBMITTED'
  /** Its jobs are being handed to Ganeti. */
  | 'SUBMITTING'
  /** Done. */
  | 'SUCCESS';

/** Which way a list runs. */
export type OrderDirection =
  /** Smallest, earliest or alphabetically first item first. */
  | 'ASC'
  /** Largest, latest or alphabetically last item first. */
  | 'DESC';

/** How a virtual machine is rebooted. */
export type RebootType =
  /** It is switched off and on. */
  | 'HARD'
  /** Its own operating system is asked to. */
  | 'SOFT';

/** What rebootVirtualMachine needs to know. */
export type RebootVirtualMachineInput = {
  /** The virtual machine. */
  id: string | number;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
  /** How. */
  type?: RebootType | null | undefined;
};

/** What shutdownVirtualMachine needs to know. */
export type ShutdownVirtualMachineInput = {
  /** The virtual machine. */
  id: string | number;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
};

/** What startVirtualMachine needs to know. */
export type StartVirtualMachineInput = {
  /** The virtual machine. */
  id: string | number;
  /** Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated. */
  idempotencyKey?: string | null | undefined;
};

/** Which virtual machines are meant; all conditions must hold. */
export type VirtualMachineFilter = {
  /** They are on this backend. */
  backendId?: string | number | null | undefined;
  /** They have this flavor. */
  flavorId?: string | number | null | undefined;
  /** They were built from this image. */
  imageId?: string | number | null | undefined;
  /** Also those that were destroyed. */
  includeDeleted?: boolean | null | undefined;
  /** The name has this in it, in any case. */
  nameContains?: string | null | undefined;
  /** They are one of these. */
  operState?: Array<OperState> | null | undefined;
  /** They belong to this user. */
  owner?: string | null | undefined;
};

/** The order of a list of virtual machines. */
export type VirtualMachineOrderBy = {
  /** Which way. */
  direction?: OrderDirection;
  /** What is compared. */
  field?: VirtualMachineOrderField;
};

/** What virtual machines can be ordered by. */
export type VirtualMachineOrderField =
  /** When they were asked for. */
  | 'CREATED'
  /** Their names. */
  | 'NAME';

/** What is being done to a virtual machine now. */
export type VirtualMachineTask =
  /** It is being built. */
  | 'BUILDING'
  /** It is being deleted. */
  | 'DESTROYING'
  /** It is being rebooted. */
  | 'REBOOTING'
  /** It is being started. */
  | 'STARTING'
  /** It is being shut down. */
  | 'STOPPING';

export type AddBackendMutationVariables = Exact<{
  input: AddBackendInput;
}>;


export type AddBackendMutation = { addBackend:
    | { __typename: 'AddBackendSuccess', backend: { id: string, name: string, clusterName: string, softwareVersion: string, hypervisor: string, diskTemplates: Array<string>, health: { reachable: boolean, lastSeenAt: string | null } } }
    | { __typename: 'BackendAuthenticationFailed', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'BackendCertificateMismatch', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'BackendUnreachable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NameTaken', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotAGanetiCluster', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type BuildProgressSubscriptionVariables = Exact<{
  virtualMachineId: string | number;
}>;


export type BuildProgressSubscription = { buildProgress: { percentage: number, phase: BuildPhase, message: string | null, updatedAt: string | null, operState: OperState, version: number } };

export type CancelOperationMutationVariables = Exact<{
  input: CancelOperationInput;
}>;


export type CancelOperationMutation = { cancelOperation:
    | { __typename: 'CancelOperationSuccess', operation: { id: string, status: OperationStatus, isCancelRequested: boolean } }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type CatalogQueryVariables = Exact<{ [key: string]: never; }>;


export type CatalogQuery = { backends: { nodes: Array<{ id: string, name: string, isDrained: boolean, isOffline: boolean, instanceCount: number, health: { reachable: boolean, lastError: string | null } }> }, flavors: { nodes: Array<{ id: string, name: string }> }, images: { nodes: Array<{ id: string, name: string, osType: string }> }, networks: { nodes: Array<{ id: string, name: string, subnet: string | null, freeAddresses: number | null, isDrained: boolean }> } };

export type CreateFlavorMutationVariables = Exact<{
  input: CreateFlavorInput;
}>;


export type CreateFlavorMutation = { createFlavor:
    | { __typename: 'CreateFlavorSuccess', flavor: { id: string, name: string, cpu: number, memoryMiB: number, diskGiB: number, diskTemplate: string } }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NameTaken', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'Unsupported', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type CreateImageMutationVariables = Exact<{
  input: CreateImageInput;
}>;


export type CreateImageMutation = { createImage:
    | { __typename: 'CreateImageSuccess', image: { id: string, name: string, osType: string, osParameters: Record<string, unknown>, secretParameters: Array<string>, progressParameter: string | null } }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NameTaken', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'Unsupported', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type CreateNetworkMutationVariables = Exact<{
  input: CreateNetworkInput;
}>;


export type CreateNetworkMutation = { createNetwork:
    | { __typename: 'CreateNetworkSuccess', isReplayed: boolean, network: { id: string, name: string, state: NetworkState, subnet: string | null, gateway: string | null, totalAddresses: number | null, freeAddresses: number | null }, operation: { id: string, status: OperationStatus } }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NameTaken', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'Unsupported', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type CreateVirtualMachineMutationVariables = Exact<{
  input: CreateVirtualMachineInput;
}>;


export type CreateVirtualMachineMutation = { createVirtualMachine:
    | { __typename: 'AddressInUse', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'BackendUnavailable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'CreateVirtualMachineSuccess', isReplayed: boolean, virtualMachine: { id: string, name: string, ganetiName: string, operState: OperState, task: VirtualMachineTask | null, buildPercentage: number, backend: { id: string, name: string } | null, nics: Array<{ index: number, ipv4: string | null, state: NicState }> }, operation: { id: string, status: OperationStatus, jobs: Array<{ step: number, role: string, opcode: string, status: JobStatus | null }> } }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NameTaken', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NoBackendFits', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'PoolExhausted', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean, resource: string, mode: ClaimMode, blockingOperation: { id: string, kind: string, status: OperationStatus } | null }
    | { __typename: 'Unsupported', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
   };

export type DeleteVirtualMachineMutationVariables = Exact<{
  input: DeleteVirtualMachineInput;
}>;


export type DeleteVirtualMachineMutation = { deleteVirtualMachine:
    | { __typename: 'BackendUnavailable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'DeleteVirtualMachineSuccess', isReplayed: boolean, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null }, operation: { id: string, status: OperationStatus } }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean, resource: string, mode: ClaimMode, blockingOperation: { id: string, kind: string, status: OperationStatus } | null }
   };

export type HealthQueryVariables = Exact<{ [key: string]: never; }>;


export type HealthQuery = { health: { warnings: Array<string>, clusters: Array<{ name: string, reachable: boolean, lastSeenAt: string | null, lastError: string | null }>, setAsideJobs: Array<{ jobId: number | string, error: string, tries: number, nextTryAt: string }> } };

export type ListVirtualMachinesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: VirtualMachineFilter | null | undefined;
  orderBy?: VirtualMachineOrderBy | null | undefined;
}>;


export type ListVirtualMachinesQuery = { virtualMachines: { totalCount: number, nodes: Array<{ id: string, name: string, operState: OperState, task: VirtualMachineTask | null, buildPercentage: number, backend: { id: string, name: string } | null, flavor: { id: string, name: string }, image: { id: string, name: string }, nics: Array<{ index: number, ipv4: string | null, mac: string | null, network: { id: string, name: string } }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type OperationHistoryQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: OperationFilter | null | undefined;
}>;


export type OperationHistoryQuery = { operations: { nodes: Array<{ id: string, kind: string, status: OperationStatus, actor: string, createdAt: string, finalizedAt: string | null, virtualMachine: { id: string, name: string } | null, network: { id: string, name: string } | null, error: { code: string, message: string } | null, jobs: Array<{ step: number, role: string, jobId: number | string | null, opcode: string, status: JobStatus | null, errorMessage: string | null, log: Array<{ at: string, message: string }> }>, claims: Array<{ resource: string, mode: ClaimMode }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type OperationLogSubscriptionVariables = Exact<{
  id: string | number;
  afterSerial?: number | null | undefined;
}>;


export type OperationLogSubscription = { operationLog: { serial: number, step: number, at: string, message: string } };

export type RebootVirtualMachineMutationVariables = Exact<{
  input: RebootVirtualMachineInput;
}>;


export type RebootVirtualMachineMutation = { rebootVirtualMachine:
    | { __typename: 'BackendUnavailable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'RebootVirtualMachineSuccess', isReplayed: boolean, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null }, operation: { id: string, status: OperationStatus } }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean, resource: string, mode: ClaimMode, blockingOperation: { id: string, kind: string, status: OperationStatus } | null }
   };

export type ShutdownVirtualMachineMutationVariables = Exact<{
  input: ShutdownVirtualMachineInput;
}>;


export type ShutdownVirtualMachineMutation = { shutdownVirtualMachine:
    | { __typename: 'BackendUnavailable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean, resource: string, mode: ClaimMode, blockingOperation: { id: string, kind: string, status: OperationStatus } | null }
    | { __typename: 'ShutdownVirtualMachineSuccess', isReplayed: boolean, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null }, operation: { id: string, status: OperationStatus } }
   };

export type StartVirtualMachineMutationVariables = Exact<{
  input: StartVirtualMachineInput;
}>;


export type StartVirtualMachineMutation = { startVirtualMachine:
    | { __typename: 'BackendUnavailable', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'IdempotencyKeyReused', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidInput', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'InvalidState', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'NotFound', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean }
    | { __typename: 'ResourceBusy', code: ErrorCode, message: string, path: Array<string> | null, retryable: boolean, resource: string, mode: ClaimMode, blockingOperation: { id: string, kind: string, status: OperationStatus } | null }
    | { __typename: 'StartVirtualMachineSuccess', isReplayed: boolean, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null }, operation: { id: string, status: OperationStatus } }
   };

export type VirtualMachineQueryVariables = Exact<{
  id: string | number;
}>;


export type VirtualMachineQuery = { virtualMachine: { id: string, name: string, ganetiName: string, ganetiUuid: string | null, owner: string, operState: OperState, task: VirtualMachineTask | null, buildPercentage: number, isSuspended: boolean, version: number, observedAt: string | null, createdAt: string, updatedAt: string, deletedAt: string | null, buildProgress: { phase: BuildPhase, percentage: number, message: string | null, updatedAt: string | null }, backend: { id: string, name: string } | null, flavor: { id: string, name: string }, image: { id: string, name: string }, nics: Array<{ id: string, index: number, name: string, mac: string | null, ipv4: string | null, ipv6: string | null, firewallProfile: FirewallProfile | null, state: NicState, network: { id: string, name: string } }>, lastJob: { jobId: number | string, opcode: string | null, status: JobStatus | null, logMessage: string | null } | null, currentOperation: { id: string, kind: string, status: OperationStatus } | null, diagnostics: { nodes: Array<{ level: DiagnosticLevel, source: string, message: string, createdAt: string }> }, changes: { nodes: Array<{ version: number, at: string, cause: string | null, changes: Array<{ field: string, from: unknown, to: unknown }> }> } } | null };

export type WatchOperationSubscriptionVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;


export type WatchOperationSubscription = { operationChanged: { kind: EventKind, version: number, at: string, cursor: string, changes: Array<{ field: string, from: unknown, to: unknown }>, operation: { id: string, kind: string, status: OperationStatus, finalizedAt: string | null, jobs: Array<{ step: number, role: string, jobId: number | string | null, status: JobStatus | null }>, error: { code: string, message: string } | null } | null } };

export type WatchVirtualMachineSubscriptionVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;


export type WatchVirtualMachineSubscription = { virtualMachineChanged: { kind: EventKind, version: number, at: string, cursor: string, cause: string | null, changes: Array<{ field: string, from: unknown, to: unknown }>, operation: { id: string, kind: string, status: OperationStatus } | null, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null, buildPercentage: number } | null } };

export type WatchVirtualMachinesSubscriptionVariables = Exact<{
  filter?: VirtualMachineFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type WatchVirtualMachinesSubscription = { virtualMachinesChanged: { kind: EventKind, version: number, at: string, cursor: string, changes: Array<{ field: string, from: unknown, to: unknown }>, operation: { id: string, kind: string, status: OperationStatus } | null, virtualMachine: { id: string, name: string, operState: OperState, task: VirtualMachineTask | null, buildPercentage: number, buildProgress: { phase: BuildPhase, message: string | null }, nics: Array<{ ipv4: string | null, mac: string | null, state: NicState }> } | null } };


export const AddBackendDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AddBackend"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AddBackendInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"addBackend"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AddBackendSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"backend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"clusterName"}},{"kind":"Field","name":{"kind":"Name","value":"softwareVersion"}},{"kind":"Field","name":{"kind":"Name","value":"hypervisor"}},{"kind":"Field","name":{"kind":"Name","value":"diskTemplates"}},{"kind":"Field","name":{"kind":"Name","value":"health"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reachable"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}}]}}]}}]} as unknown as DocumentNode<AddBackendMutation, AddBackendMutationVariables>;
export const BuildProgressDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"BuildProgress"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"virtualMachineId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"buildProgress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"virtualMachineId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"virtualMachineId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"percentage"}},{"kind":"Field","name":{"kind":"Name","value":"phase"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]} as unknown as DocumentNode<BuildProgressSubscription, BuildProgressSubscriptionVariables>;
export const CancelOperationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelOperation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CancelOperationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelOperation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CancelOperationSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"isCancelRequested"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}}]}}]}}]} as unknown as DocumentNode<CancelOperationMutation, CancelOperationMutationVariables>;
export const CatalogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Catalog"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"backends"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"isDrained"}},{"kind":"Field","name":{"kind":"Name","value":"isOffline"}},{"kind":"Field","name":{"kind":"Name","value":"instanceCount"}},{"kind":"Field","name":{"kind":"Name","value":"health"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reachable"}},{"kind":"Field","name":{"kind":"Name","value":"lastError"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"flavors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"images"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"osType"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"networks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"subnet"}},{"kind":"Field","name":{"kind":"Name","value":"freeAddresses"}},{"kind":"Field","name":{"kind":"Name","value":"isDrained"}}]}}]}}]}}]} as unknown as DocumentNode<CatalogQuery, CatalogQueryVariables>;
export const CreateFlavorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateFlavor"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateFlavorInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createFlavor"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateFlavorSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"flavor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"cpu"}},{"kind":"Field","name":{"kind":"Name","value":"memoryMiB"}},{"kind":"Field","name":{"kind":"Name","value":"diskGiB"}},{"kind":"Field","name":{"kind":"Name","value":"diskTemplate"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}}]}}]}}]} as unknown as DocumentNode<CreateFlavorMutation, CreateFlavorMutationVariables>;
export const CreateImageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateImage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateImageInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createImage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateImageSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"osType"}},{"kind":"Field","name":{"kind":"Name","value":"osParameters"}},{"kind":"Field","name":{"kind":"Name","value":"secretParameters"}},{"kind":"Field","name":{"kind":"Name","value":"progressParameter"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}}]}}]}}]} as unknown as DocumentNode<CreateImageMutation, CreateImageMutationVariables>;
export const CreateNetworkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateNetwork"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateNetworkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createNetwork"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateNetworkSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"network"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"subnet"}},{"kind":"Field","name":{"kind":"Name","value":"gateway"}},{"kind":"Field","name":{"kind":"Name","value":"totalAddresses"}},{"kind":"Field","name":{"kind":"Name","value":"freeAddresses"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}}]}}]}}]} as unknown as DocumentNode<CreateNetworkMutation, CreateNetworkMutationVariables>;
export const CreateVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateVirtualMachineInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createVirtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateVirtualMachineSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"ganetiName"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}},{"kind":"Field","name":{"kind":"Name","value":"buildPercentage"}},{"kind":"Field","name":{"kind":"Name","value":"backend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nics"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"ipv4"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"jobs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"opcode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ResourceBusy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}},{"kind":"Field","name":{"kind":"Name","value":"blockingOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CreateVirtualMachineMutation, CreateVirtualMachineMutationVariables>;
export const DeleteVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteVirtualMachineInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteVirtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteVirtualMachineSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ResourceBusy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}},{"kind":"Field","name":{"kind":"Name","value":"blockingOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<DeleteVirtualMachineMutation, DeleteVirtualMachineMutationVariables>;
export const HealthDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Health"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"health"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"clusters"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"reachable"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastError"}}]}},{"kind":"Field","name":{"kind":"Name","value":"setAsideJobs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"tries"}},{"kind":"Field","name":{"kind":"Name","value":"nextTryAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warnings"}}]}}]}}]} as unknown as DocumentNode<HealthQuery, HealthQueryVariables>;
export const ListVirtualMachinesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListVirtualMachines"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"VirtualMachineFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"VirtualMachineOrderBy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"virtualMachines"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}},{"kind":"Field","name":{"kind":"Name","value":"buildPercentage"}},{"kind":"Field","name":{"kind":"Name","value":"backend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"flavor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nics"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"ipv4"}},{"kind":"Field","name":{"kind":"Name","value":"mac"}},{"kind":"Field","name":{"kind":"Name","value":"network"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<ListVirtualMachinesQuery, ListVirtualMachinesQueryVariables>;
export const OperationHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperationHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"OperationFilter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"operations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"finalizedAt"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"network"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"jobs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"opcode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"errorMessage"}},{"kind":"Field","name":{"kind":"Name","value":"log"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"claims"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<OperationHistoryQuery, OperationHistoryQueryVariables>;
export const OperationLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"OperationLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"afterSerial"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"operationLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"afterSerial"},"value":{"kind":"Variable","name":{"kind":"Name","value":"afterSerial"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"serial"}},{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<OperationLogSubscription, OperationLogSubscriptionVariables>;
export const RebootVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RebootVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RebootVirtualMachineInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rebootVirtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RebootVirtualMachineSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ResourceBusy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}},{"kind":"Field","name":{"kind":"Name","value":"blockingOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<RebootVirtualMachineMutation, RebootVirtualMachineMutationVariables>;
export const ShutdownVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ShutdownVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ShutdownVirtualMachineInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shutdownVirtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShutdownVirtualMachineSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ResourceBusy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}},{"kind":"Field","name":{"kind":"Name","value":"blockingOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ShutdownVirtualMachineMutation, ShutdownVirtualMachineMutationVariables>;
export const StartVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StartVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"StartVirtualMachineInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startVirtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StartVirtualMachineSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UserError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ResourceBusy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resource"}},{"kind":"Field","name":{"kind":"Name","value":"mode"}},{"kind":"Field","name":{"kind":"Name","value":"blockingOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<StartVirtualMachineMutation, StartVirtualMachineMutationVariables>;
export const VirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"VirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"ganetiName"}},{"kind":"Field","name":{"kind":"Name","value":"ganetiUuid"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}},{"kind":"Field","name":{"kind":"Name","value":"buildPercentage"}},{"kind":"Field","name":{"kind":"Name","value":"buildProgress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"phase"}},{"kind":"Field","name":{"kind":"Name","value":"percentage"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"isSuspended"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"observedAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deletedAt"}},{"kind":"Field","name":{"kind":"Name","value":"backend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"flavor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nics"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"mac"}},{"kind":"Field","name":{"kind":"Name","value":"ipv4"}},{"kind":"Field","name":{"kind":"Name","value":"ipv6"}},{"kind":"Field","name":{"kind":"Name","value":"firewallProfile"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"network"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastJob"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"opcode"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"logMessage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"currentOperation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"diagnostics"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"level"}},{"kind":"Field","name":{"kind":"Name","value":"source"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"cause"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<VirtualMachineQuery, VirtualMachineQueryVariables>;
export const WatchOperationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"WatchOperation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"operationChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"jobs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"step"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"jobId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"finalizedAt"}}]}}]}}]}}]} as unknown as DocumentNode<WatchOperationSubscription, WatchOperationSubscriptionVariables>;
export const WatchVirtualMachineDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"WatchVirtualMachine"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"virtualMachineChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"cause"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}},{"kind":"Field","name":{"kind":"Name","value":"buildPercentage"}}]}}]}}]}}]} as unknown as DocumentNode<WatchVirtualMachineSubscription, WatchVirtualMachineSubscriptionVariables>;
export const WatchVirtualMachinesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"WatchVirtualMachines"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"VirtualMachineFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"virtualMachinesChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}}]}},{"kind":"Field","name":{"kind":"Name","value":"operation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"virtualMachine"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"operState"}},{"kind":"Field","name":{"kind":"Name","value":"task"}},{"kind":"Field","name":{"kind":"Name","value":"buildPercentage"}},{"kind":"Field","name":{"kind":"Name","value":"buildProgress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"phase"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nics"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ipv4"}},{"kind":"Field","name":{"kind":"Name","value":"mac"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]}}]}}]} as unknown as DocumentNode<WatchVirtualMachinesSubscription, WatchVirtualMachinesSubscriptionVariables>;