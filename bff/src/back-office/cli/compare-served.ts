import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { readBuiltWidget } from "../../frame/open-widget.ts";

/*
 * Compares the served page, with its scripts and policy, with a build (PCI DSS 6.4.3 and 11.6.1). It must run on
 * another machine than the server, with a build of the same commit.
 */

/** The encodings in which a script is stored. Each could have been replaced separately. */
const ENCODINGS = ["identity", "gzip", "br"] as const;

/** Every difference between a served page and a build; empty if there is none. */
export async function compareServed(
  folder: string,
  widgetHostUrl: string,
  fetchPage: typeof fetch = fetch,
): Promise<{ readonly scripts: number; readonly differences: readonly string[] }> {
  const { template, inline } = await readBuiltWidget(folder);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetchPage(new URL(path, widgetHostUrl), { headers, redirect: "error", signal: AbortSignal.timeout(MINUTE_MS) });
  // A made-up token. Its page has the same scripts as any other.
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
      if (!isSame) differences.push(`${path} (${encoding}) differs from the build`);
    }
  return { scripts: files.length, differences };
}

/** Every script of a page, except data blocks. */
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
