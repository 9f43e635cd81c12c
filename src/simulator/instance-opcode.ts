import type { SimInstance } from './cluster.ts';
import type { OpcodeContext, OpcodeLogic } from './opcode.ts';
import { prereqError } from './rapi-error.ts';

/** An opcode on one instance that must exist, under its lock; its arguments alone are checked before anything is looked up. */
export function onInstance(
  run: (context: OpcodeContext, instance: SimInstance) => Promise<unknown>,
  checkArguments: (context: OpcodeContext) => void = () => {},
): OpcodeLogic {
  return {
    expand(context) {
      checkArguments(context);
      const { cluster, op } = context;
      const asked = String(op.instance_name);
      const instance = cluster.expandInstance(asked);
      if (instance === undefined) throw prereqError(`Instance '${asked}' not known`, 'unknown_entity');
      op.instance_name = instance.name;
      op.instance_uuid = instance.uuid;
    },
    locks: (op) => [`instance/${String(op.instance_name)}`],
    async run(context) {
      // Removed, perhaps remade, while this job waited for the lock.
      const instance = context.cluster.instanceNamed(String(context.op.instance_name));
      if (instance === undefined) {
        throw prereqError(`Instance '${String(context.op.instance_name)}' not known`, 'unknown_entity');
      }
      return run(context, instance);
    },
  };
}
