import { describe, expect, it } from "vitest";
import { consentPurposeSchema } from "../../contract/orders.ts";
import { clp, ZERO } from "../../contract/vocabulary/clp.ts";
import { ORDER_STATES } from "../../orders/order.ts";
import {
  effectsOf,
  keptData,
  LINK_PAUSE_MS,
  LINKS_PER_DAY,
  LINKS_PER_MAILBOX_AND_DAY,
  maySendLink,
  mustWait,
  type OrderFacts,
  owedOf,
  proofOf,
} from "./rights.ts";

function order(facts: Partial<OrderFacts> = {}): OrderFacts {
  return { state: "paid", isCreditRefused: false, owed: ZERO, hasPayments: true, isBusy: false, ...facts };
}

it("a link proves only the mailbox; an operator checks the identity", () => {
  expect(["patient", "operator:ana"].map(proofOf)).toEqual(["mailbox", "identity"]);
});

describe("the link to a patient's data", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const sent = (count: number, milliseconds: number, isTheirs = true) =>
    Array.from({ length: count }, () => ({ at: new Date(now.getTime() - milliseconds), isTheirs }));

  it("is not sent again to the patient too soon, whatever others at the same mailbox requested", () => {
    expect(maySendLink(sent(1, LINK_PAUSE_MS - 1), now)).toBe(false);
    expect(maySendLink(sent(1, LINK_PAUSE_MS), now)).toBe(true);
    expect(maySendLink(sent(1, 0, false), now)).toBe(true);
  });

  it("is sent only a few times a day to a patient and to a mailbox", () => {
    expect(maySendLink(sent(LINKS_PER_DAY - 1, LINK_PAUSE_MS), now)).toBe(true);
    expect(maySendLink(sent(LINKS_PER_DAY, LINK_PAUSE_MS), now)).toBe(false);
    expect(maySendLink(sent(LINKS_PER_MAILBOX_AND_DAY, LINK_PAUSE_MS, false), now)).toBe(false);
  });
});

describe("the data kept of a patient who requests erasure", () => {
  it("is nothing for a patient with neither orders nor consents", () => {
    expect(keptData([], false)).toEqual([]);
  });

  it("covers the contact while any order is owed or open, and not a day longer", () => {
    const waits = ORDER_STATES.filter((state) => mustWait(keptData([order(), order({ state })], true)));
    expect(waits).toEqual(["awaiting_payment", "paying", "first_captured"]);
    expect(mustWait(keptData([order({ owed: clp(1) })], false))).toBe(true);
    expect(mustWait(keptData([order({ isBusy: true })], false))).toBe(true);
    expect(mustWait(keptData([order()], true))).toBe(false);
  });

  it("covers orders from which money moved, refused credits and the proof of consents, each with its reason", () => {
    for (const state of ["payment_failed", "credit_refused", "cancelled", "expired"] as const) {
      const facts = [order(), order({ state, isCreditRefused: true, hasPayments: false })];
      expect(keptData(facts, true)).toEqual([
        { what: "orders", because: "accounting_law" },
        { what: "credit_decisions", because: "consumer_law" },
        { what: "consents", because: "proof" },
      ]);
    }
    expect(keptData([order({ state: "cancelled", hasPayments: false })], false)).toEqual([]);
  });
});

describe("the effects of a withdrawal", () => {
  const everything = { owed: clp(30_800), isBusy: false, hasAccess: true, hasSavedCards: true, openClaims: 2 };

  it.each(consentPurposeSchema.options)("%s never changes the amount owed, and names its consequences", (purpose) => {
    expect(effectsOf(purpose, everything) === null).toBe(purpose === "terms_and_credit");
  });

  it("withdrawing later_charge ends charges to the card at any time; a contract can never be withdrawn", () => {
    expect(effectsOf("later_charge", { ...everything, owed: ZERO })).toEqual([]);
    expect(effectsOf("terms_and_credit", { ...everything, owed: ZERO })).toBeNull();
    expect(effectsOf("later_charge", { ...everything, owed: ZERO, isBusy: true })).toEqual(["card_not_charged"]);
    expect(effectsOf("later_charge", everything)).toEqual(["card_not_charged"]);
  });

  it("names only consequences for things that exist", () => {
    const nothing = { owed: ZERO, isBusy: false, hasAccess: false, hasSavedCards: false, openClaims: 0 };
    expect(effectsOf("insurer_access", nothing)).toEqual([]);
    expect(effectsOf("saved_card", nothing)).toEqual([]);
    expect(effectsOf("saved_card", everything)).toEqual(["saved_cards_removed"]);
    expect(effectsOf("claim_mandate", nothing)).toEqual(["no_more_claims"]);
    expect(effectsOf("health_data", everything)).toEqual([
      "insurer_access_destroyed",
      "open_claims_stopped",
      "no_more_claims",
    ]);
  });

  it("the amount owed is the sum over all orders of the patient", () => {
    expect(owedOf([order({ owed: clp(30_800) }), order({ owed: clp(200) }), order()])).toBe(31_000);
  });
});
