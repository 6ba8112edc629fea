import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The repository's files, as git lists them, that exist. */
export function listTrackedFiles(repository: string): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split("\n").filter((path) => path !== "" && existsSync(join(repository, path)));
}

/** The words of the last column of the glossary's tables, each split like a name: `["give", "back"]`. */
export function retiredWords(glossary: string): string[][] {
  return [...glossary.matchAll(/^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm)]
    .flatMap(([, cell = ""]) => cell.split(","))
    .map((word) => word.trim())
    .filter((word) => /^[a-z][a-zA-Z]*$/.test(word))
    .map(humpsOf);
}

/** The identifiers of TypeScript code, without comments and texts. */
export function namesIn(code: string): string[] {
  const bare = code
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(?<![:\\"'`])\/\/.*$/gm, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "")
    .replaceAll(/`(?:[^`\\]|\\.)*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, expression = ""]) => expression).join(" "),
    );
  return [...new Set(bare.match(/[A-Za-z_$][\w$]*/g) ?? [])];
}

/**
 * The names that contain a retired word, in the singular or with an `s`. Skips names in snake case, which belong to
 * columns and the wire.
 */
export function retiredIn(names: readonly string[], retired: readonly (readonly string[])[]): string[] {
  return names.filter((name) => {
    if (/[a-z]_|_[a-z]/.test(name)) return false;
    const humps = humpsOf(name);
    return retired.some((word) => holds(humps, word));
  });
}

function holds(humps: readonly string[], word: readonly string[]): boolean {
  return humps.some((_hump, at) =>
    word.every((part, place) => humps[at + place] === part || humps[at + place] === `${part}s`),
  );
}

/** `findOpenMatters` and `FIND_OPEN_MATTERS` both become find, open, matters. */
function humpsOf(name: string): string[] {
  const parts = /^[A-Z0-9_$]+$/.test(name) ? name.split("_") : (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []);
  return parts.filter((part) => part !== "").map((part) => part.toLowerCase());
}

/** Documents that the code once cited, but that no repository contains. */
export function citedPapers(text: string): string[] {
  const sections = /\b(?:decisions|interface|spec)(?:'s)?,? (?:sections? \d|\d+\.\d|\d+(?=[);,]))[\d.]*/gi;
  const names = /(?<![\w/-])(?:widget|architecture|chile|stack|house-style|interface|decisions)\.md\b/g;
  return [...(text.match(sections) ?? []), ...(text.match(names) ?? [])];
}

/** The paths that a text cites: documents and sources between backticks, and documents after `docs/` anywhere. */
export function citedPaths(text: string): string[] {
  const quoted = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:md|tsx?|mjs|sql))`/g)].map(([, path = ""]) => path);
  const documents = [...text.matchAll(/(?<![\w/`.}-])((?:\w+\/)?docs\/(?:[\w-]+\/)*[\w-]+\.md)\b/g)].map(
    ([, path = ""]) => path,
  );
  return [...new Set([...quoted.filter((path) => path.includes("/") || path.endsWith(".md")), ...documents])];
}

/** The relative links of a Markdown document: `[text](path#heading)`. */
export function relativeLinks(markdown: string): { readonly path: string; readonly heading: string | null }[] {
  const links = [...markdown.matchAll(/\]\((?![a-z]+:|\/)([^()\s#]*)(?:#([^()\s]+))?\)/g)];
  return links.map(([, path = "", heading = null]) => ({ path, heading }));
}

/** The anchors that GitHub gives to the headings of a Markdown document. */
export function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
