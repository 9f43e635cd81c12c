import { builder } from './builder.ts';
import type { NodeType } from './global-id.ts';
import type { CursorScope, OrderKind } from './page-cursor.ts';

export interface OrderField {
  readonly description: string;
  /** A NOT NULL column: NULLs have no place in a comparison. The unique key itself may be named. */
  readonly column: string;
  readonly kind: OrderKind;
}

export interface ListOrderOptions {
  readonly fields: Readonly<Record<string, OrderField>>;
  readonly default: { readonly field: string; readonly direction: 'ASC' | 'DESC' };
}

/** An order as the client asks for it, in columns; ends with the unique key, so that no two rows share a place. */
export interface Sorting {
  readonly scope: CursorScope;
  readonly columns: readonly string[];
}

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list runs.',
  values: {
    ASC: { description: 'Smallest, earliest or alphabetically first item first.' },
    DESC: { description: 'Largest, latest or alphabetically last item first.' },
  } as const,
});

/** Defines the `orderBy` input of one list type. */
export function defineListOrder(node: NodeType, items: string, options: ListOrderOptions) {
  const field = builder.enumType(`${node.name}OrderField`, {
    description: `What ${items} can be ordered by.`,
    values: Object.fromEntries(
      Object.entries(options.fields).map(([name, { description }]) => [name, { value: name, description }]),
    ),
  });
  const type = builder.inputType(`${node.name}OrderBy`, {
    description: `The order of a list of ${items}.`,
    fields: (t) => ({
      field: t.field({
        type: field,
        required: true,
        defaultValue: options.default.field as never,
        description: 'What is compared.',
      }),
      direction: t.field({
        type: OrderDirection,
        required: true,
        defaultValue: options.default.direction,
        description: 'Which way.',
      }),
    }),
  });
  const read = (orderBy: { field: string; direction: 'ASC' | 'DESC' } | null | undefined): Sorting => {
    const { field: order, direction } = orderBy ?? options.default;
    const { column, kind } = options.fields[order] as OrderField;
    const isKey = column === 'id';
    return {
      scope: { typename: node.name, order, direction, kinds: isKey ? [node.kind] : [kind, node.kind] },
      columns: isKey ? ['id'] : [column, 'id'],
    };
  };
  return { type, read };
}

export type ListOrder = ReturnType<typeof defineListOrder>;
