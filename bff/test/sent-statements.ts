import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

const sentStatementSchema = z.object({
  file: z.string(),
  text: z.string(),
  /** The columns of the answer by name and type. */
  columns: z.array(z.tuple([z.string(), z.int()])),
});
/** A statement that a test has sent to PostgreSQL. */
export type SentStatement = z.infer<typeof sentStatementSchema>;

const folder = fileURLToPath(new URL("../.cache/statements/", import.meta.url));
const kept = new Set<string>();

/** Records a statement once, for a later check. */
export function keepStatement(statement: SentStatement): void {
  if (kept.has(statement.text)) return;
  kept.add(statement.text);
  mkdirSync(folder, { recursive: true });
  appendFileSync(`${folder}${process.pid}.ndjson`, `${JSON.stringify(statement)}\n`);
}

const MARK = "@module-tag both-databases";
const onBoth = new Map<string, boolean>();

/**
 * Whether all tests of a file (`test/http/…`) also run on PGlite, so that its PostgreSQL run alone proves nothing more.
 */
export function runsOnBoth(file: string): boolean {
  const runs = onBoth.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), "utf8").includes(MARK);
  onBoth.set(file, runs);
  return runs;
}

/** Every statement that the last HTTP tests sent to PostgreSQL. */
export function readSentStatements(): SentStatement[] {
  return readdirSync(folder)
    .flatMap((file) => readFileSync(`${folder}${file}`, "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => sentStatementSchema.parse(JSON.parse(line)));
}
