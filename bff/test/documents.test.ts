import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { connectorCommands } from "../connectors/kit/connector-commands.ts";
import { schema } from "../src/app/config.ts";
import { runCommand } from "../src/app/run-command.ts";
import { readKeyringFile } from "../src/platform/keyring-file.ts";

/* Compares the repository's documents with its files. */
const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

/** The partner guide and the decisions are not counted. Shorten something before you add more. */
const WORDS_MAX = { all: 28_000, byHand: 25_000 };
const WRITTEN_BY_CODE = ["configuration", "hostile-uploads", "order-states", "retention", "round-trips", "scale"].map(
  (name) => `reference/${name}.md`,
);

/** The values in backticks in the first column of a document's tables. */
function namesInTables(text: string): string[] {
  const cells = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

describe("code for partners", () => {
  it.each(["README.md", "widget/embed/README.md", "bff/docs/site/page.html"])(
    "the sample page in %s has no inline script, which its own policy would refuse",
    (path) => {
      const scripts = [...read(path).matchAll(/<script\b([^>]*)>([^<]*)<\/script>/g)];
      expect(scripts).not.toEqual([]);
      for (const [whole, attributes = "", content = ""] of scripts) {
        expect(attributes, whole).toContain("src=");
        expect(content.trim(), whole).toBe("");
      }
    },
  );

  it("the page objects of @aapd/e2e import only Playwright and each other", () => {
    const exported = [...read("e2e/packages/e2e/src/index.ts").matchAll(/kit\/([\w-]+\.ts)"/g)];
    const files = [...exported.map(([, file = ""]) => file), "words.ts"];
    expect(files).toContain("checkout-frame.ts");
    for (const file of files) {
      const imported = [...read(`e2e/kit/${file}`).matchAll(/ from "([^"]+)"/g)].map(([, from = ""]) => from);
      expect(["@playwright/test", ...files.map((each) => `./${each}`)], file).toEqual(expect.arrayContaining(imported));
    }
  });
});

describe("the documents of the service", () => {
  const shelves = ["start", "how-to", "reference"];
  const documents = shelves.flatMap((shelf) =>
    readdirSync(new URL(`bff/docs/${shelf}`, root)).map((name) => `${shelf}/${name}`),
  );
  const decisions = readdirSync(new URL("bff/docs/decisions", root)).filter((name) => /^\d{4}-/.test(name));

  it("the index leads to each, to the how-tos of developers by their folder", () => {
    const index = read("bff/docs/README.md");
    const missing = documents.filter((path) => !index.includes(`(${path})`) && !path.startsWith("how-to/new-"));
    expect(missing).toEqual([]);
    expect(index).toContain("(how-to/)");
  });

  it(`have at most ${WORDS_MAX.all} words, ${WORDS_MAX.byHand} of them written by hand`, () => {
    const wordsOf = (paths: readonly string[]) =>
      paths.flatMap((path) => read(`bff/docs/${path}`).split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word))
        .length;
    const all = wordsOf(["README.md", ...documents]);
    expect(all).toBeLessThanOrEqual(WORDS_MAX.all);
    expect(all - wordsOf(WRITTEN_BY_CODE)).toBeLessThanOrEqual(WORDS_MAX.byHand);
  });

  it("have at most 45 decisions, each in the index of decisions", () => {
    const index = read("bff/docs/decisions/README.md");
    expect(decisions.filter((name) => !index.includes(`(${name})`))).toEqual([]);
    expect(decisions.length).toBeLessThanOrEqual(45);
  });
});

describe("installing the service", () => {
  it("configuration.md lists exactly the variables that are read", () => {
    const variables = Object.keys(schema.shape);
    expect(namesInTables(read("bff/docs/reference/configuration.md")).toSorted()).toEqual(
      variables.filter((name) => name !== "INIT_CWD").toSorted(),
    );
  });

  it("going-to-production.md creates a keyring that the service can read", async () => {
    const document = read("bff/docs/start/going-to-production.md");
    const script = /^ *node -p '(.+)' > keyring\.json/m.exec(document)?.[1] ?? "";
    const made: unknown = runInNewContext(script, { require: () => ({ randomBytes }) });
    const folder = await mkdtemp(join(tmpdir(), "aapd-keyring-"));
    await writeFile(join(folder, "keyring.json"), `${String(made)}\n`);
    expect(await readKeyringFile(join(folder, "keyring.json"))).toMatchObject([{ id: "2026-11" }]);
    await rm(folder, { recursive: true });
  });
});

describe("the operator's commands in the documents", () => {
  const documents = ["start/going-to-production", "reference/configuration", "reference/exceptions"].map(
    (name) => `bff/docs/${name}.md`,
  );
  const shown = documents.flatMap((path) =>
    [...read(path).matchAll(/`(?:pnpm )?aapd ([^`]+)`/g)].map(([, line = ""]) => ({ path, line })),
  );

  it.each(shown.filter(({ line }) => /^[a-z]/.test(line)))("$path: aapd $line exists", async ({ line }) => {
    const words = line.split(" ");
    const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
    const command = end === -1 ? words : words.slice(0, end);
    let help = "";
    const terminal = { write: (text: string) => (help += text), writeError: (text: string) => (help += text) };
    await runCommand(terminal, [...command, "--help"], [connectorCommands]);
    expect(help).toContain(`Usage: aapd ${command.join(" ")} `);
    for (const option of line.match(/--[a-z-]+/g) ?? []) expect(help).toContain(`${option} `);
  });
});
