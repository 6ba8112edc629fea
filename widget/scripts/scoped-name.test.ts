import { expect, test } from "vitest";
import { shortName, uniqueNames } from "./scoped-name.ts";

test("a class keeps its name when its file is built again", () => {
  const scopedName = uniqueNames(shortName);
  expect(scopedName("title", "src/a.module.css")).toBe(scopedName("title", "src/a.module.css"));
});

test("two classes that would get the same name fail the build", () => {
  const scopedName = uniqueNames(() => "same");
  scopedName("closable", `${import.meta.dirname}/../src/a.module.css`);
  expect(() => scopedName("input", `${import.meta.dirname}/../src/b.module.css`)).toThrow(
    "src/a.module.css.closable and src/b.module.css.input would both be named same: rename one of them",
  );
});

test("short names share no more often than chance", () => {
  const owners = Array.from({ length: 3000 }, (_, index) => `src/${index}.module.css.name`);
  const names = owners.map(shortName);
  expect(names.every((name) => /^[a-z][a-z\d]{3}$/.test(name))).toBe(true);
  // About four shared names are expected among 3,000.
  expect(owners.length - new Set(names).size).toBeLessThan(12);
});
