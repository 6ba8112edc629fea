import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import type { ClaimDocument, InsurerConnector } from "../../../src/gateways/insurer.ts";
import {
  callOf,
  later,
  newOrderId,
  next,
  rut,
  type StartedGateways,
  seal,
  startGateways,
  WAYS,
} from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const DAY = 86_400;

const documentOf = (content: string): ClaimDocument => ({
  name: "boleta.pdf",
  type: "application/pdf",
  read: async () => new TextEncoder().encode(content),
});
const receipt = documentOf("%PDF-1.7 receipt");
const medicalOrder = documentOf("%PDF-1.7 medical order");

describe.each(WAYS)("an insurer connector: %s", (way) => {
  let insurer: InsurerConnector;
  beforeAll(() => {
    insurer = started.parties(way).insurer;
  });

  async function accessOf(person: string, overrides: object = {}) {
    const access = { insurer: "consalud", rut: rut(person), password: "hunter2-hunter2", iat: 1_790_000_000 };
    return seal(await insurer.sealingKey(), { ...access, ...overrides });
  }

  async function filingOf(person = "40.100.000-3") {
    return {
      insurer: "consalud",
      rut: rut(person),
      orderHash: newOrderId(),
      total: clp(45_000),
      sealedAccess: await accessOf(person),
      documents: [receipt],
    } as const;
  }

  async function filed(person?: string) {
    const call = callOf();
    const input = await filingOf(person);
    const outcome = await insurer.fileClaim(call, input);
    if (outcome.outcome !== "filed") throw new Error(`The claim was not filed: ${outcome.outcome}.`);
    return { call, input, claimId: outcome.claimId };
  }

  const claimOn = (day: number, { call, claimId }: { call: GatewayCall; claimId: string }) =>
    insurer.inquireClaim(later(call, day * DAY), { claimId });

  /** Inquires about a claim often enough until a day that its password is kept. */
  async function ask(claim: { call: GatewayCall; claimId: string }, { untilDay }: { untilDay: number }): Promise<void> {
    for (let day = 5; day < untilDay; day += 5) expect(await claimOn(day, claim)).toEqual({ outcome: "waiting" });
  }

  describe("a filing", () => {
    it("is filed once per key, and found again by an inquiry", async () => {
      const call = callOf();
      const input = await filingOf();
      const [first, second] = await Promise.all([insurer.fileClaim(call, input), insurer.fileClaim(call, input)]);
      expect(first).toEqual({ outcome: "filed", claimId: expect.any(String) });
      expect(second).toEqual(first);
      expect(await insurer.inquireFiling(call)).toEqual(first);
      expect(await insurer.inquireFiling(next(call))).toEqual({ outcome: "not_found" });
    });

    it("has no answer if its key was used for other documents", async () => {
      const { call, input } = await filed();
      const other = await insurer.fileClaim(call, { ...input, documents: [medicalOrder] });
      expect(other).toEqual({ outcome: "unknown" });
    });

    it("is the same claim if the order is the same", async () => {
      const { call, input, claimId } = await filed();
      expect(await insurer.fileClaim(next(call, 60), input)).toEqual({ outcome: "filed", claimId });
    });

    it("is the same claim with new access if the order was filed before under another key", async () => {
      const person = "41.064.117-8";
      const call = callOf();
      const input = { ...(await filingOf(person)), documents: [receipt, medicalOrder] };
      const first = await insurer.fileClaim(call, input);
      expect(first).toMatchObject({ outcome: "filed" });
      const renewal = { ...input, sealedAccess: await accessOf(person), documents: [] };
      expect(await insurer.fileClaim(next(call, DAY), renewal)).toEqual(first);
    });

    it("is refused without access, with another person's or insurer's access, or if that cannot be opened", async () => {
      const input = await filingOf();
      const missing = { outcome: "access_missing" };
      for (const sealedAccess of [
        null,
        await accessOf("11.111.111-1"),
        await accessOf("40.100.000-3", { insurer: "colmena" }),
        await seal(await insurer.sealingKey(), { password: "x" }),
        "a.b.c.d.e",
      ]) {
        expect(await insurer.fileClaim(callOf(), { ...input, sealedAccess })).toEqual(missing);
      }
      expect(await insurer.fileClaim(callOf(), await filingOf("40.006.217-K"))).toEqual(missing);
    });

    it("is held until a second document comes", async () => {
      const call = callOf();
      const input = await filingOf("41.064.117-8");
      expect(await insurer.fileClaim(call, input)).toEqual({ outcome: "held", missing: ["medical_order"] });
      const complete = { ...input, documents: [receipt, medicalOrder] };
      expect(await insurer.fileClaim(next(call, DAY), complete)).toMatchObject({ outcome: "filed" });
    });

    it("waits for a portal that is down for two days, and may then be repeated under its key", async () => {
      const call = callOf();
      const input = await filingOf("41.339.579-8");
      expect(await insurer.fileClaim(call, input)).toEqual({ outcome: "portal_down" });
      expect(await insurer.inquireFiling(call)).toEqual({ outcome: "not_found" });
      expect(await insurer.fileClaim(later(call, 2 * DAY - 1), input)).toEqual({ outcome: "portal_down" });
      expect(await insurer.fileClaim(later(call, 2 * DAY), input)).toMatchObject({ outcome: "filed" });
    });

    it("is blocked from the start, until the patient gives new access", async () => {
      const call = callOf();
      const input = await filingOf("41.477.310-9");
      expect(await insurer.fileClaim(call, input)).toEqual({ outcome: "access_blocked" });
      expect(await insurer.fileClaim(next(call, DAY), input)).toEqual({ outcome: "access_blocked" });
      const renewed = { ...input, sealedAccess: await accessOf("41.477.310-9") };
      expect(await insurer.fileClaim(next(call, DAY), renewed)).toMatchObject({ outcome: "filed" });
    });

    it("is a separate claim without an order", async () => {
      const input = { ...(await filingOf()), orderHash: null };
      const call = callOf();
      const outcomes = [await insurer.fileClaim(call, input), await insurer.fileClaim(next(call), input)];
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(2);
    });
  });

  describe("a claim", () => {
    it.each([
      ["40.100.000-3", 5],
      ["40.008.548-K", 12],
      ["41.615.041-9", 0],
      ["41.752.772-9", 44],
      ["41.890.503-4", 46],
    ])("is approved for %s on day %i", async (person, day) => {
      const claim = await filed(person);
      await ask(claim, { untilDay: day });
      if (day > 0) {
        expect(await insurer.inquireClaim(later(claim.call, day * DAY - 1), claim)).toEqual({ outcome: "waiting" });
      }
      expect(await claimOn(day, claim)).toEqual({
        outcome: "approved",
        reimbursed: 27_000,
        at: later(claim.call, day * DAY).at,
      });
      expect(await claimOn(day + 30, claim)).toMatchObject({ at: later(claim.call, day * DAY).at });
    });

    it("is rejected with a reason", async () => {
      const claim = await filed("40.926.386-0");
      expect(await claimOn(4, claim)).toEqual({ outcome: "waiting" });
      expect(await claimOn(5, claim)).toEqual({
        outcome: "rejected",
        reason: expect.stringMatching(/plan/),
        code: "not_covered",
      });
    });

    it("is never answered", async () => {
      const claim = await filed("40.000.778-0");
      await ask(claim, { untilDay: 60 });
      expect(await claimOn(60, claim)).toEqual({ outcome: "waiting" });
    });

    it("is hidden after 7 days without an inquiry, when the password is forgotten, until access is sent again", async () => {
      const claim = await filed("40.008.548-K");
      expect(await claimOn(6, claim)).toEqual({ outcome: "waiting" });
      expect(await claimOn(13, claim)).toEqual({ outcome: "access_blocked" });
      expect(await claimOn(14, claim)).toEqual({ outcome: "access_blocked" });
      const { claimId } = claim;
      expect(await insurer.fileClaim(next(claim.call, 14 * DAY), claim.input)).toEqual({ outcome: "filed", claimId });
      expect(await claimOn(14, claim)).toMatchObject({ outcome: "approved" });
    });

    it("is blocked on day 2, and continues with new access, but not with the same access sent again", async () => {
      const claim = await filed("41.201.848-6");
      expect(await claimOn(1, claim)).toEqual({ outcome: "waiting" });
      expect(await claimOn(2, claim)).toEqual({ outcome: "access_blocked" });
      await insurer.fileClaim(next(claim.call, 3 * DAY), claim.input);
      expect(await claimOn(3, claim)).toEqual({ outcome: "access_blocked" });
      const renewed = { ...claim.input, sealedAccess: await accessOf("41.201.848-6") };
      expect(await insurer.fileClaim(next(claim.call, 4 * DAY), renewed)).toMatchObject({ claimId: claim.claimId });
      expect(await claimOn(4, claim)).toEqual({ outcome: "waiting" });
      expect(await claimOn(9, claim)).toMatchObject({ outcome: "approved" });
    });

    it("is hidden from another provider", async () => {
      const { claimId } = await filed();
      expect(await insurer.inquireClaim(callOf(), { claimId })).toEqual({ outcome: "unknown" });
    });
  });

  it("keeps neither password nor documents", async () => {
    await filed();
    const { rows } = await started.database.withSession((session) =>
      session.query("select c::text as row from sandbox_claims c union all select c::text from sandbox_calls c", []),
    );
    const kept = JSON.stringify(rows) + started.log();
    expect(kept).toContain("consalud");
    expect(kept).not.toContain("hunter2");
    expect(kept).not.toContain("%PDF");
    expect(kept).not.toContain(Buffer.from("%PDF-1.7 receipt").toString("base64"));
  });
});
