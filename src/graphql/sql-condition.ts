/** Adds a value to a statement's parameters and gives its placeholder. */
export type Parameter = (value: unknown) => string;

/** A part of a WHERE clause on the listed table, which is called `t`. */
export type SqlCondition = (parameter: Parameter) => string;

/** A column of the listed table and its SQL type; both come from our code, never from a request. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

const quoted = (column: string) => `t."${column}"`;

export const isNull =
  (column: string): SqlCondition =>
  () =>
    `${quoted(column)} IS NULL`;

export const isNotNull =
  (column: string): SqlCondition =>
  () =>
    `${quoted(column)} IS NOT NULL`;

export const equals =
  (column: Column, value: unknown): SqlCondition =>
  (parameter) =>
    `${quoted(column.name)} = ${parameter(value)}::${column.type}`;

export const isOneOf =
  (column: Column, values: readonly unknown[]): SqlCondition =>
  (parameter) =>
    `${quoted(column.name)} = ANY(${parameter(values)}::${column.type}[])`;

/** Whether the text column holds `text` somewhere, in any case. */
export const contains =
  (column: string, text: string): SqlCondition =>
  (parameter) =>
    `position(lower(${parameter(text)}) IN lower(${quoted(column)})) > 0`;
