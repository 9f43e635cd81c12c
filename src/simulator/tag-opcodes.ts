import type { Cluster } from './cluster.ts';
import { isRehearsal, type OpcodeContext, type OpcodeLogic } from './opcode.ts';
import { OpError, prereqError } from './rapi-error.ts';

const MAX_TAG_CHARS = 128;
const TAGS_MS = 13;

/** Throws the `TagError` of a tag Ganeti refuses: spaces, `<`, `>`, more than 128 characters. */
export function checkTag(tag: string): void {
  if (tag.length > MAX_TAG_CHARS) throw new OpError('TagError', `Tag too long (>${MAX_TAG_CHARS} characters)`);
  if (tag === '') throw new OpError('TagError', 'Tags cannot be empty');
  if (!/^[\w.+*/:@-]+$/.test(tag)) throw new OpError('TagError', 'Tag contains invalid characters');
}

/** `OP_TAGS_SET`: adding a tag twice succeeds. */
export const setTagsLogic = onTags((context, tags) => {
  const added = context.op.tags as string[];
  for (const tag of added) checkTag(tag);
  if (isRehearsal(context)) return;
  for (const tag of added) if (!tags.includes(tag)) tags.push(tag);
});

/** `OP_TAGS_DEL`: removing one that is not there is an error, and removes none. */
export const deleteTagsLogic = onTags((context, tags) => {
  const removed = context.op.tags as string[];
  for (const tag of removed) checkTag(tag);
  const absent = removed.filter((tag) => !tags.includes(tag)).sort();
  if (absent.length > 0) {
    throw prereqError(`Tag(s) ${absent.map((tag) => `'${tag}'`).join(', ')} not found`, 'unknown_entity');
  }
  if (isRehearsal(context)) return;
  for (const tag of removed) tags.splice(tags.indexOf(tag), 1);
});

function onTags(change: (context: OpcodeContext, tags: string[]) => void): OpcodeLogic {
  return {
    expand(context) {
      taggedObject(context.cluster, context.op);
    },
    locks: (op) => [`${String(op.kind)}/${String(op.name ?? '')}`],
    async run(context) {
      await context.clock.pause(TAGS_MS);
      const { tags, save } = taggedObject(context.cluster, context.op);
      change(context, tags);
      save();
      return null;
    },
  };
}

function taggedObject(cluster: Cluster, op: Record<string, unknown>): { tags: string[]; save: () => void } {
  const name = String(op.name ?? '');
  const nothing = (): void => {};
  switch (op.kind) {
    case 'instance': {
      const instance = cluster.expandInstance(name);
      if (instance === undefined) throw prereqError(`Instance '${name}' not known`, 'unknown_entity');
      op.name = instance.name;
      return { tags: instance.tags, save: () => cluster.touchInstance(instance) };
    }
    case 'network': {
      const network = cluster.lookupNetwork(name);
      return { tags: network.tags, save: () => cluster.touchNetwork(network) };
    }
    case 'nodegroup':
      return { tags: cluster.lookupGroup(name).tags, save: nothing };
    case 'node': {
      const node = cluster.node(name);
      if (node === undefined) throw prereqError(`Node '${name}' not known`, 'unknown_entity');
      return { tags: node.tags, save: nothing };
    }
    default:
      return { tags: cluster.tags, save: nothing };
  }
}
