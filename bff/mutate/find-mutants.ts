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
  /** What is changed, such as `a < b → a <= b`. */
  readonly change: string;
  /** The number of the innermost function around it (see `functionsOf`); null at the top of the file. */
  readonly inFunction: number | null;
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

/** The functions of a file that have a body, in the order of their text. */
export function functionsOf(source: ts.SourceFile): readonly FunctionNode[] {
  const found: FunctionNode[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) found.push(node as FunctionNode);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Every mutant of a file's text. Types, imports and error messages have none. */
export function findMutants(file: string, text: string): readonly Mutant[] {
  const source = parse(file, text);
  const numbers = new Map(functionsOf(source).map((node, number): [ts.Node, number] => [node, number]));
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, start: number, end: number, replacement: string) => {
    const before = text.slice(start, end);
    const change = `${oneLine(before)} → ${oneLine(replacement) || "(nothing)"}`;
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ file, line, start, end, replacement, change, inFunction: functionAround(node, numbers) });
  };
  const replace = (node: ts.Node, replacement: string) => add(node, node.getStart(source), node.end, replacement);
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    if (ts.isBinaryExpression(node)) swapOperator(node, replace);
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
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
      for (const [start, end] of conditionsIn(node, text, source)) add(node, start, end, "");
    node.forEachChild(visit);
  };
  visit(source);
  return mutants;
}

function swapOperator(node: ts.BinaryExpression, replace: (node: ts.Node, replacement: string) => void): void {
  const swapped = SWAPPED.get(node.operatorToken.kind);
  if (swapped === undefined || [node.left, node.right].some(isText)) return;
  replace(node.operatorToken, swapped);
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

/** Lines of an SQL text that are conditions, with whatever they contain closed within the line. */
function* conditionsIn(
  node: ts.TemplateExpression | ts.NoSubstitutionTemplateLiteral,
  text: string,
  source: ts.SourceFile,
): Generator<readonly [number, number]> {
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const last = source.getLineAndCharacterOfPosition(node.end).line;
  for (let line = first; line <= last; line += 1) {
    const start = source.getPositionOfLineAndCharacter(line, 0);
    const end = Math.min(text.indexOf("\n", start) >>> 0, node.end - 1);
    const written = text.slice(start, end);
    if (SQL_CONDITION.test(written) && isBalanced(written)) yield [start, end];
  }
}

function isBalanced(text: string): boolean {
  const closing = new Map([
    [")", "("],
    ["}", "{"],
    ["]", "["],
  ]);
  const open: string[] = [];
  for (const letter of text) {
    if ("({[".includes(letter)) open.push(letter);
    const opened = closing.get(letter);
    if (opened !== undefined && open.pop() !== opened) return false;
  }
  return open.length === 0 && text.split("`").length % 2 === 1;
}

function functionAround(node: ts.Node, numbers: ReadonlyMap<ts.Node, number>): number | null {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    const number = numbers.get(at);
    if (number !== undefined) return number;
  }
  return null;
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
}
