import { describe, expect, it } from "vitest";
import { explain } from "./delivery-schedule.ts";

describe("why an attempt failed", () => {
  it("names the status, and whether the endpoint refused the webhook or failed itself", () => {
    expect(explain("status", 400)).toContain("answered 400: it refuses the webhook.");
    expect(explain("status", 499)).toContain("answered 499: it refuses the webhook.");
    expect(explain("status", 500)).toContain("answered 500: it failed itself.");
  });

  it("states what prevented the answer if there is no status", () => {
    expect(explain("dns", null)).toContain("(DNS)");
    expect(explain("timeout", null)).toContain("did not answer within 10 seconds");
  });
});
