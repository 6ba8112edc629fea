import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyReleased, integrityOf, ReleaseRefused, release } from "./released.ts";

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aapd-released-"));
  for (const name of ["dist", "released"]) mkdirSync(at(name));
  writeBuild("first");
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeBuild(content: string): void {
  for (const name of ["v1.js", "v1.classic.js"]) writeFileSync(at(`dist/${name}`), `${name} ${content}`);
}
const copy = () => copyReleased(at("released"), at("dist"));

describe("a released version of the kit", () => {
  it("keeps its bytes when the kit has changed since", () => {
    expect(release("1.4.0", at("dist"), at("released"))).toEqual(["1.4.0.js", "1.4.0.classic.js"]);
    writeBuild("second");
    release("1.5.0", at("dist"), at("released"));
    expect(copy()).toEqual(["1.4.0.js", "1.4.0.classic.js", "1.5.0.js", "1.5.0.classic.js"]);
    expect(readFileSync(at("dist/1.4.0.js"), "utf8")).toBe("v1.js first");
    expect(readFileSync(at("dist/1.5.0.classic.js"), "utf8")).toBe("v1.classic.js second");
  });

  it("is not released again", () => {
    release("1.4.0", at("dist"), at("released"));
    writeBuild("second");
    expect(() => release("1.4.0", at("dist"), at("released"))).toThrow(ReleaseRefused);
    expect(readFileSync(at("released/1.4.0.js"), "utf8")).toBe("v1.js first");
  });

  it.each([
    ["have changed", () => writeFileSync(at("released/1.4.0.js"), "v1.js firsT")],
    ["are gone", () => rmSync(at("released/1.4.0.js"))],
  ])("fails the build when its bytes %s", (_what, meddle) => {
    release("1.4.0", at("dist"), at("released"));
    meddle();
    expect(copy).toThrow(ReleaseRefused);
  });

  it("does not exist before the first release", () => {
    expect(copy()).toEqual([]);
  });
});

it("the released files in this repository match released.json", () => {
  const released = join(import.meta.dirname, "../released");
  const list: Record<string, string> = JSON.parse(readFileSync(join(released, "released.json"), "utf8"));
  expect(Object.keys(list)).toContain("0.1.0.js");
  for (const [name, integrity] of Object.entries(list)) {
    expect(integrityOf(readFileSync(join(released, name))), name).toBe(integrity);
  }
});
