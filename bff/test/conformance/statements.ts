import { readFileSync } from "node:fs";

const PAGE = new URL("../../docs/reference/interface-conformance.md", import.meta.url);

/** A statement that partners rely on, and the test that proves it. */
export interface Statement {
  readonly says: string;
  /** The test's file under `test/http`, and its title there. */
  readonly file: string;
  readonly title: string;
}

/** Reads the statements from the page, one from each table row. */
export function readStatements(): readonly Statement[] {
  const rows = readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line !== "| Statement | Test |");
  return rows.map((row) => {
    const [, says, file, title] = /^\| (.+?) \| `([^`]+)`: (.+) \|$/.exec(row) ?? [];
    if (says === undefined || file === undefined || title === undefined) throw new RowUnreadable(row);
    return { says, file, title: title.replaceAll("\\|", "|") };
  });
}

/** Thrown when a table row is not a statement, a file and a title. */
class RowUnreadable extends Error {
  override readonly name = "RowUnreadable";
}
