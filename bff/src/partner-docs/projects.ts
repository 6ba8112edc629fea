import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { strToU8, zipSync } from "fflate";
import { packageFolder } from "../platform/program.ts";
import type { Deployment } from "./openapi.ts";
import { type ServedPackages, tarballUrl } from "./packages.ts";

/*
 * Small projects that pay in the sandbox, as partners download them and as `aapd-dev new` writes them. Each is made of
 * layers: a file or folder of `docs/site`, and the project's folder in which it is placed.
 */

type Layer = readonly [from: string, into: string];

const ALL: Layer = ["projects/all", ""];
const CALLS_IN_PUBLIC: Layer = ["projects/browser", "public"];
const PAGE: Layer = ["projects/page", "public"];
const NODE: Layer = ["projects/node", ""];
const REACT: readonly Layer[] = [
  ["projects/browser", "src"],
  ["projects/react", ""],
];

const LAYERS = {
  express: [ALL, NODE, PAGE, CALLS_IN_PUBLIC, ["projects/express", ""]],
  next: [ALL, NODE, ...REACT, ["projects/next", ""]],
  "react-vite": [ALL, NODE, ...REACT, ["projects/react-vite", ""]],
  flask: [ALL, PAGE, CALLS_IN_PUBLIC, ["clients/aapd.py", ""], ["get_keys.py", ""], ["projects/flask", ""]],
  php: [ALL, PAGE, CALLS_IN_PUBLIC, ["clients/Aapd.php", ""], ["get-keys.php", ""], ["projects/php", ""]],
} as const satisfies Record<string, readonly Layer[]>;

export type ProjectName = keyof typeof LAYERS;
export const PROJECTS = Object.keys(LAYERS) as ProjectName[];

/** A project's files by their paths, with the addresses of this deployment. */
export type Project = Readonly<Record<string, string>>;

export function readProject(name: ProjectName, deployment: Deployment, packages: ServedPackages): Project {
  const files = LAYERS[name].flatMap(([from, into]) => readLayer(from, into));
  const sorted = files.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, text]) => [path, withAddresses(text, deployment, packages)]));
}

const folder = join(packageFolder, "docs/site");

function readLayer(from: string, into: string): [path: string, text: string][] {
  const place = join(folder, from);
  const isFolder = statSync(place).isDirectory();
  const files = isFolder
    ? readdirSync(place, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [place];
  const root = isFolder ? place : dirname(place);
  return files.map((file) => [join(into, relative(root, file)), readFileSync(file, "utf8")]);
}

function withAddresses(
  text: string,
  { orderApiUrl, spotApiUrl, widgetHostUrl }: Deployment,
  packages: ServedPackages,
): string {
  return text
    .replaceAll(/https:\/\/WIDGET_HOST\/packages\/aapd-(\w+)-VERSION\.tgz/g, (_address, name: string) =>
      tarballUrl(`@aapd/${name}`, widgetHostUrl, packages),
    )
    .replaceAll("https://ORDER_API", orderApiUrl)
    .replaceAll("https://SPOT_API", spotApiUrl)
    .replaceAll("https://WIDGET_HOST", widgetHostUrl);
}

/** The earliest time that an archive can name: equal files make equal bytes. */
const MADE_AT = new Date(1980, 0, 1);

/** An archive with the files in one folder. */
export function zipProject(name: ProjectName, project: Project): Uint8Array {
  const files = Object.entries(project).map(([path, text]) => [`aapd-${name}/${path}`, strToU8(text)] as const);
  return zipSync(Object.fromEntries(files), { mtime: MADE_AT });
}
