import type { FieldMap, InputFieldMap, InputObjectRef, InputShapeFromFields, ObjectRef } from '@pothos/core';
import { InvalidInput, UserError } from '../operations/user-error.ts';
import { builder, type SchemaTypes } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { type ErrorType, InvalidInput as InvalidInputType, Refusal } from './error-types.ts';
import { fromUserError } from './top-level-errors.ts';
import { findUnstorableText, UNSTORABLE_TEXT } from './unstorable-text.ts';

/** One mutation: its input, its success and what may go wrong. */
export interface MutationOptions<Fields extends InputFieldMap, Success extends object> {
  /** In upper camel case, `CreateFlavor`; gives the field `createFlavor` and its four type names. */
  readonly name: string;
  readonly description: string;
  readonly input: (t: PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>) => Fields;
  readonly success: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Success>) => FieldMap;
  /** Besides InvalidInput, which all may answer with. */
  readonly errors: readonly ErrorType[];
  /** Expected failures are thrown as the UserErrors of `errors`. */
  readonly resolve: (input: InputShapeFromFields<Fields>, context: GraphQLContext) => Promise<Success>;
}

/** Adds a mutation with one `input` and a result union of its success and its errors. */
export function defineMutation<Fields extends InputFieldMap, Success extends object>(
  options: MutationOptions<Fields, Success>,
): void {
  const { name } = options;
  const errors = [InvalidInputType, ...options.errors];
  const fieldName = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  const input = builder.inputType(`${name}Input`, {
    description: `What ${fieldName} needs to know.`,
    fields: options.input,
  });
  const success = builder.objectRef<Success>(`${name}Success`).implement({
    description: `The answer of ${fieldName} when it is done or admitted.`,
    fields: options.success,
  });
  const result = builder.unionType(`${name}Result`, {
    description: `The success of ${fieldName}, or why there is none.`,
    types: [success, ...errors.map(({ ref }) => ref)] as ObjectRef<SchemaTypes, object>[],
    resolveType: (value) =>
      (value instanceof Refusal ? errors.find(({ errorClass }) => value.error instanceof errorClass)?.ref : null) ??
      success,
  });
  builder.mutationField(fieldName, (t) =>
    t.field({
      type: result,
      description: options.description,
      args: {
        input: t.arg({
          type: input as unknown as InputObjectRef<SchemaTypes, object>,
          required: true,
          description: 'Everything the mutation needs to know.',
        }),
      },
      resolve: async (_root, args, context): Promise<object> => {
        try {
          const unstorable = findUnstorableText(args.input, []);
          if (unstorable) throw new InvalidInput(UNSTORABLE_TEXT, unstorable);
          return await options.resolve(args.input as InputShapeFromFields<Fields>, context);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          if (errors.some(({ errorClass }) => error instanceof errorClass)) return new Refusal(error);
          throw fromUserError(error);
        }
      },
    }),
  );
}
