import ts from "typescript";

export type TextKind = "prose" | "comment" | "message" | "title";

/** One paragraph, comment, message or test title of a file, as a reader sees it. */
export interface FoundText {
  readonly kind: TextKind;
  readonly line: number;
  readonly text: string;
}

/** A line of prose or of a comment, for the rule about long lines. */
export interface FoundLine {
  readonly line: number;
  readonly text: string;
}

export interface Texts {
  readonly texts: readonly FoundText[];
  readonly lines: readonly FoundLine[];
}

/** The English of a file, by its extension. Code, fences and inline code are left out. */
export function textsOf(path: string, content: string): Texts {
  if (path.endsWith(".md")) return markdownTexts(content);
  if (path.endsWith(".css") || path.endsWith(".sql")) return commentTexts(markedComments(path, content));
  return codeTexts(path, content);
}

function markdownTexts(content: string): Texts {
  const lines = content.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, "")).split("\n");
  const prose: FoundLine[] = [];
  let fence = "";
  for (const [index, text] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1] ?? "";
    if (mark !== "" && (fence === "" || mark === fence)) fence = fence === "" ? mark : "";
    // Columns aligned with spaces are a sample too.
    else if (fence === "") prose.push({ line: index + 1, text: /\S {3,}\S/.test(text) ? "" : text });
  }
  const isTable = ({ text }: FoundLine) => text.trimStart().startsWith("|");
  const cells = prose.filter(isTable).flatMap(({ line, text }) =>
    text
      .split(/(?<!\\)\|/)
      .filter((cell) => /[a-z]/i.test(cell))
      .map((cell): FoundText => ({ kind: "prose", line, text: plain(cell) })),
  );
  const rest = prose.map((line) => (isTable(line) ? { ...line, text: "" } : line));
  return { texts: [...paragraphs(rest, "prose"), ...cells], lines: rest };
}

/** Joins lines to paragraphs. A blank line, a list item, a heading or a quote begins a new one. */
function paragraphs(lines: readonly FoundLine[], kind: TextKind): FoundText[] {
  const found: { line: number; parts: string[] }[] = [];
  let isOpen = false;
  for (const { line, text } of lines) {
    const content = text.replace(/^\s*(?:[-*+] |\d+\. |#{1,6} |> ?)+/, "");
    const startsAnew = content !== text && text.trim() !== content.trim();
    if (content.trim() === "") isOpen = false;
    else if (isOpen && !startsAnew) found.at(-1)?.parts.push(content.trim());
    else {
      found.push({ line, parts: [content.trim()] });
      isOpen = !/^#{1,6} /.test(text);
    }
  }
  return found.map(({ line, parts }) => ({ kind, line, text: plain(parts.join(" ")) }));
}

/** The text without Markdown's marks and a heading's id. Inline code becomes `x`. */
function plain(text: string): string {
  return text
    .replace(/ \{#[\w-]+\}$/, "")
    .replaceAll(/`[^`]*`/g, "`x`")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*|__/g, "")
    .trim();
}

interface Comment {
  readonly line: number;
  readonly text: string;
}

function markedComments(path: string, content: string): Comment[] {
  const pattern = path.endsWith(".sql") ? /--.*$|\/\*[\s\S]*?\*\//gm : /\/\*[\s\S]*?\*\//g;
  return [...content.matchAll(pattern)].map(({ 0: text, index }) => ({ line: lineAt(content, index), text }));
}

function lineAt(content: string, index: number): number {
  return content.slice(0, index).split("\n").length;
}

/** Lines of comments without their marks. Lines with tool directives, tags and indented code become blank. */
function commentTexts(comments: readonly Comment[]): Texts {
  const lines: FoundLine[] = [];
  let end = 0;
  for (const { line, text } of comments) {
    if (line > end + 1) lines.push({ line: line - 1, text: "" });
    for (const [offset, raw] of text.split("\n").entries()) {
      const bare = raw.replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/+|--+) ?/, "").replace(/\s*\*\/$/, "");
      const isProse = !/^\s*(?:@|biome-|oxlint-|eslint-|knip|v8 |#|\/ )|^ {4}/.test(bare);
      lines.push({ line: line + offset, text: isProse ? bare : "" });
    }
    if (text.startsWith("/*")) lines.push({ line: line + text.split("\n").length, text: "" });
    end = line + text.split("\n").length - 1;
  }
  return { texts: paragraphs(lines, "comment"), lines };
}

function codeTexts(path: string, content: string): Texts {
  const scriptKind = /x$/.test(path) ? ts.ScriptKind.TSX : path.endsWith(".mjs") ? ts.ScriptKind.JS : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true, scriptKind);
  const comments = new Map<number, Comment>();
  const texts: FoundText[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(content, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(content, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) comments.set(pos, { line: lineOf(pos), text: content.slice(pos, end) });
    const kind = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? kindOf(node) : null;
    if (kind !== null) texts.push({ kind, line: lineOf(node.getStart()), text: plain(textOf(node)) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  const inOrder = [...comments.values()].toSorted((a, b) => a.line - b.line);
  const fromComments = commentTexts(inOrder);
  return { texts: [...fromComments.texts, ...texts], lines: fromComments.lines };
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return "";
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join("");
}

const TITLED = new Set(["it", "test", "describe"]);
const MESSAGES = new Set(["description", "summary", "option", "requiredOption", "argument", "addHelpText"]);
const LOGS = new Set(["fatal", "error", "warn", "info"]);

/** The kind of a string: the title of a test, or a message of an error, a log line or a command's help. */
function kindOf(node: ts.Node): TextKind | null {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === "en") return "message";
  if (ts.isNewExpression(parent) && /Error|^[A-Z]\w+(?:ed|able|ing|Failure)$/.test(parent.expression.getText()))
    return "message";
  if (!ts.isCallExpression(parent) || !parent.arguments.includes(node as ts.Expression)) return null;
  const called = parent.expression;
  if (parent.arguments[0] === node && TITLED.has(rootName(called))) return "title";
  const name = ts.isPropertyAccessExpression(called) ? called.name.text : "";
  const isLog = LOGS.has(name) && /\blog(?:ger)?\.\w+$/i.test(called.getText());
  return isLog || (MESSAGES.has(name) && /\s/.test(textOf(node))) ? "message" : null;
}

/** `it` of `it.each([…])`, also if the result is called again with the title. */
function rootName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "step" ? "" : rootName(node.expression);
  if (ts.isCallExpression(node)) return rootName(node.expression);
  return ts.isTaggedTemplateExpression(node) ? rootName(node.tag) : "";
}
