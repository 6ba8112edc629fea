/** The code uses the glossary's words, and every document or file that is cited exists. */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  anchorsOf,
  citedPapers,
  citedPaths,
  listTrackedFiles,
  namesIn,
  relativeLinks,
  retiredIn,
  retiredWords,
} from "./words.ts";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const files = listTrackedFiles(repository);
/** An applied migration never changes, not even its comments, because its hash identifies it. */
const isMigration = (path: string) => path.startsWith("bff/migrations/");
/** Whether a path is one of this test's own examples. */
const isOwn = (path: string) => path.startsWith("bff/test/words.");
const sources = files.filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !isOwn(path));
const texts = files.filter(
  (path) => /\.(?:tsx?|mjs|md|sql|css|html|jsx)$/.test(path) && !isOwn(path) && !isMigration(path),
);

describe("the glossary", () => {
  const retired = retiredWords(read("bff/docs/start/glossary.md"));

  it("has retired words", () => expect(retired.length).toBeGreaterThan(10));

  it.each([
    ["const matter = 1;", ["matter"]],
    ["function findMatters() {}", ["findMatters"]],
    ["interface OutsideCall {}", ["OutsideCall"]],
    ["const EVERY_MATTER_KIND = 1;", ["EVERY_MATTER_KIND"]],
    ["// matter\nconst formatters = `" + "$" + "{row.matters} matter`;", ["matters"]],
    ['const text = "no matter"; // a matter of taste', []],
    ["const handled_matters = 1;", []],
  ])("finds retired words only in the names of %j", (code, found) => {
    expect(retiredIn(namesIn(code), retired)).toEqual(found);
  });

  it("is followed by the name of every file", () => {
    const names = files
      .filter((path) => !isMigration(path))
      .map((path) => basename(path).replaceAll(/[-.]/g, "_").toUpperCase());
    expect(retiredIn(names, retired)).toEqual([]);
  });

  it("is followed by every identifier", () => {
    const found = sources.flatMap((path) => retiredIn(namesIn(read(path)), retired).map((name) => `${path}: ${name}`));
    expect(found).toEqual([]);
  });
});

it("an error's name is its class's name", () => {
  const named = sources.flatMap((path) =>
    [...read(path).matchAll(/class (\w+) extends \w+ \{\s*override readonly name = "(\w+)"/g)].map(
      ([, className, name]) => ({ className, name }),
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ className, name }) => className !== name)).toEqual([]);
});

describe("a citation", () => {
  it.each([
    ["as it is (decisions, section 4)", ["decisions, section 4"]],
    ["interface 4.1 has it", ["interface 4.1"]],
    ["the rules of widget.md", ["widget.md"]],
    ["in `docs/rules.md`, section by section", []],
  ])("is found in %j if the paper is not in the repository", (text, found) => expect(citedPapers(text)).toEqual(found));

  it("names no paper that is not in the repository", () => {
    expect(texts.flatMap((path) => citedPapers(read(path)).map((paper) => `${path}: ${paper}`))).toEqual([]);
  });

  it("leads to an existing file", () => {
    const lost = texts.flatMap((path) =>
      citedPaths(read(path))
        .filter((cited) => !leadsSomewhere(path, cited))
        .map((cited) => `${path}: ${cited}`),
    );
    expect(lost).toEqual([]);
  });
});

describe("a link of a document", () => {
  it("is read with its heading, without addresses of the web", () => {
    expect(relativeLinks("[a](b.md#c-d) [e](#f) [g](https://h.cl/i#j) [k](/docs/l)")).toEqual([
      { path: "b.md", heading: "c-d" },
      { path: "", heading: "f" },
    ]);
  });

  it("leads to a file that exists and to a heading in it", () => {
    const documents = files.filter((path) => path.endsWith(".md") && !/\/released\/|\/site\/guide\//.test(path));
    const lost = documents.flatMap((path) =>
      relativeLinks(read(path))
        .filter((link) => isLostLink(path, link))
        .map((link) => `${path}: ${link.path}#${link.heading ?? ""}`),
    );
    expect(lost).toEqual([]);
  });
});

function isLostLink(from: string, { path, heading }: ReturnType<typeof relativeLinks>[number]): boolean {
  const target = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(repository, target))) return true;
  return heading !== null && target.endsWith(".md") && !anchorsOf(read(target)).includes(heading);
}

/** A path may be relative to the repository, to the package of the file that cites it, or to that file. */
function leadsSomewhere(from: string, cited: string): boolean {
  const [packageName = ""] = from.split("/");
  const starts = [
    "",
    packageName,
    `${packageName}/docs`,
    ...["start", "how-to", "reference", "decisions"].map((shelf) => `${packageName}/docs/${shelf}`),
    "bff",
    "bff/docs",
    "bff/src",
    "bff/src/gateways",
    dirname(from),
  ];
  return starts.some((start) => existsSync(join(repository, start, cited)));
}
