import type { JsonSchema } from "../json-schema.ts";

export interface FieldNote {
  readonly description: string;
  /** The field is required, although the schema allows its absence in order to answer it with a code of its own. */
  readonly required?: true;
  /** The intended form, if the schema is looser in order to answer bad values with a code of its own. */
  readonly wireForm?: JsonSchema;
}

export interface SchemaNote {
  readonly description?: string;
  /** Replaces the whole converted schema if only a parser knows its real form. */
  readonly wireForm?: JsonSchema;
  /** By field name. A path such as `customer.rut` leads into objects, list items and alternatives. */
  readonly fields?: Readonly<Record<string, string | FieldNote>>;
}

/** By the name of the schema. A schema without a name is called after its operation: `createSandboxKeys request`. */
export type SchemaNotes = Readonly<Record<string, SchemaNote>>;
