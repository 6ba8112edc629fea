import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { listTrackedFiles } from "./words.ts";

/** Text that the service sends to its database, or builds it from. */
export interface SqlSource {
  readonly file: string;
  /** `$1` marks each place where the code inserts a value or another part. */
  readonly text: string;
}

/** SQL is only in migrations, the folder of the database's own code, and the stores. */
const MIGRATION = /^bff\/migrations\/.*\.sql$/;
const CODE = /^bff\/(?:src|sandbox)\/.*-store\.ts$|^bff\/src\/platform\/database\/(?!.*\.test\.ts$).*\.ts$/;

export interface SqlSources {
  readonly migrations: readonly SqlSource[];
  /** The code that contains statements, unchanged. */
  readonly code: readonly SqlSource[];
  /** The SQL texts in that code: whole statements and parts of them. */
  readonly texts: readonly SqlSource[];
}

export function readSqlSources(repository: string): SqlSources {
  const read = (pattern: RegExp) =>
    listTrackedFiles(repository)
      .filter((file) => pattern.test(file))
      .map((file) => ({ file, text: readFileSync(join(repository, file), "utf8") }));
  const code = read(CODE);
  return { migrations: read(MIGRATION), code, texts: code.flatMap(textsOfSql) };
}

/** Methods that send a text unchanged. */
const SENDING = new Set(["query", "script"]);

/** Every template tagged `sql`, and every text that is sent unchanged. */
export function textsOfSql({ file, text }: SqlSource): SqlSource[] {
  const found: SqlSource[] = [];
  const keep = (node: ts.TemplateLiteral | ts.StringLiteral) => {
    const bare = textOf(node);
    if (/[a-z]/i.test(bare.replaceAll("$1", ""))) found.push({ file, text: bare });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText())) keep(node.template);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [sent] = node.arguments;
      const isText = sent !== undefined && (ts.isStringLiteral(sent) || ts.isTemplateLiteral(sent));
      if (SENDING.has(node.expression.name.text) && isText) keep(sent);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  return found;
}

function textOf(node: ts.TemplateLiteral | ts.StringLiteral): string {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => ` $1 ${literal.text}`).join("");
}

/** The names of all methods that are called in code. */
export function calledMethods({ file, text }: SqlSource): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      names.push(node.expression.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  return names;
}
