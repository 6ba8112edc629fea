import { describe, expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { loanStatus } from "./loans-view.ts";

const open = { paidAt: new Date("2026-11-21T15:00:00Z"), outstanding: clp(28_000), writtenOff: clp(0), repaid: clp(0) };
const ended = { ...open, outstanding: clp(0) };
const day45 = new Date("2027-01-05T12:00:00Z");
const released = new Date("2027-02-02T12:00:00Z");
const approved = new Date("2026-12-03T12:00:00Z");

describe("a loan at the end of a day", () => {
  it.each([
    ["is due on day 45", open, "2027-01-05", null, "2027-01-05", "current", 0],
    ["is overdue after day 45", open, "2027-01-06", day45, "2027-01-05", "overdue", 1],
    ["is due when the claim is approved", open, "2026-12-03", approved, "2026-12-03", "current", 0],
    ["is overdue after that day", open, "2026-12-10", approved, "2026-12-03", "overdue", 7],
    ["is held while the service has not made it due", open, "2027-02-01", null, "2027-01-05", "held", 0],
    ["is due when the service makes it due", open, "2027-02-03", released, "2027-02-02", "overdue", 1],
    ["is paid", { ...ended, repaid: clp(28_000) }, "2027-02-01", approved, "2026-12-03", "paid", 0],
    [
      "is paid in part, and cancelled for the rest",
      { ...ended, repaid: clp(1) },
      "2027-02-01",
      null,
      "2027-01-05",
      "paid",
      0,
    ],
    ["is written off", { ...ended, writtenOff: clp(28_000) }, "2027-02-01", day45, "2027-01-05", "written_off", 0],
    ["is cancelled by refunds", ended, "2026-12-01", null, "2027-01-05", "cancelled", 0],
  ] as const)("%s", (_case, loan, day, dueAt, dueOn, status, daysOverdue) => {
    expect(loanStatus(loan, { day, dueAt, isHeld: false })).toEqual({ dueOn, status, daysOverdue });
  });

  it("is held, not overdue, while a charge is disputed or the patient's data is blocked", () => {
    const late = loanStatus(open, { day: "2027-01-06", dueAt: day45, isHeld: true });
    expect(late).toEqual({ dueOn: "2027-01-05", status: "held", daysOverdue: 0 });
    expect(loanStatus(open, { day: "2027-01-05", dueAt: day45, isHeld: true }).status).toBe("current");
  });
});
