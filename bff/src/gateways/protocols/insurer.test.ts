import { expect, it } from "vitest";
import { insurerProtocol } from "./insurer.ts";

it("an approval with a negative reimbursement is no answer, because the patient's own cost would exceed the price", () => {
  const approved = { outcome: "approved", at: "2026-11-28T12:00:00.000Z" };
  const { outcome } = insurerProtocol.claim;
  expect(outcome.safeParse({ ...approved, reimbursed: 0 }).success).toBe(true);
  expect(outcome.safeParse({ ...approved, reimbursed: -1 }).success).toBe(false);
});

it.each(["0000-01-01", "1899-12-31"])("an approval on %s is no answer", (day) => {
  const approved = { outcome: "approved", at: `${day}T12:00:00.000Z`, reimbursed: 0 };
  expect(insurerProtocol.claim.outcome.safeParse(approved).success).toBe(false);
});
