import ts from "typescript";

/** One change of one expression or of one line of SQL, which a test should notice. */
export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The place in the file's text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The whole expression or statement that the change is in. */
  readonly around: { readonly start: number; readonly end: number };
  readonly isStatement: boolean;
  /** What is changed, such as `< → <=`. */
  readonly change: string;
  /** The line of the file that it stands in, without what surrounds it. */
  readonly lineText: string;
  /** The name of the innermost function around it (see `functionsOf`); null at the top of the file. */
  readonly inFunction: string | null;
}

const SWAPPED: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
  [ts.SyntaxKind.SlashToken, "*"],
]);

/** A condition on a line of its own within a statement's text. */
const SQL_CONDITION = /^\s*(?:and|or|where) .+$/;

export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

/**
 * The functions of a file that have a body, with a name that stays when something else in the file changes: `payOrder`, and
 * `payOrder/1` for the second without a name in it.
 */
export function functionsOf(source: ts.SourceFile): ReadonlyMap<ts.Node, { name: string; body: ts.ConciseBody }> {
  const found = new Map<ts.Node, { name: string; body: ts.ConciseBody }>();
  const unnamed = new Map<string, number>();
  const visit = (node: ts.Node, outer: string) => {
    let inner = outer;
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const own = nameOf(node as FunctionNode);
      const count = unnamed.get(outer) ?? 0;
      if (own === null) unnamed.set(outer, count + 1);
      inner = [outer, own ?? String(count)].filter(Boolean).join("/");
      found.set(node, { name: inner, body: (node as FunctionNode).body });
    }
    node.forEachChild((child) => visit(child, inner));
  };
  visit(source, "");
  return found;
}

function nameOf(node: FunctionNode): string | null {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named !== undefined && ts.isIdentifier(named) ? named.text : null;
}

/** Every mutant of a file's text. Types, imports and error messages have none. */
export function findMutants(file: string, text: string): readonly Mutant[] {
  const source = parse(file, text);
  const functions = functionsOf(source);
  const lines = text.split("\n");
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, start: number, end: number, replacement: string) => {
    const before = text.slice(start, end);
    const change = `${oneLine(before)} → ${oneLine(replacement) || "(nothing)"}`;
    const { line } = source.getLineAndCharacterOfPosition(start);
    mutants.push({
      ...{ file, line: line + 1, start, end, replacement, change, lineText: lines[line]?.trim() ?? "" },
      around: { start: node.getStart(source), end: node.end },
      isStatement: ts.isStatement(node),
      inFunction: functionAround(node, functions),
    });
  };
  const replace = (node: ts.Node, replacement: string) => add(node, node.getStart(source), node.end, replacement);
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    if (ts.isBinaryExpression(node)) {
      const swapped = swappedOperator(node);
      if (swapped !== null) add(node, node.operatorToken.getStart(source), node.operatorToken.end, swapped);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText(source));
    else if (ts.isConditionalExpression(node)) {
      replace(node, node.whenTrue.getText(source));
      replace(node, node.whenFalse.getText(source));
    } else if (ts.isIfStatement(node)) {
      replace(node.expression, "true");
      replace(node.expression, "false");
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, "true");
    else if (ts.isNumericLiteral(node)) replace(node, `(${node.getText(source)} + 1)`);
    else if (isCallAlone(node)) replace(node, ";");
    else if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node))
      for (const [start, end, without] of conditionsIn(node, text, source))
        add(ts.isTaggedTemplateExpression(node.parent) ? node.parent : node, start, end, without);
    else if (isBuiltCondition(node)) add(node, node.expression.expression.end, node.end, "");
    node.forEachChild(visit);
  };
  visit(source);
  return mutants;
}

function swappedOperator({ operatorToken, left, right }: ts.BinaryExpression): string | null {
  return [left, right].some(isText) ? null : (SWAPPED.get(operatorToken.kind) ?? null);
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** A call for its effect alone, awaited or not. */
function isCallAlone(node: ts.Node): node is ts.ExpressionStatement {
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression);
}

/** A condition of a statement that is built by calls: `.where("provider_id", "=", id)`. */
function isBuiltCondition(
  node: ts.Node,
): node is ts.CallExpression & { readonly expression: ts.PropertyAccessExpression } {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    ["where", "whereRef"].includes(node.expression.name.text)
  );
}

/** What a condition becomes that is left out, by the word before it. */
const WITHOUT: ReadonlyMap<string, string> = new Map([
  ["where", "where true"],
  ["and", "and true"],
  ["or", "or false"],
]);

/** The conditions in an SQL text, each of those that a line begins with and that are closed within it. */
function* conditionsIn(
  node: ts.TemplateExpression | ts.NoSubstitutionTemplateLiteral,
  text: string,
  source: ts.SourceFile,
): Generator<readonly [start: number, end: number, without: string]> {
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const last = source.getLineAndCharacterOfPosition(node.end).line;
  for (let line = first; line <= last; line += 1) {
    const start = source.getPositionOfLineAndCharacter(line, 0);
    const end = Math.min(text.indexOf("\n", start) >>> 0, node.end - 1);
    const written = text.slice(start, end);
    if (!SQL_CONDITION.test(written) || depthOf(written) !== 0 || written.split("`").length % 2 === 0) continue;
    const words = [...written.matchAll(/\b(?:where|and|or) /g)].filter(
      ({ index }) => depthOf(written.slice(0, index)) === 0,
    );
    const isRange = / between /.test(written);
    for (const [place, word] of (isRange ? words.slice(0, 1) : words).entries()) {
      const next = isRange ? undefined : words[place + 1]?.index;
      const closed = next === undefined ? end : start + written.slice(0, next).trimEnd().length;
      yield [start + word.index, closed, WITHOUT.get(word[0].trim()) ?? ""];
    }
  }
}

/** How many brackets are open at the end of a text; -1 if one was closed that it did not open. */
function depthOf(text: string): number {
  const closing = new Map([
    [")", "("],
    ["}", "{"],
    ["]", "["],
  ]);
  const open: string[] = [];
  for (const letter of text) {
    if ("({[".includes(letter)) open.push(letter);
    const opened = closing.get(letter);
    if (opened !== undefined && open.pop() !== opened) return -1;
  }
  return open.length;
}

function functionAround(node: ts.Node, functions: ReadonlyMap<ts.Node, { readonly name: string }>): string | null {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    const around = functions.get(at);
    if (around !== undefined) return around.name;
  }
  return null;
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
}
