import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

interface Size {
  depth: number;
  aliases: number;
}

/**
 * A validation rule that refuses operations nested deeper than `queryDepth` or with more aliases than `queryAliases`.
 *
 * Fragments count as often as they are spread, each measured once: aliases in nested fragments multiply the work of an
 * operation (two per level, doubled at each of n levels, is 2^n fields) while the text stays small. Below `__schema` and
 * `__type` depth is not counted, since every tool's introspection query is deeper than ours may be; graphql-js has its own
 * rule that keeps introspection from nesting lists in lists.
 */
export function limitQuerySize(limits: { queryDepth: number; queryAliases: number }) {
  return function QuerySizeRule(context: ValidationContext): ASTVisitor {
    return {
      Document(document) {
        const measure = createMeasure(document);
        for (const definition of document.definitions) {
          if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
          const { depth, aliases } = measure(definition.selectionSet);
          if (depth > limits.queryDepth) {
            const message = `The operation is ${depth} fields deep, at most ${limits.queryDepth} are allowed.`;
            context.reportError(new GraphQLError(message, { nodes: definition }));
          }
          if (aliases > limits.queryAliases) {
            const message = `The operation has ${aliases} aliases, at most ${limits.queryAliases} are allowed.`;
            context.reportError(new GraphQLError(message, { nodes: definition }));
          }
        }
      },
    };
  };
}

function createMeasure(document: DocumentNode): (selections: SelectionSetNode) => Size {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Size>();

  function measureFragment(name: string): Size {
    const known = measured.get(name);
    if (known) return known;
    // Stands in while the fragment is open: a cycle ends here, and is reported by graphql-js's own rule.
    measured.set(name, { depth: 0, aliases: 0 });
    const fragment = fragments.get(name);
    const size = fragment ? measure(fragment.selectionSet) : { depth: 0, aliases: 0 };
    measured.set(name, size);
    return size;
  }

  function measure(set: SelectionSetNode): Size {
    let depth = 0;
    let aliases = 0;
    for (const selection of set.selections) {
      let size: Size = { depth: 0, aliases: 0 };
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        size = measureFragment(selection.name.value);
      } else if (selection.selectionSet) {
        size = measure(selection.selectionSet);
      }
      if (selection.kind === Kind.FIELD) {
        const isIntrospection = selection.name.value.startsWith('__');
        size = { depth: isIntrospection ? 0 : size.depth + 1, aliases: size.aliases + (selection.alias ? 1 : 0) };
      }
      depth = Math.max(depth, size.depth);
      aliases += size.aliases;
    }
    return { depth, aliases };
  }

  return measure;
}
