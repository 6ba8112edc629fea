import { CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Database } from "./transaction.ts";

/** Stands in a statement's text for a value that comes with each run. */
export type Placeholder<Name extends string> = (name: Name) => RawBuilder<unknown>;

export interface PreparedStatement<Given extends object, Row> {
  run(db: Database, given: Given): Promise<Row[]>;
  /** The text, and what its parameters are, for whoever runs it by other means. */
  compile(db: Database, given: Given): { readonly sql: string; readonly parameters: readonly unknown[] };
}

/**
 * A statement whose text never changes: it is put together at its first run and kept, because putting a long statement
 * together costs as much of the processor as having the database run it.
 *
 *     const readThing = preparedStatement<{ id: string }, Row>((given) => sql`select * from things where id = ${given("id")}`);
 *     const rows = await readThing.run(db, { id });
 */
export function preparedStatement<Given extends object, Row>(
  build: (given: Placeholder<keyof Given & string>) => RawBuilder<Row>,
): PreparedStatement<Given, Row> {
  let kept: { text: string; names: ReadonlyArray<keyof Given> } | undefined;
  const put = (db: Database) => {
    const compiled = build((name) => sql`${{ placeholder: name }}`).compile(db);
    return { text: compiled.sql, names: compiled.parameters.map(nameOf<Given>) };
  };
  const compile = (db: Database, given: Given) => {
    kept ??= put(db);
    return { sql: kept.text, parameters: kept.names.map((name) => given[name]) };
  };
  return {
    compile,
    async run(db, given) {
      const compiled = compile(db, given);
      const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(compiled.sql, [...compiled.parameters]));
      return rows;
    },
  };
}

function nameOf<Given extends object>(parameter: unknown): keyof Given {
  if (typeof parameter === "object" && parameter !== null && "placeholder" in parameter)
    return parameter.placeholder as keyof Given;
  throw new TypeError("A prepared statement takes its values by name, or has them in its text.");
}
