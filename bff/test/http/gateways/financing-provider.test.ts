import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { FinancingProvider } from "../../../src/gateways/financing-provider.ts";
import { callOf, later, newOrderId, next, rut, type StartedGateways, startGateways, WAYS } from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const amount = clp(31_500);

describe.each(WAYS)("a financing provider: %s", (way) => {
  let provider: FinancingProvider;
  beforeAll(() => {
    provider = started.parties(way).financingProvider;
  });

  const inputOf = (person: string) => ({ rut: rut(person), amount, orderHash: newOrderId() });

  async function authorised(person = "40.100.000-3") {
    const call = callOf();
    const outcome = await provider.authoriseLoan(call, inputOf(person));
    if (outcome.outcome !== "authorised") throw new Error(`The loan was not authorised: ${outcome.outcome}.`);
    return { call, loanId: outcome.loanId };
  }

  const loansOf = ({ providerId, at }: ReturnType<typeof callOf>) =>
    provider.listLoans(providerId, at, new Date(at.getTime() + 86_400_000));

  describe("a loan", () => {
    it("is authorised once per key, and found again by an inquiry", async () => {
      const call = callOf();
      const input = inputOf("40.100.000-3");
      const [first, second] = await Promise.all([
        provider.authoriseLoan(call, input),
        provider.authoriseLoan(call, input),
      ]);
      expect(first).toEqual({ outcome: "authorised", loanId: expect.any(String) });
      expect(second).toEqual(first);
      expect(await provider.inquireLoan(later(call, 10))).toEqual(first);
      expect(await loansOf(call)).toMatchObject([
        { orderHash: input.orderHash, amount, status: "authorised", idempotencyKey: call.idempotencyKey },
      ]);
    });

    it("is refused with reasons that the patient can read", async () => {
      const call = callOf();
      const outcome = await provider.authoriseLoan(call, inputOf("40.237.731-3"));
      expect(outcome).toEqual({ outcome: "refused", reasons: [expect.any(String), expect.any(String)] });
      expect(await provider.inquireLoan(call)).toEqual(outcome);
      expect(await loansOf(call)).toMatchObject([{ status: "refused" }]);
    });

    it.each([
      ["authorised", "40.375.462-5"],
      ["refused", "40.513.193-5"],
    ])("is under review for a while, and then %s", async (expected, person) => {
      const call = callOf();
      const input = inputOf(person);
      const outcome = await provider.authoriseLoan(call, input);
      expect(outcome).toEqual({ outcome: "under_review", loanId: expect.any(String) });
      expect(await provider.inquireLoan(later(call, 19))).toEqual(outcome);
      expect(await provider.inquireLoan(later(call, 20))).toMatchObject({ outcome: expected });
      expect(await provider.authoriseLoan(later(call, 20), input)).toMatchObject({ outcome: expected });
    });

    it("is not found if it was never requested", async () => {
      expect(await provider.inquireLoan(callOf())).toEqual({ outcome: "not_found" });
    });
  });

  describe("a confirmation", () => {
    it("is given once per key, and found again by an inquiry", async () => {
      const { call, loanId } = await authorised();
      const confirming = next(call, 5);
      expect(await provider.inquireConfirmation(confirming)).toEqual({ outcome: "not_found" });
      expect(await provider.confirmLoan(confirming, { loanId })).toEqual({ outcome: "confirmed" });
      expect(await provider.confirmLoan(confirming, { loanId })).toEqual({ outcome: "confirmed" });
      expect(await provider.inquireConfirmation(confirming)).toEqual({ outcome: "confirmed" });
      expect(await loansOf(call)).toMatchObject([{ status: "confirmed", amount }]);
    });

    it("is refused with reasons", async () => {
      const { call, loanId } = await authorised("40.650.924-9");
      const outcome = await provider.confirmLoan(next(call), { loanId });
      expect(outcome).toEqual({ outcome: "refused", reasons: [expect.any(String)] });
      expect(await loansOf(call)).toMatchObject([{ status: "refused" }]);
    });

    it("is refused for a loan that is cancelled, under review, or another provider's", async () => {
      const { call, loanId } = await authorised();
      expect(await provider.confirmLoan(callOf(), { loanId })).toMatchObject({ outcome: "refused" });
      await provider.reduceLoan(next(call), { loanId, amount });
      expect(await provider.confirmLoan(next(call), { loanId })).toMatchObject({ outcome: "refused" });
      const reviewed = await provider.authoriseLoan(next(call), inputOf("40.375.462-5"));
      if (reviewed.outcome !== "under_review") throw new Error("The loan is not under review.");
      expect(await provider.confirmLoan(next(call), reviewed)).toMatchObject({ outcome: "refused" });
    });
  });

  describe("a report of a loan's end", () => {
    const end = { end: "collected", amount } as const;
    const reports = () =>
      started.database.db.selectFrom("sandbox_loans").select(["reported_end", "reported_amount", "reports"]);

    it("is recorded once per key, and found again by an inquiry", async () => {
      const { call, loanId } = await authorised();
      await provider.confirmLoan(next(call), { loanId });
      const reporting = next(call, 60);
      expect(await provider.inquireReport(reporting)).toEqual({ outcome: "not_found" });
      expect(await provider.reportLoan(reporting, { loanId, ...end })).toEqual({ outcome: "noted" });
      expect(await provider.reportLoan(reporting, { loanId, ...end })).toEqual({ outcome: "noted" });
      expect(await provider.inquireReport(reporting)).toEqual({ outcome: "noted" });
      const noted = await reports().where("id", "=", loanId).executeTakeFirst();
      expect(noted).toEqual({ reported_end: "collected", reported_amount: amount, reports: 1 });
    });

    it("has no answer for another provider's loan", async () => {
      const { loanId } = await authorised();
      expect(await provider.reportLoan(callOf(), { loanId, ...end })).toEqual({ outcome: "unknown" });
    });
  });

  describe("a reduction", () => {
    it("takes a part off once per key, and the rest cancels the loan", async () => {
      const { call, loanId } = await authorised();
      await provider.confirmLoan(next(call), { loanId });
      const reducing = next(call, 60);
      expect(await provider.inquireReduction(reducing)).toEqual({ outcome: "not_found" });
      const part = { outcome: "reduced", remaining: 21_500 };
      expect(await provider.reduceLoan(reducing, { loanId, amount: clp(10_000) })).toEqual(part);
      expect(await provider.reduceLoan(reducing, { loanId, amount: clp(10_000) })).toEqual(part);
      expect(await provider.inquireReduction(reducing)).toEqual(part);
      expect(await loansOf(call)).toMatchObject([{ status: "confirmed", amount: 21_500 }]);
      expect(await provider.reduceLoan(next(call, 61), { loanId, amount: clp(21_500) })).toMatchObject({
        remaining: 0,
      });
      expect(await loansOf(call)).toMatchObject([{ status: "cancelled", amount: 0 }]);
    });

    it("has no effect on another provider's loan", async () => {
      const { call, loanId } = await authorised();
      expect(await provider.reduceLoan(callOf(), { loanId, amount })).toEqual({ outcome: "unknown" });
      expect(await loansOf(call)).toMatchObject([{ status: "authorised", amount }]);
    });
  });

  it("lists one provider's loans requested or changed in [from, to)", async () => {
    const { call, loanId } = await authorised();
    await provider.confirmLoan(next(call, 100), { loanId });
    const list = (fromSeconds: number, toSeconds: number) =>
      provider.listLoans(call.providerId, later(call, fromSeconds).at, later(call, toSeconds).at);
    expect(await list(0, 1)).toHaveLength(1);
    expect(await list(1, 100)).toHaveLength(0);
    expect(await list(100, 101)).toHaveLength(1);
    expect(await provider.listLoans(callOf().providerId, call.at, later(call, 999).at)).toEqual([]);
  });
});
