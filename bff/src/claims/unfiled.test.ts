import { expect, test } from "vitest";
import { type FilingFacts, lackingOf, unapprovedBecause } from "./unfiled.ts";

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
  ["order was given back", { ...nothingSent, order: "refunded" }],
  ["patient has withdrawn what it needs", { ...nothingSent, isWithdrawn: true }],
  ["claim was filed", { ...waiting, expense: null, hasAccess: false, claim: filed }],
  [
    "claim was stopped",
    { ...waiting, expense: null, hasAccess: false, claim: { ...filed, state: "stopped", wasFiled: false } },
  ],
])("a claim lacks nothing whose %s", (_why, facts) => expect(lackingOf(facts)).toBeNull());

test.each<[string, FilingFacts, ReturnType<typeof lackingOf>, ReturnType<typeof unapprovedBecause>]>([
  ["the receipt", nothingSent, { access: false, paper: "receipt" }, "no_receipt"],
  ["receipt and access", { ...nothingSent, hasAccess: false }, { access: true, paper: "receipt" }, "no_receipt"],
  [
    "the receipt of nobody known",
    { ...nothingSent, hasAccess: null },
    { access: false, paper: "receipt" },
    "no_receipt",
  ],
  ["access", { ...waiting, hasAccess: false }, { access: true, paper: null }, "no_access"],
  [
    "access that the insurer misses",
    { ...waiting, claim: { ...filed, state: "access_missing", wasFiled: false } },
    { access: true, paper: null },
    "no_access",
  ],
  [
    "access that the service keeps and the insurer misses",
    { ...waiting, hasAccess: true, claim: { ...filed, state: "access_missing", wasFiled: false } },
    { access: true, paper: null },
    "no_access",
  ],
  [
    "access of a claim that is not there yet",
    { ...waiting, claim: null, hasAccess: false },
    { access: true, paper: null },
    "no_access",
  ],
  ["a document", { ...waiting, expense: "held", claim: null }, { access: false, paper: "document" }, "no_document"],
  ["nothing; the portal is down", waiting, null, "portal_down"],
  ["nothing; nobody is registered", { ...waiting, claim: null, hasAccess: null }, null, "no_access"],
  [
    "nothing; the access is blocked",
    { ...waiting, claim: { ...filed, state: "access_blocked", wasFiled: false, isBlocked: true } },
    null,
    "access_blocked",
  ],
  ["nothing; it waits for the insurer", { ...waiting, claim: filed }, null, "no_answer"],
  [
    "nothing; it was blocked after it was filed",
    { ...waiting, claim: { ...filed, isBlocked: true } },
    null,
    "access_blocked",
  ],
  ["nothing; it was rejected", { ...waiting, claim: { ...filed, state: "rejected" } }, null, "rejected"],
  ["nothing: the patient has withdrawn", { ...nothingSent, isWithdrawn: true }, null, "withdrawn"],
  [
    "nothing: it was stopped",
    { ...waiting, claim: { ...filed, state: "stopped", wasFiled: false } },
    null,
    "withdrawn",
  ],
  ["nothing: all was given back", { ...nothingSent, order: "refunded" }, null, "portal_down"],
])("a claim lacks %s", (_name, facts, lacking, because) => {
  expect(lackingOf(facts)).toEqual(lacking);
  expect(unapprovedBecause(facts)).toBe(because);
});
