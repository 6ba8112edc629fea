import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SQUAWK = join(fileURLToPath(new URL("..", import.meta.url)), "node_modules/.bin/squawk");
const OUTPUT_MAX_BYTES = 256 * 1_024 * 1_024;

/** The parser's result for a text of SQL. */
export interface ParsedSql {
  /** The rules of the grammar that it uses, such as `LOCKING_CLAUSE`. */
  readonly rules: ReadonlySet<string>;
  /** The functions that it calls. */
  readonly calls: ReadonlySet<string>;
  /** Its words and signs in lower case, separated by spaces, with every text as `''` and without comments. */
  readonly words: string;
  /** The dollar-quoted parts, unchanged: bodies of functions. */
  readonly bodies: readonly string[];
  readonly isWhole: boolean;
}

/** Parses each text separately, with the parser of squawk, the linter of the migrations. */
export function parseSql(texts: readonly string[]): ParsedSql[] {
  if (texts.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), "aapd-sql-"));
  try {
    const files = texts.map((text, number) => {
      const file = join(folder, `${String(number).padStart(5, "0")}.sql`);
      writeFileSync(file, text);
      return file;
    });
    const options = { encoding: "utf8", maxBuffer: OUTPUT_MAX_BYTES } as const;
    const printed = execFileSync(SQUAWK, ["--debug", "parse", ...files], options);
    const trees = printed.split(/^(?=SOURCE_FILE@)/m).filter((tree) => tree.startsWith("SOURCE_FILE@"));
    if (trees.length !== texts.length)
      throw new Error(`squawk printed ${trees.length} trees for ${texts.length} texts.`);
    return trees.map((tree, number) => readTree(tree, Buffer.from(texts[number] ?? "")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A line of the tree: a grammar rule, or a token. Only tokens have a text, which is truncated. */
const LINE = /^ *([A-Z_0-9]+)@(\d+)\.\.(\d+)( ".*")?$/;
const UNREAD = new Set(["WHITESPACE", "COMMENT"]);

function readTree(tree: string, text: Buffer): ParsedSql {
  const [nodes = "", complaints = ""] = tree.split(/^---$/m);
  const rules = new Set<string>();
  const calls = new Set<string>();
  const words: string[] = [];
  const bodies: string[] = [];
  let isCallee = false;
  for (const line of nodes.split("\n")) {
    const [, kind = "", from = "", to = "", cut] = LINE.exec(line) ?? [];
    if (kind === "" || UNREAD.has(kind)) continue;
    if (cut === undefined) {
      rules.add(kind);
      isCallee = kind === "CALL_EXPR" || (isCallee && kind !== "ARG_LIST");
      continue;
    }
    const token = text.subarray(Number(from), Number(to)).toString();
    if (isCallee) calls.add(token.toLowerCase());
    isCallee = false;
    if (token.startsWith("$$")) bodies.push(token.slice(2, -2));
    words.push(/^(?:'|\$[a-z]*\$)/i.test(token) ? "''" : token.toLowerCase());
  }
  rules.delete("SOURCE_FILE");
  const isWhole = !rules.has("ERROR") && !/^ERROR@/m.test(complaints);
  return { rules, calls, words: words.join(" "), bodies, isWhole };
}

/** The positions in a statement at which a separately built part may be inserted. */
const PLACES: readonly ((part: string) => string)[] = [
  (part) => `select ${part}`,
  (part) => `select 1 from t where ${part}`,
  (part) => `select 1 from t as t ${part}`,
  (part) => `select 1 from ${part}`,
  (part) => `with first as (select 1), ${part} select 1`,
  (part) => `update t set ${part}`,
  (part) => `insert into t values ${part}`,
];

/**
 * Parses statements and parts of statements, each at the first position where it is valid. A part that is valid nowhere
 * is parsed at the last position, which yields all of its words but perhaps not all of its rules.
 */
export function parsePartsOfSql(parts: readonly string[]): ParsedSql[] {
  const asTheyAre = parseSql(parts.map(withTables));
  const open = parts.filter((_part, number) => asTheyAre[number]?.isWhole === false);
  const placed = parseSql(open.flatMap((part) => PLACES.map((place) => place(withTables(part)))));
  const ofOpen = open.map((_part, number) => {
    const trees = placed.slice(number * PLACES.length, (number + 1) * PLACES.length);
    return trees.find(({ isWhole }) => isWhole) ?? trees.at(-1);
  });
  return asTheyAre.map((tree) => (tree.isWhole ? tree : (ofOpen.shift() ?? tree)));
}

/** A table, or a subquery, at the position where the code inserts it. */
function withTables(part: string): string {
  return part
    .replaceAll(/\b(from|join|update|into)\s+\$1/g, "$1 put_in")
    .replaceAll(/\b(from|join)\s+\(\s*\$1\s*\)/g, "$1 (select 1)")
    .replaceAll(/\b(as materialized|as)\s+\(\s*\$1\s*\)/g, "$1 (select 1)");
}
