import type { SimInstance } from './cluster.ts';
import { onInstance } from './instance-opcode.ts';
import { isRehearsal, logInfo, logWarning, type OpcodeContext } from './opcode.ts';
import { prereqError } from './rapi-error.ts';

// Execution times of a real cluster (3.0.2, recorded), in ms.
const STARTUP_MS = 300;
const SHUTDOWN_MS = 180;
const REBOOT_MS = 185;
const REMOVE_MS = 240;

/** `OP_INSTANCE_STARTUP`: succeeds when the instance runs already, and repairs one that crashed. */
export const startupInstanceLogic = onInstance(async (context, instance) => {
  if (instance.adminState === 'offline') {
    throw prereqError(`Instance '${instance.name}' is marked offline, cannot start`, 'wrong_state');
  }
  refuseOfflineNode(context, instance);
  if (isRehearsal(context)) return null;
  await context.clock.pause(STARTUP_MS);
  setPower(context, instance, 'up', true);
  return null;
});

/** `OP_INSTANCE_SHUTDOWN`: succeeds when the instance is down already. */
export const shutdownInstanceLogic = onInstance(async (context, instance) => {
  refuseOfflineNode(context, instance);
  if (isRehearsal(context)) return null;
  if (!instance.running) logInfo(context, 'Primary node reports instance as already stopped');
  await context.clock.pause(SHUTDOWN_MS);
  setPower(context, instance, 'down', false);
  return null;
});

/** `OP_INSTANCE_REBOOT`: starts a stopped instance. */
export const rebootInstanceLogic = onInstance(async (context, instance) => {
  refuseOfflineNode(context, instance);
  if (isRehearsal(context)) return null;
  await context.clock.pause(REBOOT_MS);
  if (!instance.running) logInfo(context, `Instance ${instance.name} was already stopped, starting now`);
  setPower(context, instance, 'up', true);
  return null;
});

/** `OP_INSTANCE_REMOVE`: gives back addresses and MACs. */
export const removeInstanceLogic = onInstance(async (context, instance) => {
  if (isRehearsal(context)) return null;
  refuseOfflineNode(context, instance);
  await context.clock.pause(REMOVE_MS);
  context.cluster.removeInstance(instance);
  return null;
});

function refuseOfflineNode({ cluster }: OpcodeContext, instance: SimInstance): void {
  if (cluster.node(instance.node)?.offline === true) {
    throw prereqError(`Can't use offline node '${instance.node}'`, 'wrong_state');
  }
}

function setPower(context: OpcodeContext, instance: SimInstance, admin: 'up' | 'down', running: boolean): void {
  instance.running = running;
  if (context.op.no_remember === true) {
    // The configuration keeps its opinion: the instance then shows as ERROR_down.
    logWarning(context, 'Instance state is not remembered');
    context.cluster.saveRuntimeState(instance);
    return;
  }
  if (instance.adminState === admin) {
    context.cluster.saveRuntimeState(instance);
    return;
  }
  instance.adminState = admin;
  context.cluster.touchInstance(instance);
}
