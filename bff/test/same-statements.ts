/**
 * `pnpm --filter bff statements`: the embedded database describes every statement that the last HTTP tests sent to
 * PostgreSQL, and must return the same columns of the same types. Files whose tests run on both databases anyway are
 * left out, because they create their own tables.
 */
import { isDeepStrictEqual } from "node:util";
import { type DescribeOnPglite, openForDescriptions } from "./database.ts";
import { readSentStatements, runsOnBoth, type SentStatement } from "./sent-statements.ts";

/** The difference of a statement on the embedded database, or null. */
async function differenceOf({ text, columns }: SentStatement, describe: DescribeOnPglite): Promise<string | null> {
  try {
    const there = await describe(text);
    return isDeepStrictEqual(there, columns) ? null : `${JSON.stringify(columns)} became ${JSON.stringify(there)}`;
  } catch (error) {
    return String(error);
  }
}

const statements = new Map(
  readSentStatements()
    .filter(({ file }) => !runsOnBoth(file))
    .map((statement) => [statement.text, statement]),
);
const { describe, close } = await openForDescriptions();
let differences = 0;
for (const statement of statements.values()) {
  const difference = await differenceOf(statement, describe);
  if (difference === null) continue;
  differences += 1;
  process.stdout.write(`${statement.file}: ${difference}\n${statement.text}\n\n`);
}
await close();
process.stdout.write(`${statements.size - differences} of ${statements.size} statements are the same on PGlite.\n`);
if (differences > 0 || statements.size === 0) process.exitCode = 1;
