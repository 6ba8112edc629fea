import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { consoleEndpoints } from "./console-endpoints.ts";
import { inSpanish } from "./sentences.ts";

const { readAudit, readTrialBalance } = consoleEndpoints;

describe("a day that cannot be read has one message, which has a translation", () => {
  it.each(["hoy", "2026-02-30", "0000-01-01", "2026-1-1", "2026-11-20T00:00:00Z"])("%s", (at) => {
    expectOneMessage(readTrialBalance.query.safeParse({ at }), "must be a day such as 2026-11-20");
  });
});

describe("a time that cannot be read, or is of another century, has one message, which has a translation", () => {
  it.each(["ayer", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])("%s", (before) => {
    expectOneMessage(readAudit.query.safeParse({ before }), "must be a time such as 2026-11-20T12:00:00Z");
  });
});

function expectOneMessage({ error }: z.ZodSafeParseResult<unknown>, message: string): void {
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  expect(inSpanish(message)).not.toBeNull();
}
