import { readFileSync } from "node:fs";
import ts from "typescript";
import type { FrameMessages, Schema } from "./interface.ts";

const PROTOCOL = "/protocol.ts";
const QUESTION = "/question.ts";
/**
 * Types from the protocol to compare: the messages in their envelopes, and the bare strings of the older integration.
 */
const question = `
import type { Envelope, FrameMessage, HostMessage, LEGACY } from "./protocol.ts";
export type Says = Envelope<FrameMessage>;
export type Takes = Envelope<HostMessage>;
export type Legacy = (typeof LEGACY)[keyof typeof LEGACY];
`;

/** Thrown for a type of the protocol that has no JSON Schema here. */
export class UnknownType extends Error {
  override readonly name = "UnknownType";
}

export function readProtocol(): string {
  return readFileSync(new URL("../../../widget/embed/protocol.ts", import.meta.url), "utf8");
}

/** The messages that a protocol declares (`widget/embed/protocol.ts`), as schemas by their types. */
export function frameMessages(protocol: string): FrameMessages {
  const program = compile(
    new Map([
      [PROTOCOL, protocol],
      [QUESTION, question],
    ]),
  );
  const checker = program.getTypeChecker();
  const asked = (name: string) => membersOf(aliasedType(program, checker, name));
  const byType = (types: readonly ts.Type[]) => {
    const table = Object.fromEntries(types.map((type) => [messageType(type, checker), schemaOf(type, checker)]));
    if (Object.keys(table).length < types.length) throw new UnknownType("two messages of one type");
    return table;
  };
  return {
    says: { ...byType(asked("Says")), ...Object.fromEntries(asked("Legacy").map(bareString)) },
    takes: byType(asked("Takes")),
  };
}

function compile(files: ReadonlyMap<string, string>): ts.Program {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const onDisk = { getSourceFile: host.getSourceFile, fileExists: host.fileExists, readFile: host.readFile };
  host.getSourceFile = (name, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? onDisk.getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  };
  host.fileExists = (name) => files.has(name) || onDisk.fileExists(name);
  host.readFile = (name) => files.get(name) ?? onDisk.readFile(name);
  const program = ts.createProgram([QUESTION], options, host);
  const [problems] = program.getSemanticDiagnostics(program.getSourceFile(QUESTION));
  if (problems !== undefined) throw new UnknownType(ts.flattenDiagnosticMessageText(problems.messageText, " "));
  return program;
}

function aliasedType(program: ts.Program, checker: ts.TypeChecker, name: string): ts.Type {
  const alias = program
    .getSourceFile(QUESTION)
    ?.statements.find((statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name);
  if (alias === undefined || !ts.isTypeAliasDeclaration(alias)) throw new UnknownType(name);
  return checker.getTypeFromTypeNode(alias.type);
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function messageType(message: ts.Type, checker: ts.TypeChecker): string {
  const property = message.getProperty("type");
  const type = property && checker.getTypeOfSymbol(property);
  if (type === undefined || !type.isStringLiteral()) throw new UnknownType(checker.typeToString(message));
  return type.value;
}

function bareString(type: ts.Type): [string, Schema] {
  if (!type.isStringLiteral()) throw new UnknownType("a legacy message that is no string");
  return [type.value, { type: "string", enum: [type.value] }];
}

function schemaOf(type: ts.Type, checker: ts.TypeChecker): Schema {
  if (type.flags & ts.TypeFlags.String) return { type: "string" };
  if (type.flags & ts.TypeFlags.Number) return { type: "number" };
  if (type.flags & ts.TypeFlags.Boolean) return { type: "boolean" };
  if (type.flags & ts.TypeFlags.Null) return { type: "null" };
  if (type.isStringLiteral()) return { type: "string", enum: [type.value] };
  if (type.isNumberLiteral()) return { type: "number", enum: [type.value] };
  if (type.isUnion()) return unionSchema(type.types, checker);
  // To the compiler, lists and functions are objects too.
  const isPlain = type.getCallSignatures().length === 0 && type.getNumberIndexType() === undefined;
  if (isPlain && (type.flags & ts.TypeFlags.Object || type.isIntersection())) return objectSchema(type, checker);
  throw new UnknownType(checker.typeToString(type));
}

function unionSchema(types: readonly ts.Type[], checker: ts.TypeChecker): Schema {
  const words = types.filter((type) => type.isStringLiteral()).map(({ value }) => value);
  // To the compiler, `boolean` is a union of two literals.
  const bools = types.filter((type) => type.flags & ts.TypeFlags.BooleanLiteral);
  // To the compiler, an optional field may be undefined. Undefined fields are not sent.
  const others = types.filter(
    (type) =>
      !type.isStringLiteral() && !bools.includes(type) && !(type.flags & ts.TypeFlags.Undefined) && !isAnyWord(type),
  );
  if (bools.length === 1) throw new UnknownType("true or false alone");
  const forms: Schema[] = [
    ...(words.length > 0 ? [{ type: "string", enum: words }] : []),
    ...(bools.length > 0 ? [{ type: "boolean" }] : []),
    ...others.map((type) => schemaOf(type, checker)),
  ];
  const [only, ...more] = forms;
  return only !== undefined && more.length === 0 ? only : { anyOf: forms };
}

/** `string & {}` next to literals means that readers accept other values too. The literals are today's values. */
function isAnyWord(type: ts.Type): boolean {
  return type.isIntersection() && type.types.some(({ flags }) => (flags & ts.TypeFlags.String) !== 0);
}

function objectSchema(type: ts.Type, checker: ts.TypeChecker): Schema {
  const properties = checker.getPropertiesOfType(type);
  const isOptional = (property: ts.Symbol) => (property.flags & ts.SymbolFlags.Optional) !== 0;
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map((property) => {
        return [property.name, schemaOf(checker.getTypeOfSymbol(property), checker)];
      }),
    ),
    required: properties.filter((property) => !isOptional(property)).map(({ name }) => name),
  };
}
