import { expect, it } from "vitest";
import type { ListedException } from "../exceptions/exception.ts";
import { shownExceptions } from "./exception-commands.ts";

const exception: ListedException = {
  kind: "difference",
  providerId: "0d5f8a6e-9b5c-4f0e-8d67-0c8e2f7a1b11",
  subject: "x",
  orderId: null,
  since: new Date(0),
  ageSeconds: 0,
  facts: {},
};
const listed = (length: number) => shownExceptions(Array.from({ length }, () => exception));

it("a list of exceptions says when it is truncated", () => {
  expect(listed(500).lines.at(-1)).toMatch(/^Only the oldest 500 are listed; there may be more/);
  expect(listed(500).json).toMatchObject({ only_oldest: 500 });
  expect(listed(499).lines.join()).not.toContain("oldest");
  expect(listed(499).json).not.toHaveProperty("only_oldest");
  expect(listed(0)).toEqual({ json: { exceptions: [] }, lines: ["There are no exceptions."] });
});
