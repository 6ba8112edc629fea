import { describe, expect, it } from "vitest";
import { consoleEndpoints } from "./console-endpoints.ts";
import { inSpanish } from "./sentences.ts";

describe("a day that cannot be read has one message, which has a translation", () => {
  it.each(["hoy", "2026-02-30", "0000-01-01", "2026-1-1", "2026-11-20T00:00:00Z"])("%s", (at) => {
    const messages = consoleEndpoints.readTrialBalance.query
      .safeParse({ at })
      .error?.issues.map(({ message }) => message);
    expect(messages).toEqual(["must be a day such as 2026-11-20"]);
    expect(messages?.map(inSpanish)).not.toContain(null);
  });
});
