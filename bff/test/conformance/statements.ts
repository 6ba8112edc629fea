import { readFileSync } from "node:fs";

/** Each line: subject, statement, file under `test/http`, title of the test. */
const LIST = new URL("./statements.tsv", import.meta.url);

/** A statement that partners rely on, and the test that proves it. */
export interface Statement {
  readonly says: string;
  /** The test's file under `test/http`, and its title there. */
  readonly file: string;
  readonly title: string;
}

/** Reads the statements from the list, one from each line after the first. */
export function readStatements(): readonly Statement[] {
  const [, ...lines] = readFileSync(LIST, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [, says, file, title, ...more] = line.split("\t");
    if (says === undefined || file === undefined || title === undefined || more.length > 0)
      throw new LineUnreadable(line);
    return { says, file, title };
  });
}

/** Thrown when a line is not a subject, a statement, a file and a title. */
class LineUnreadable extends Error {
  override readonly name = "LineUnreadable";
}
