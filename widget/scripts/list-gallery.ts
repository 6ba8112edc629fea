import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GALLERY_LIST } from "../src/gallery/list-states.ts";
import { scopedName } from "./scoped-name.ts";

/* Writes the names of the gallery's states, and the style module of each class, next to the gallery's page. */
const widget = join(import.meta.dirname, "..");
write("dist/app/gallery.json", GALLERY_LIST);
write("dist/style-modules.json", styleModules());

function styleModules(): Readonly<Record<string, string>> {
  const modules = globSync("src/**/*.module.css", { cwd: widget }).flatMap((path) => {
    const names = readFileSync(join(widget, path), "utf8").match(/(?<=\.)[a-z]\w*(?=[^{}]*\{)/gi) ?? [];
    return names.map((name): [string, string] => [scopedName(name, join(widget, path)), path]);
  });
  return Object.fromEntries(modules);
}

function write(path: string, value: unknown): void {
  writeFileSync(join(widget, path), `${JSON.stringify(value, null, 2)}\n`);
}
