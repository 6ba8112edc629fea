import { describe, expect, it } from "vitest";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import { HOUR_MS } from "../../src/contract/vocabulary/durations.ts";
import {
  amountsOf,
  commentOf,
  nextPart,
  outcomeOf,
  PART_MAX,
  type Part,
  type PartState,
  reasonOf,
  stateOf,
} from "./part.ts";

const AT = new Date("2026-11-28T12:00:00Z");

function partsOf(...states: PartState[]): readonly Part[] {
  return states.map((state, index) => ({
    transferId: "TABCDEFGHIJKLMNOPQRSTUVWX",
    part: index + 1,
    amount: clp(5_000_000),
    attempt: 0,
    state,
    fintocId: state === "planned" ? null : `tr_${index}`,
    reason: state === "failed" || state === "returned" ? "bank_unavailable" : null,
    changedAt: AT,
    paidAt: state === "paid" || state === "returned" ? AT : null,
  }));
}

describe("the parts of a transfer", () => {
  it.each([1, 6_999_999, PART_MAX, PART_MAX + 1, 14_000_001, 62_999_999])(
    "sum up to %i, and none exceeds Fintoc's limit",
    (amount) => {
      const amounts = amountsOf(clp(amount));
      expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(amount);
      expect(Math.max(...amounts)).toBeLessThanOrEqual(PART_MAX);
      expect(Math.min(...amounts)).toBeGreaterThan(0);
      expect(amounts).toHaveLength(Math.ceil(amount / PART_MAX));
    },
  );

  it("have comments of at most 40 characters that differ by transfer, part and attempt", () => {
    const reference = "AAPD 2026-11-28 Clínica de los Andes";
    const names = [
      { transferId: "TAAAAAABBB", part: 1, attempt: 0 },
      { transferId: "TCCCCCCBBB", part: 1, attempt: 0 },
      { transferId: "TAAAAAABBB", part: 2, attempt: 0 },
      { transferId: "TAAAAAABBB", part: 2, attempt: 12 },
    ];
    const comments = names.map((name) => commentOf(reference, name));
    expect(new Set(comments).size).toBe(names.length);
    for (const comment of comments) expect(comment.length).toBeLessThanOrEqual(40);
  });

  it("are sent one after the other, so that a wrong account is paid nothing", () => {
    expect(nextPart(partsOf("planned", "planned"), AT)?.part).toBe(1);
    expect(nextPart(partsOf("pending", "planned"), AT)?.part).toBe(1);
    expect(nextPart(partsOf("paid", "planned"), AT)?.part).toBe(2);
    expect(nextPart(partsOf("failed", "planned"), AT)).toBeNull();
    expect(nextPart(partsOf("returned", "planned"), AT)).toBeNull();
  });

  it("are tried again an hour after a failure only if another part was paid", () => {
    const later = new Date(AT.getTime() + HOUR_MS);
    expect(nextPart(partsOf("paid", "failed"), AT)).toBeNull();
    expect(nextPart(partsOf("paid", "failed"), later)?.part).toBe(2);
    expect(nextPart(partsOf("failed", "planned"), later)).toBeNull();
    const closed = partsOf("paid", "failed").map((part) => ({
      ...part,
      reason: part.reason && ("account_closed" as const),
    }));
    expect(nextPart(closed, later)).toBeNull();
  });
});

describe("the outcome of a transfer", () => {
  const transfer = { id: "T1", amount: clp(10_000_000), at: AT, begunAt: AT };

  it.each<[outcome: string, states: PartState[]]>([
    ["pending", ["planned", "planned"]],
    ["pending", ["paid", "planned"]],
    ["pending", ["paid", "failed"]],
    ["pending", ["pending", "planned"]],
    ["sent", ["paid", "paid"]],
    ["sent", ["paid", "returned"]],
    ["refused", ["failed", "planned"]],
    ["refused", ["returned", "failed"]],
    ["returned", ["returned", "returned"]],
  ])("is %s for parts that are %j", (outcome, states) => {
    expect(outcomeOf(transfer, partsOf(...states))).toMatchObject({ outcome });
  });
});

describe("Fintoc's words", () => {
  it.each([
    ["recipient_account_not_found", "account_unknown"],
    ["invalid_recipient_account", "account_unknown"],
    ["recipient_account_closed", "account_closed"],
    ["recipient_account_disabled_for_tef", "account_not_enabled"],
    ["account_type_not_enabled", "account_not_enabled"],
    ["product_account_not_enabled", "account_not_enabled"],
    ["invalid_recipient_holder_id", "holder_differs"],
    ["invalid_holder_id_account_relationship", "holder_differs"],
    ["recipient_institution_timeout", "bank_unavailable"],
    ["recipient_institution_unavailable", "bank_unavailable"],
    ["something_new", "other"],
  ])("read %s as %s", (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it("take a new status as pending, since it proves neither a payment nor a failure", () => {
    expect(stateOf({ status: "return_pending" })).toEqual({ state: "pending", reason: null });
  });
});
