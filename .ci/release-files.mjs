/* The files of a release: everything that runs in production, and nothing that only builds, tests or documents it. */

/** Paths from the repository's root, each with the part that is included. */
export const parts = [
  { folder: "bff/dist/src", takes: (/** @type {string} */ file) => file.endsWith(".js") },
  { folder: "bff/dist/connectors", takes: isConnectorInProduction },
  ...["transbank", "fintoc", "bank-file", "soyio", "whatsapp", "libredte"].map((party) => ({
    folder: `bff/connectors/${party}/migrations`,
    takes: (/** @type {string} */ file) => file.endsWith(".sql"),
  })),
  { folder: "bff/migrations", takes: (/** @type {string} */ file) => file.endsWith(".sql") },
  { folder: "bff/docs/site", takes: () => true },
  { folder: "bff/deploy", takes: (/** @type {string} */ file) => !file.endsWith(".test.yaml") },
  { folder: "widget/dist", takes: isWidgetInProduction },
];

/**
 * Stand-ins and the check of a connector are for staging.
 *
 * @param {string} file
 */
function isConnectorInProduction(file) {
  return (
    file.endsWith(".js") &&
    !/^kit\/check\/|^kit\/(?:connector-commands|callback-listener|probe)\.js$|\/stand-in\//.test(file)
  );
}

/**
 * Production serves no gallery, and the styles of `styles/` are inlined in the page.
 *
 * @param {string} file
 */
function isWidgetInProduction(file) {
  return !file.startsWith("styles/") && !/(?:^|\/)gallery[-.]/.test(file);
}

/** Files of packages that are only for development: Node never loads them. */
const neverLoaded = [
  /\.(?:map|[mc]?tsx?|flow)$/,
  /^(?:tests?|__tests__|docs?|examples?|benchmarks?)\/|^\./,
  /^(?!.*\/?(?:licen[cs]e|notice|copying)[^/]*$).*\.(?:md|markdown)$/i,
];

/**
 * Packages of which the service uses only a part, with their unused files. Each entry saves half a megabyte or more.
 */
const unused = new Map([
  ["dejavu-fonts-ttf", /^(?!package\.json$|LICENSE$|ttf\/DejaVuSansCondensed(?:-Bold)?\.ttf$)/],
  ["libheif-js", /^libheif\/|^libheif-wasm\/(?:libheif\.|libheif-bundle\.mjs$)/],
  ["pdfkit", /^js\/pdfkit\.(?:browser|standalone)/],
  ["fontkit", /^dist\/(?:browser|main\.cjs$)/],
  ["brotli", /^build\/encode/],
  ["pako", /^dist\//],
  // Each is built twice, and the half for `require` is unused because the service imports them.
  ["kysely", /^dist\/cjs\//],
  ["nodemailer", /^dist\/cjs\//],
  ["zod", /\.cjs$/],
]);

/**
 * Whether a release has a file of an installed package.
 *
 * @param {string} name The package's.
 * @param {string} file From the package's folder.
 */
export function isPackageFileNeeded(name, file) {
  if (name.startsWith("@types/")) return false;
  return !neverLoaded.some((pattern) => pattern.test(file)) && unused.get(name)?.test(file) !== true;
}

/**
 * The package that a file under `node_modules` belongs to, and the file's path in it; null for the package manager's
 * own files.
 *
 * @param {string} path From the folder that contains `node_modules`.
 * @returns {{ name: string, file: string } | null}
 */
export function packageOf(path) {
  const inside = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const [, name, file] = /^((?:@[^/]+\/)?[^@./][^/]*)\/(.+)$/.exec(inside) ?? [];
  return name === undefined || file === undefined ? null : { name, file };
}
