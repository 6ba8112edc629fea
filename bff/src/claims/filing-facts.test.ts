import { expect, test } from "vitest";
import { type FilingFacts, lackingOf, unapprovedBecause } from "./filing-facts.ts";

const filed = { state: "filed", wasFiled: true, isBlocked: false } as const;
const waiting: FilingFacts = {
  order: "paid",
  expense: "received",
  claim: { state: "ready", wasFiled: false, isBlocked: false },
  hasAccess: true,
  isWithdrawn: false,
  documents: [],
  rejectionCode: null,
};
const nothingSent = { ...waiting, expense: null, claim: null };

test.each<[string, FilingFacts]>([
  ["order was refunded", { ...nothingSent, order: "refunded" }],
  ["patient has withdrawn a required consent", { ...nothingSent, isWithdrawn: true }],
  ["claim was filed", { ...waiting, expense: null, hasAccess: false, claim: filed }],
  [
    "claim was stopped",
    { ...waiting, expense: null, hasAccess: false, claim: { ...filed, state: "stopped", wasFiled: false } },
  ],
])("a claim lacks nothing if its %s", (_why, facts) => expect(lackingOf(facts)).toBeNull());

test.each<[string, FilingFacts, ReturnType<typeof lackingOf>, ReturnType<typeof unapprovedBecause>]>([
  ["the receipt", nothingSent, { access: false, paper: "receipt" }, "no_receipt"],
  ["the receipt and access", { ...nothingSent, hasAccess: false }, { access: true, paper: "receipt" }, "no_receipt"],
  [
    "the receipt, for an unregistered patient",
    { ...nothingSent, hasAccess: null },
    { access: false, paper: "receipt" },
    "no_receipt",
  ],
  ["access", { ...waiting, hasAccess: false }, { access: true, paper: null }, "no_access"],
  [
    "access, if the insurer has none",
    { ...waiting, claim: { ...filed, state: "access_missing", wasFiled: false } },
    { access: true, paper: null },
    "no_access",
  ],
  [
    "access, if the service has it and the insurer does not",
    { ...waiting, hasAccess: true, claim: { ...filed, state: "access_missing", wasFiled: false } },
    { access: true, paper: null },
    "no_access",
  ],
  [
    "access, before the claim exists",
    { ...waiting, claim: null, hasAccess: false },
    { access: true, paper: null },
    "no_access",
  ],
  ["a document", { ...waiting, expense: "held", claim: null }, { access: false, paper: "document" }, "no_document"],
  ["nothing while the portal is down", waiting, null, "portal_down"],
  ["nothing for an unregistered patient", { ...waiting, claim: null, hasAccess: null }, null, "no_access"],
  [
    "nothing while access is blocked",
    { ...waiting, claim: { ...filed, state: "access_blocked", wasFiled: false, isBlocked: true } },
    null,
    "access_blocked",
  ],
  ["nothing while the insurer decides", { ...waiting, claim: filed }, null, "no_answer"],
  [
    "nothing if access was blocked after the filing",
    { ...waiting, claim: { ...filed, isBlocked: true } },
    null,
    "access_blocked",
  ],
  ["nothing once rejected", { ...waiting, claim: { ...filed, state: "rejected" } }, null, "rejected"],
  ["nothing after the patient has withdrawn", { ...nothingSent, isWithdrawn: true }, null, "withdrawn"],
  ["nothing once given up", { ...waiting, claim: { ...filed, state: "stopped", wasFiled: false } }, null, "given_up"],
  ["nothing once taken back", { ...waiting, claim: { ...filed, state: "stopped" } }, null, "taken_back"],
  ["nothing once it is not followed", { ...waiting, claim: filed, isWithdrawn: true }, null, "not_followed"],
  ["nothing after a full refund", { ...nothingSent, order: "refunded" }, null, "portal_down"],
])("a claim lacks %s", (_name, facts, lacking, because) => {
  expect(lackingOf(facts)).toEqual(lacking);
  expect(unapprovedBecause(facts)).toBe(because);
});
