import fc from "fast-check";
import { expect, test } from "vitest";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import { claimAt, type InsurerBehaviour, type StoredClaim, turningPoints } from "./claim.ts";

const FILED = new Date("2026-11-22T18:00:00Z");
const moment = fc.integer({ min: 0, max: 90 * 24 }).map((hours) => new Date(FILED.getTime() + (hours * DAY_MS) / 24));
const maybe = fc.option(moment);
const afterDays = fc.integer({ min: 0, max: 50 });
const behaviour: fc.Arbitrary<InsurerBehaviour> = fc.oneof(
  fc.record({ kind: fc.constantFrom("approved" as const, "rejected" as const, "blocked" as const), afterDays }),
  fc.constantFrom<InsurerBehaviour>({ kind: "never" }, { kind: "held" }, { kind: "access_missing" }),
  fc.record({ kind: fc.constant("portal_down" as const), days: afterDays }),
);
const claim: fc.Arbitrary<StoredClaim> = fc
  .record({
    behaviour,
    accessRenewedAt: maybe,
    askedAt: maybe,
    blockedFrom: maybe,
    blockedUntil: maybe,
    decidedAt: maybe,
  })
  .map(({ decidedAt, ...listed }) => ({
    ...listed,
    id: "claim",
    providerId: "clinic",
    orderHash: null,
    total: clp(10_000),
    accessSha256: "",
    filedAt: FILED,
    verdict: decidedAt === null ? null : { kind: "approved", at: decidedAt, reimbursed: clp(6_000) },
  }));

test("a claim's outcome does not change between two of its turning points", () => {
  fc.assert(
    fc.property(claim, moment, moment, (stored, one, other) => {
      const [from, to] = one < other ? [one, other] : [other, one];
      const turns = turningPoints(stored).some((point) => point > from && point <= to);
      if (!turns) expect(claimAt(stored, to)).toEqual(claimAt(stored, from));
    }),
    { numRuns: 5_000, seed: 7 },
  );
});
