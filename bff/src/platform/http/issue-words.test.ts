import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createOrderRequestSchema } from "../../contract/orders.ts";
import { issueWords } from "./issue-words.ts";

function wordsFor(schema: z.ZodMiniType, value: unknown): readonly string[] {
  const result = schema.safeParse(value, { error: issueWords });
  return result.error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim()) ?? [];
}

describe("the words of a refused value", () => {
  it.each<[string, z.ZodMiniType, unknown, string]>([
    ["nothing", z.string(), undefined, "is missing"],
    ["another type", z.string(), 7, "must be a text"],
    ["half a peso", z.int(), 0.5, "must be a whole number"],
    ["no list", z.array(z.string()), {}, "must be a list"],
    ["an unknown word", z.enum(["a", "b"]), "c", 'must be one of "a", "b"'],
    ["another constant", z.literal("a"), "c", 'must be "a"'],
    ["an empty text", z.string().check(z.minLength(1)), "", "must not be empty"],
    ["a long text", z.string().check(z.maxLength(2)), "abc", "must have at most 2 characters"],
    ["a short list", z.array(z.string()).check(z.minLength(2)), [], "must have at least 2 items"],
    ["a small number", z.int().check(z.gte(1)), 0, "must be at least 1"],
    ["a number at an open limit", z.number().check(z.lt(5)), 5, "must be less than 5"],
    ["no UUID", z.uuid(), "x", "must be a UUID"],
    ["another pattern", z.string().check(z.regex(/^\d$/)), "x", "must match /^\\d$/"],
    ["no multiple", z.number().check(z.multipleOf(5)), 3, "must be a multiple of 5"],
    ["none of two types", z.union([z.int(), z.string()]), true, "must be a number, or must be a text"],
    ["a bad one of two types", z.union([z.int(), z.string().check(z.regex(/^\d+$/))]), "x", "must match /^\\d+$/"],
  ])("say what it must be: %s", (_what, schema, value, words) => {
    expect(wordsFor(schema, value)).toEqual([words]);
  });

  it("name each field of an order in the schema's own words, or in ours", () => {
    const words = wordsFor(createOrderRequestSchema, { reference: 7, total_amount: "mucho", customer: { rut: "1-1" } });
    expect(words).toEqual(
      expect.arrayContaining(["reference must be a text", expect.stringMatching(/^total_amount must /)]),
    );
    for (const one of words) expect(one).not.toMatch(/Invalid|expected|received/);
  });
});
