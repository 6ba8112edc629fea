import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const ASSETS = "/assets/";

interface PageOptions {
  readonly page: string;
  readonly manifest: string | null;
  /**
   * A folder with the styles in parts: those of the first screen go into the head, the others after all painted
   * content.
   */
  readonly stylesInParts: string | null;
}

const FIRST_PART = "first.css";
/** The position of the styles of later screens (contract, `widget-page`). */
const LATER_STYLES = "<!--aapd:later-styles-->";
/** Placeholder of the page's state (contract, `widget-page`); the first paint's markup precedes it. */
const STATE = "<!--aapd:state-->";
const MODULE = /\s*<script type="module"[^>]*><\/script>/;

/**
 * Finishes a built page: inlines the styles of its first screen, and gives every script an integrity hash (PCI DSS
 * 6.4.3). The import map covers scripts that are loaded later: browsers check each module against it.
 * `page-manifest.json` lists the hashes of inline content, for the page's policy.
 */
export function pagePlugin(options: PageOptions): Plugin {
  return {
    name: "finish-page",
    apply: "build",
    enforce: "post",
    writeBundle({ dir }) {
      if (dir === undefined) return;
      const file = join(dir, options.page);
      const page = finishPage(readFileSync(file, "utf8"), dir, options.stylesInParts);
      writeFileSync(file, page.html);
      if (options.manifest === null) return;
      const manifest = { styleHashes: page.styleHashes, scriptHashes: page.scriptHashes };
      writeFileSync(join(dir, options.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    },
  };
}

interface FinishedPage {
  readonly html: string;
  readonly styleHashes: readonly string[];
  readonly scriptHashes: readonly string[];
}

function finishPage(html: string, dir: string, stylesInParts: string | null): FinishedPage {
  const read = (url: string): string => readFileSync(join(dir, url), "utf8");
  const styleHashes: string[] = [];
  const inlined = (text: string): string => {
    const style = text.replaceAll(/\/\*\$vite\$[^*]*\*\//g, "").trim();
    styleHashes.push(hash("sha256", style));
    return `<style>${style}</style>`;
  };
  const parts = stylesInParts === null ? null : readParts(stylesInParts);
  const withStyles = html
    .replace(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g, (_link, url: string) => {
      const whole = read(url);
      if (parts !== null) requireAllNames(whole, parts.first + parts.later);
      return inlined(parts?.first ?? whole);
    })
    .replace(LATER_STYLES, (marker) => (parts === null ? marker : marker + inlined(parts.later)));
  const importMap = JSON.stringify({ integrity: integrityOfScripts(dir) });
  const sealed = withStyles.replace(
    /<(script|link)\b([^>]*?)\b(src|href)="(\/assets\/[^"]+\.js)"/g,
    (_tag, name: string, before: string, kind: string, url: string) => {
      return `<${name}${before}${kind}="${url}" integrity="${hash("sha384", read(url))}"`;
    },
  );
  const moved = withScriptsAfterMarkup(sealed, `<script type="importmap">${importMap}</script>`);
  const inline = [...moved.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  return { html: moved, styleHashes, scriptHashes: inline.map(([, content = ""]) => hash("sha256", content)) };
}

/**
 * Moves the page's module behind the markup: so that neither its hashes nor its request delay the first paint. The
 * import map goes right before it, because it must precede the first module.
 */
function withScriptsAfterMarkup(html: string, importMap: string): string {
  const module = MODULE.exec(html)?.[0];
  if (module === undefined) throw new Error("the built page has no module");
  const end = html.includes(STATE) ? STATE : "</body>";
  return html.replace(module, "").replace(end, () => `${importMap}${module}\n    ${end}`);
}

function readParts(folder: string): { readonly first: string; readonly later: string } {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const later = readdirSync(folder).filter((name) => name.endsWith(".css") && name !== FIRST_PART);
  return { first: read(FIRST_PART), later: later.sort().map(read).join("") };
}

/**
 * Throws if the parts lack a name of the whole sheet, because the gallery and the baselines use the whole sheet, and
 * patients the parts.
 */
export function requireAllNames(whole: string, parts: string): void {
  const present = namesIn(parts);
  const missing = [...namesIn(whole)].filter((name) => !present.has(name));
  if (missing.length > 0) throw new Error(`the styles in parts lack ${missing.join(", ")}`);
}

/** Classes, custom properties and animations. */
function namesIn(css: string): ReadonlySet<string> {
  return new Set(css.match(/\.[a-z_][\w-]*|--[a-z][\w-]*|@keyframes [\w-]+/gi));
}

function integrityOfScripts(dir: string): Record<string, string> {
  const names = readdirSync(join(dir, ASSETS)).filter((name) => name.endsWith(".js"));
  return Object.fromEntries(
    names.sort().map((name) => [`${ASSETS}${name}`, hash("sha384", readFileSync(join(dir, ASSETS, name), "utf8"))]),
  );
}

function hash(algorithm: "sha256" | "sha384", text: string): string {
  return `${algorithm}-${createHash(algorithm).update(text).digest("base64")}`;
}
