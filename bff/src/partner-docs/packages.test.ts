import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createProgram } from "../../packages/server/src/dev/program.ts";
import { SCENARIOS } from "../../packages/server/src/dev/scenarios.ts";
import * as server from "../../packages/server/src/index.ts";
import { PACKAGES, PACKAGES_VERSION, RELEASED_PACKAGES, readServedPackages, tarballUrl } from "./packages.ts";
import { GUIDE_FOLDER } from "./pages/pages.ts";

const repository = join(import.meta.dirname, "../../..");
const folders = {
  "@aapd/server": "bff/packages/server",
  "@aapd/embed": "widget/packages/embed",
  "@aapd/react": "widget/packages/react",
  "@aapd/e2e": "e2e/packages/e2e",
};
const readManifest = (folder: string) => JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8"));
const read = (...path: string[]) => readFileSync(join(GUIDE_FOLDER, ...path), "utf8");

describe("the packages that the guide names", () => {
  it.each(PACKAGES)("have the same version: $name", ({ name }) => {
    expect(readManifest(folders[name])).toMatchObject({ name, version: PACKAGES_VERSION });
  });

  it("require the versions that the guide states", () => {
    const policy = read("en", "policy.md");
    const node = readManifest(folders["@aapd/server"]).engines.node;
    expect(readManifest(folders["@aapd/e2e"]).engines.node).toBe(node);
    expect(policy).toContain(`Node ${node.replace(/^>=|\.0$/g, "")} or later`);
    expect(policy).toContain(`React ${readManifest(folders["@aapd/react"]).peerDependencies.react.slice(2)} or later`);
    const kit = readFileSync(join(repository, "widget/embed/README.md"), "utf8");
    const browsers = "Supported browsers: Chrome and Edge 105, Firefox 121, Safari 16.4, and later.";
    for (const text of [policy, kit]) expect(text).toContain(browsers);
  });
});

describe("the guide and the packages of the same build", () => {
  const program = createProgram({
    folder: "",
    signal: new AbortController().signal,
    write: () => undefined,
    writeError: () => undefined,
  });
  const commands = new Map(
    program.commands.map((command) => [command.name(), new Set(command.options.map(({ long }) => long))]),
  );
  const pages = ["en", "es"].flatMap((language) =>
    readdirSync(join(GUIDE_FOLDER, language)).map((file): [string, string] => [
      `${language}/${file}`,
      read(language, file),
    ]),
  );
  const texts: [string, string][] = [...pages, ["SKILL.md", read("..", "SKILL.md")]];
  // In the table, a row about `aapd-dev receipt HASH`, `refund HASH` names two.
  const callsIn = (text: string) =>
    [/aapd-dev ([a-z]+)([^`\n]*)/g, /^\| `aapd-dev [^|`]*`, `([a-z]+)([^`\n]*)/gm]
      .flatMap((pattern) => [...text.matchAll(pattern)])
      .map(([, name = "", rest = ""]) => ({ name, rest }));

  it("has commands", () => expect(texts.flatMap(([, text]) => callsIn(text)).length).toBeGreaterThan(20));

  it.each(texts)("%s names only commands and options of aapd-dev that exist", (_name, text) => {
    for (const { name, rest } of callsIn(text)) {
      const options = commands.get(name);
      expect(options, name).toBeDefined();
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect([...(options ?? [])]).toContain(option);
    }
  });

  it("names every command of aapd-dev in its table", () => {
    const named = new Set(callsIn(read("en", "tools.md")).map(({ name }) => name));
    expect([...commands.keys()].filter((name) => !named.has(name))).toEqual([]);
  });

  it.each(texts)("%s names only scenarios that trigger plays", (_name, text) => {
    const scenarios = SCENARIOS.map(({ name }) => name);
    for (const [, name = ""] of text.matchAll(/aapd-dev trigger ([a-z_]+)(?![\w.])/g))
      expect(scenarios).toContain(name);
    const [, list = ""] = /`npx aapd-dev trigger paid`, and\n(.*)\./.exec(text) ?? [];
    for (const [, name = ""] of list.matchAll(/`(\w+)`/g)) expect(scenarios).toContain(name);
  });

  it.each(texts)("%s imports only what @aapd/server exports", (_name, text) => {
    for (const [, names = ""] of text.matchAll(/import \{([^}]*)\} from "@aapd\/server"/g))
      for (const name of names.split(",")) expect(Object.keys(server)).toContain(name.trim());
    for (const [, name = ""] of text.matchAll(/`(\w+)`\s+of\s+`@aapd\/server`/g))
      expect(Object.keys(server)).toContain(name);
  });
});

describe("the addresses of packages in the guide", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
  });

  function builtPackages(...next: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), "packages-"));
    made.push(folder);
    mkdirSync(join(folder, "next"));
    for (const file of next) writeFileSync(join(folder, "next", file), "");
    return folder;
  }

  it("lead to the released packages where the build has the same", () => {
    const released = readServedPackages(builtPackages(`aapd-server-${PACKAGES_VERSION}.tgz`));
    expect(released).toEqual(RELEASED_PACKAGES);
    expect(tarballUrl("@aapd/server", "https://w.example", released)).toBe(
      `https://w.example/packages/aapd-server-${PACKAGES_VERSION}.tgz`,
    );
  });

  it("lead to this build's packages where they differ, so that the guide matches what it installs", () => {
    const preview = readServedPackages(builtPackages("aapd-embed-9.0.0-next-ab.tgz", "aapd-server-9.0.0-next-ab.tgz"));
    expect(preview).toEqual({ version: "9.0.0-next-ab", isPreview: true });
    expect(tarballUrl("@aapd/react", "https://w.example", preview)).toBe(
      "https://w.example/packages/next/aapd-react-9.0.0-next-ab.tgz",
    );
  });

  it.each([
    ["no widget", () => null],
    ["a widget without packages", () => "/nowhere"],
    ["an empty folder", () => builtPackages()],
  ])("lead to the released packages with %s", (_what, folder) => {
    expect(readServedPackages(folder())).toEqual(RELEASED_PACKAGES);
  });
});
