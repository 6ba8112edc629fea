import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unknownEqualMutants } from "./equal-mutants.ts";

it("every mutant that is listed as equal is still one of its file", () => {
  expect(unknownEqualMutants(fileURLToPath(new URL("../..", import.meta.url)))).toEqual([]);
});
