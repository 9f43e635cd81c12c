import { createInstanceLogic } from './create-instance.ts';
import { modifyInstanceLogic } from './modify-instance.ts';
import {
  addNetworkLogic,
  connectNetworkLogic,
  disconnectNetworkLogic,
  modifyNetworkLogic,
  removeNetworkLogic,
} from './network-opcodes.ts';
import type { OpcodeLogic } from './opcode.ts';
import { osNames } from './os-definitions.ts';
import {
  rebootInstanceLogic,
  removeInstanceLogic,
  shutdownInstanceLogic,
  startupInstanceLogic,
} from './power-instance.ts';
import { deleteTagsLogic, setTagsLogic } from './tag-opcodes.ts';

const DIAGNOSE_MS = 250;

// `GET /2/os` is a job too.
const diagnoseOsLogic: OpcodeLogic = {
  expand: () => {},
  locks: () => [],
  async run({ clock }) {
    await clock.pause(DIAGNOSE_MS);
    return osNames();
  },
};

/** What every simulated opcode does. */
export const OPCODE_LOGIC: ReadonlyMap<string, OpcodeLogic> = new Map([
  ['OP_INSTANCE_CREATE', createInstanceLogic],
  ['OP_INSTANCE_REMOVE', removeInstanceLogic],
  ['OP_INSTANCE_STARTUP', startupInstanceLogic],
  ['OP_INSTANCE_SHUTDOWN', shutdownInstanceLogic],
  ['OP_INSTANCE_REBOOT', rebootInstanceLogic],
  ['OP_INSTANCE_SET_PARAMS', modifyInstanceLogic],
  ['OP_NETWORK_ADD', addNetworkLogic],
  ['OP_NETWORK_CONNECT', connectNetworkLogic],
  ['OP_NETWORK_DISCONNECT', disconnectNetworkLogic],
  ['OP_NETWORK_REMOVE', removeNetworkLogic],
  ['OP_NETWORK_SET_PARAMS', modifyNetworkLogic],
  ['OP_TAGS_SET', setTagsLogic],
  ['OP_TAGS_DEL', deleteTagsLogic],
  ['OP_OS_DIAGNOSE', diagnoseOsLogic],
]);
