import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { readBuiltWidget } from "./built-widget.ts";

/*
 * Compares the page that patients are served, with all its scripts and its policy, with what was built (PCI DSS 6.4.3
 * and 11.6.1). It runs on another machine than the one that serves, with a build of the same commit.
 */

/** Encodings in which a script lies ready; each could have been replaced alone. */
const ENCODINGS = ["identity", "gzip", "br"] as const;

/** Everything in which a served page differs from a build; none where it is the same. */
export async function compareServed(
  folder: string,
  widgetHostUrl: string,
  fetchPage: typeof fetch = fetch,
): Promise<{ readonly scripts: number; readonly differences: readonly string[] }> {
  const { template, inline } = await readBuiltWidget(folder);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetchPage(new URL(path, widgetHostUrl), { headers, redirect: "error", signal: AbortSignal.timeout(MINUTE_MS) });
  // A made-up token: the page says that it does not know it, with the same scripts as any.
  const page = await get("/?widget_token=compare");
  const differences = [
    ...scriptDifferences(scriptsIn(template), scriptsIn(await page.text())),
    ...policyDifferences(page.headers.get("content-security-policy") ?? "", inline.scripts),
  ];
  const files = await builtScripts(folder);
  for (const { path, digest } of files)
    for (const encoding of ENCODINGS) {
      const served = await get(path, { "accept-encoding": encoding });
      const isSame = served.ok && digestOf(Buffer.from(await served.arrayBuffer())) === digest;
      if (!isSame) differences.push(`${path} (${encoding}) is not what was built`);
    }
  return { scripts: files.length, differences };
}

/** Every script of a page, as it stands there, but for blocks of data. */
function scriptsIn(html: string): string[] {
  return [...html.matchAll(/<script\b[^>]*>[\s\S]*?<\/script\s*>|<script\b[^>]*\/>/gi)]
    .map(([script]) => script)
    .filter((script) => !/^<script[^>]*type="application\/json"/.test(script));
}

function scriptDifferences(built: readonly string[], served: readonly string[]): string[] {
  const name = (script: string) => /src="([^"]+)"/.exec(script)?.[1] ?? `an inline script (${digestOf(script)})`;
  return [
    ...served
      .filter((script) => !built.includes(script))
      .map((script) => `the page has ${name(script)}, which was not built`),
    ...built.filter((script) => !served.includes(script)).map((script) => `the page lacks ${name(script)}`),
  ];
}

function policyDifferences(policy: string, inlineScripts: readonly string[]): string[] {
  const directives = new Map(policy.split(";").map((directive) => splitDirective(directive.trim())));
  const wanted: Readonly<Record<string, readonly string[]>> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", ...inlineScripts],
    "connect-src": ["'self'"],
    "form-action": ["'none'"],
    "base-uri": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    "trusted-types": ["'none'"],
  };
  return Object.entries(wanted)
    .filter(([name, sources]) => directives.get(name) !== sources.join(" "))
    .map(([name]) => `the policy's ${name} is ${directives.get(name) ?? "not there"}`);
}

function splitDirective(directive: string): [name: string, sources: string] {
  const [name = "", ...sources] = directive.split(/\s+/);
  return [name, sources.join(" ")];
}

async function builtScripts(folder: string): Promise<{ readonly path: string; readonly digest: string }[]> {
  const isServed = (name: string) => name.endsWith(".js") && !name.startsWith("gallery-");
  const scripts: { path: string; digest: string }[] = [];
  for (const [within, address] of [
    ["app/assets", "/assets"],
    ["embed", "/embed"],
  ] as const)
    for (const name of (await readdir(join(folder, within))).filter(isServed).toSorted())
      scripts.push({ path: `${address}/${name}`, digest: digestOf(await readFile(join(folder, within, name))) });
  return scripts;
}

function digestOf(content: string | Uint8Array): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
