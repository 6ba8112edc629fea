import ts from "typescript";
import {
  COMPARISONS,
  isOrderColumn,
  isProviderColumn,
  maskFilledIn,
  type SqlChange,
  sqlChanges,
} from "./sql-mutants.ts";

/** One change of one expression or of one line of SQL, which a test should notice. */
export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The replaced place in the file's text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The whole expression or statement around the change. */
  readonly around: { readonly start: number; readonly end: number };
  readonly isStatement: boolean;
  /** The change, such as `< → <=`. */
  readonly change: string;
  /** The name of the innermost function around it (see `functionsOf`); null at the top of the file. */
  readonly inFunction: string | null;
  /**
   * The function's parameters and the text around the change: a condition, a declaration, a property or a line of SQL.
   */
  readonly context: string;
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

export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

interface NamedFunction {
  readonly name: string;
  /** Their names, without types. */
  readonly parameters: readonly string[];
  readonly body: ts.ConciseBody;
}

/**
 * The functions of a file that have a body. A name does not depend on the rest of the file: `payOrder`, and
 * `payOrder/1` for the second unnamed function in it.
 */
export function functionsOf(source: ts.SourceFile): ReadonlyMap<ts.Node, NamedFunction> {
  const found = new Map<ts.Node, NamedFunction>();
  const unnamed = new Map<string, number>();
  const visit = (node: ts.Node, outer: string) => {
    let inner = outer;
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const own = nameOf(node as FunctionNode);
      const count = unnamed.get(outer) ?? 0;
      if (own === null) unnamed.set(outer, count + 1);
      inner = [outer, own ?? String(count)].filter(Boolean).join("/");
      const { body, parameters } = node as FunctionNode;
      found.set(node, { name: inner, body, parameters: parameters.map(({ name }) => name.getText(source)) });
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
  const defects = defectsOf(source);
  const lines = text.split("\n");
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, start: number, end: number, replacement: string) => {
    const before = text.slice(start, end);
    const change = [before, replacement].map((one) => oneLine(one) || "(nothing)").join(" → ");
    const { line } = source.getLineAndCharacterOfPosition(start);
    const around = functionAround(node, functions);
    mutants.push({
      ...{ file, line: line + 1, start, end, replacement, change },
      around: { start: node.getStart(source), end: node.end },
      isStatement: ts.isStatement(node),
      inFunction: around?.name ?? null,
      context: [...(around?.parameters ?? []), isStatementText(node) ? lines[line] : contextOf(node, source)].join(" "),
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
      if (!throwsOneOf(defects, node)) replace(node.expression, "false");
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, "true");
    else if (ts.isNumericLiteral(node)) replace(node, `(${node.getText(source)} + 1)`);
    else if (isCallAlone(node)) replace(node, ";");
    else if (isStatementText(node))
      for (const { start, end, replacement } of changesIn(node, text, source)) add(node, start, end, replacement);
    else if (isCallOf(node, LEFT_OUT) && !isKnownByOrder(node)) add(node, node.expression.expression.end, node.end, "");
    else if (isFirstOrder(node, source)) {
      const [key, direction] = node.arguments;
      if (key !== undefined) add(node, key.end, direction?.end ?? key.end, direction === undefined ? ', "desc"' : "");
    } else if (ts.isStringLiteral(node) && ts.isCallExpression(node.parent) && COMPARISONS.has(node.text))
      replace(node, `"${COMPARISONS.get(node.text)}"`);
    node.forEachChild(visit);
  };
  visit(source);
  return mutants;
}

/** The error classes of a file whose own comments call them a defect. No test can provoke an impossible state. */
function defectsOf(source: ts.SourceFile): ReadonlySet<string> {
  const errors = source.statements.filter((node) => ts.isClassDeclaration(node));
  return new Set(
    errors.flatMap((node) => {
      const comment = ts.getJSDocCommentsAndTags(node).map((each) => each.getText(source));
      return node.name !== undefined && comment.join().includes("a defect") ? [node.name.text] : [];
    }),
  );
}

/** `if (row === undefined) throw new RowMissing(…);` */
function throwsOneOf(errors: ReadonlySet<string>, { thenStatement: then }: ts.IfStatement): boolean {
  if (!(ts.isThrowStatement(then) && ts.isNewExpression(then.expression))) return false;
  const { expression: name } = then.expression;
  return ts.isIdentifier(name) && errors.has(name.text);
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

/** The calls that are removed from a statement: `.where("provider_id", "=", id)`. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["where", "whereRef", "having", "limit", "forUpdate", "forNoKeyUpdate", "forShare", "skipLocked"],
]);
const ORDER_BY: ReadonlySet<string> = new Set(["orderBy"]);

function isCallOf(
  node: ts.Node,
  names: ReadonlySet<string>,
): node is ts.CallExpression & { readonly expression: ts.PropertyAccessExpression } {
  return (
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && names.has(node.expression.name.text)
  );
}

/** `.where("provider_id", "=", …).where("order_id", "=", …)`: the same condition as in a statement's text. */
function isKnownByOrder(node: ts.CallExpression): boolean {
  const next = node.parent.parent;
  return isProviderColumn(columnThatEquals(node)) && isCallOf(next, LEFT_OUT) && isOrderColumn(columnThatEquals(next));
}

function columnThatEquals({ arguments: [column, operator] }: ts.CallExpression): string {
  const isEqual = operator !== undefined && ts.isStringLiteral(operator) && operator.text === "=";
  return isEqual && column !== undefined && ts.isStringLiteral(column) ? column.text : "";
}

/** The first key by which a built statement sorts. Only this one is reversed. */
function isFirstOrder(node: ts.Node, source: ts.SourceFile): node is ts.CallExpression {
  return isCallOf(node, ORDER_BY) && !node.expression.expression.getText(source).includes(".orderBy(");
}

type StatementText = ts.TaggedTemplateExpression & { readonly tag: ts.Identifier };

function isStatementText(node: ts.Node): node is StatementText {
  return ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === "sql";
}

/** The mutants of a statement's text. Embedded expressions have separate mutants. */
function changesIn({ template }: StatementText, text: string, source: ts.SourceFile): readonly SqlChange[] {
  const offset = template.getStart(source) + 1;
  const spans = ts.isTemplateExpression(template) ? template.templateSpans : [];
  const filledIn = spans.map(({ expression, literal }) => ({
    start: expression.pos - "${".length - offset,
    end: literal.getStart(source) + "}".length - offset,
  }));
  return sqlChanges(maskFilledIn(text.slice(offset, template.end - 1), filledIn)).map((change) => ({
    ...change,
    start: change.start + offset,
    end: change.end + offset,
  }));
}

function functionAround(node: ts.Node, functions: ReadonlyMap<ts.Node, NamedFunction>): NamedFunction | null {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    const around = functions.get(at);
    if (around !== undefined) return around;
  }
  return null;
}

/** The largest expression around a node, with the name that it is bound to. */
function contextOf(node: ts.Node, source: ts.SourceFile): string {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isReturnStatement(parent))
    return parent.getText(source);
  if (ts.isStatement(node) || ts.isStatement(parent) || ts.isFunctionLike(parent) || ts.isSourceFile(parent))
    return node.getText(source);
  return contextOf(parent, source);
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
}
