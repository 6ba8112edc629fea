import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/**
 * Names the type changes of a package that break code written against its released version.
 *
 * @param {{ before: string, now: string }} folders Of the unpacked packages.
 * @param {{ root: string, packagesFolder: string }} places The repository, and the folder of unpacked released and
 * current packages.
 * @returns {string[]} Empty if nothing breaks.
 */
export function comparePackage(folders, { root, packagesFolder }) {
  const { exports: entries = {}, bin = {} } = manifestIn(folders.before);
  const now = manifestIn(folders.now);
  const gone = [
    ...Object.keys(entries).filter((entry) => now.exports?.[entry] === undefined),
    ...Object.keys(bin).filter((command) => now.bin?.[command] === undefined),
  ].map((entry) => `${entry} is gone`);
  const broken = Object.entries(entries).flatMap(([entry, { types } = {}]) => {
    const typesNow = now.exports?.[entry]?.types;
    if (types === undefined || typesNow === undefined) return [];
    return compareDeclarations(join(folders.before, types), join(folders.now, typesNow), {
      ...libraries(root),
      // Both versions of @aapd/react are installed with the current @aapd/embed.
      "@aapd/embed": [join(packagesFolder, "now/aapd-embed/package/lib/packages/embed/src/index.d.ts")],
    });
  });
  return [...gone, ...broken];
}

/**
 * @param {string} before A file of declarations.
 * @param {string} now
 * @param {Record<string, string[]>} [paths] The places of the packages that they import.
 * @returns {string[]}
 */
export function compareDeclarations(before, now, paths = {}) {
  const check = join(before, "../check-of-declarations.ts");
  const names = exportsOf(before, paths);
  const lines = names.flatMap(({ name, isValue, parameters }, at) =>
    isValue
      ? [`export const v${at}: typeof Before.${name} = null! as typeof Now.${name}; // ${name}`]
      : [`export type T${at}${parameters} = Now.${name}${used(parameters)}; // ${name}`],
  );
  const text = `import type * as Before from ${quoted(before)};\nimport type * as Now from ${quoted(now)};\n${lines.join("\n")}\n`;
  const program = programOf(check, text, paths);
  const file = program.getSourceFile(check);
  const fieldsNow = new Map(exportsOf(now, paths).map(({ name, fields }) => [name, fields]));
  // A removed field of an argument is refused, although the types are assignable.
  const gone = names.flatMap(({ name, fields }) => {
    const left = fieldsNow.get(name);
    if (left === undefined) return [];
    return fields.filter((field) => !left.includes(field)).map((field) => `${name}: ${field} is gone`);
  });
  const broken = program
    .getSemanticDiagnostics(file)
    .concat(program.getSyntacticDiagnostics(file))
    .map(({ messageText, start = 0 }) => {
      const line = text.slice(0, start).split("\n").length - 1;
      const name = /\/\/ (.*)$/.exec(text.split("\n")[line] ?? "")?.[1] ?? "";
      return `${name}: ${deepest(messageText)}`;
    });
  return [...gone, ...broken];
}

/**
 * @param {string} file
 * @param {Record<string, string[]>} paths
 */
function exportsOf(file, paths) {
  const program = programOf(
    join(file, "../list-of-declarations.ts"),
    `import type * as One from ${quoted(file)};\n`,
    paths,
  );
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing that can be compared.`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declared = target.declarations?.find(
      (one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one),
    );
    const parameters = declared?.typeParameters?.map((one) => one.getText()).join(", ");
    return {
      name: symbol.name,
      isValue: (target.flags & ts.SymbolFlags.Value) !== 0,
      parameters: parameters === undefined ? "" : `<${parameters}>`,
      fields: declared === undefined ? [] : fieldsOf(checker.getTypeAtLocation(declared)),
    };
  });
}

/** @param {ts.Type} type */
function fieldsOf(type) {
  return type.flags & ts.TypeFlags.Object ? type.getProperties().map(({ name }) => name) : [];
}

/**
 * `<A extends string, B>` → `<A, B>`
 *
 * @param {string} parameters
 */
function used(parameters) {
  return parameters.replaceAll(/(\w+)(?: extends [^,>]+)?(?: = [^,>]+)?/g, "$1");
}

/**
 * Shared by all comparisons, because most of the files are TypeScript's own declarations.
 * @type {Map<string, ts.SourceFile>}
 */
const libraryFiles = new Map();

/**
 * @param {string} file
 * @param {string} text
 * @param {Record<string, string[]>} paths
 */
function programOf(file, text, paths) {
  /** @type {ts.CompilerOptions} */
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsx: ts.JsxEmit.ReactJSX,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
    paths,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2023);
    const source = libraryFiles.get(name) ?? getSourceFile(name, ...rest);
    if (source !== undefined && /[\\/]node_modules[\\/]/.test(name)) libraryFiles.set(name, source);
    return source;
  };
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  return ts.createProgram([file], options, host);
}

/**
 * @param {string} root
 * @returns {Record<string, string[]>}
 */
function libraries(root) {
  return {
    "@playwright/test": [join(root, "e2e/node_modules/@playwright/test/index.d.ts")],
    react: [join(root, "widget/node_modules/@types/react/index.d.ts")],
    "react/jsx-runtime": [join(root, "widget/node_modules/@types/react/jsx-runtime.d.ts")],
    "zod/mini": [join(root, "bff/node_modules/zod/mini/index.d.ts")],
    zod: [join(root, "bff/node_modules/zod/index.d.ts")],
    jose: [join(root, "bff/node_modules/jose/dist/types/index.d.ts")],
  };
}

/**
 * @param {string} folder
 * @returns {{ exports?: Record<string, { types?: string }>, bin?: Record<string, string> }}
 */
function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** @param {string} path */
function quoted(path) {
  return JSON.stringify(path.replace(/\.d\.ts$/, ""));
}

/**
 * @param {string | ts.DiagnosticMessageChain} message
 * @returns {string}
 */
function deepest(message) {
  if (typeof message === "string") return message;
  const [next] = message.next ?? [];
  return next === undefined ? message.messageText : deepest(next);
}
