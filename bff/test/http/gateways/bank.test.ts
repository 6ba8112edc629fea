import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import type { BankAccount } from "../../../src/contract/bank-account.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { Bank } from "../../../src/gateways/bank.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { callOf, later, next, rut, type StartedGateways, startGateways, WAYS } from "./start-gateways.ts";

let started: StartedGateways;
beforeAll(async () => {
  started = await startGateways();
});
afterAll(() => started.stop());

const account: BankAccount = {
  bank: "Banco de Prueba",
  account_type: "checking",
  account_number: "0012345678",
  holder_name: "Clínica Los Aromos del Sur SpA",
  holder_rut: rut("76.900.001-1"),
};
const input = { account, amount: clp(37_200), reference: "AAPD 2026-11-21" };

describe.each(WAYS)("a bank: %s", (way) => {
  let bank: Bank;
  beforeAll(() => {
    bank = started.parties(way).bank;
  });

  const listed = ({ providerId, at }: ReturnType<typeof callOf>) =>
    bank.listTransfers(providerId, at, new Date(at.getTime() + 86_400_000));

  it("pays once per key, however often the call is made, and answers an inquiry about it", async () => {
    const call = callOf();
    const [first, second] = await Promise.all([bank.transfer(call, input), bank.transfer(call, input)]);
    expect(first).toEqual({ outcome: "sent", transferId: expect.any(String), amount: 37_200 });
    expect(second).toEqual(first);
    expect(await bank.inquireTransfer(later(call, 10))).toEqual(first);
    expect(await listed(call)).toEqual([
      {
        id: first.outcome === "sent" ? first.transferId : "",
        idempotencyKey: call.idempotencyKey,
        reference: "AAPD 2026-11-21",
        amount: 37_200,
        accountEnding: "5678",
        at: call.at,
      },
    ]);
  });

  it("reports a call that never arrived as not found", async () => {
    expect(await bank.inquireTransfer(callOf())).toEqual({ outcome: "not_found" });
  });

  it.each([
    ["1000000001", "account_unknown"],
    ["1000000002", "account_closed"],
    ["1000000003", "holder_differs"],
    ["1000000004", "bank_unavailable"],
  ])("refuses the account %s: %s, and pays nothing", async (number, reason) => {
    const call = callOf();
    const outcome = await bank.transfer(call, { ...input, account: { ...account, account_number: number } });
    expect(outcome).toEqual({ outcome: "refused", reason });
    expect(await bank.inquireTransfer(call)).toEqual(outcome);
    expect(await listed(call)).toEqual([]);
  });

  it("accepts a transfer and makes it later, under one id, and lists it once the money has left", async () => {
    const call = callOf();
    const slow = { ...input, account: { ...account, account_number: "1000000005" }, bankCode: "037" as const };
    const pending = await bank.transfer(call, slow);
    expect(pending).toMatchObject({ outcome: "pending", endsBy: expect.any(Date) });
    expect(await bank.transfer(later(call, 60), slow)).toEqual(pending);
    expect(await listed(call)).toEqual([]);
    const transferId = pending.outcome === "pending" ? pending.transferId : "";
    const made = await bank.inquireTransfer(later(call, 27 * 3_600));
    expect(made).toEqual({ outcome: "sent", transferId, amount: 37_200 });
    expect(await listed(later(call, 86_400))).toMatchObject([{ id: transferId, amount: 37_200 }]);
  });

  it("reports a transfer that came back as returned: to an inquiry, to a repeat, and in its list", async () => {
    const call = callOf();
    const bad = { ...input, account: { ...account, account_number: "1000000006" } };
    const sent = await bank.transfer(call, bad);
    expect(sent).toMatchObject({ outcome: "sent" });
    const after = later(call, 13 * 3_600);
    const transferId = sent.outcome === "sent" ? sent.transferId : "";
    const returnedAt = new Date(call.at.getTime() + 12 * 3_600_000);
    const returned = { outcome: "returned", transferId, amount: 37_200, reason: "account_closed", returnedAt };
    expect(await bank.inquireTransfer(after)).toEqual(returned);
    expect(await bank.transfer(after, bad)).toEqual(returned);
    expect(await listed(call)).toMatchObject([
      { id: transferId, amount: 37_200 },
      { idempotencyKey: call.idempotencyKey, kind: "return", reason: "account_closed", amount: 37_200, at: returnedAt },
    ]);
  });

  it("is unknown when the answer is lost, and an inquiry finds it paid", async () => {
    const call = callOf();
    await inTransaction(started.database.db, (tx) =>
      replaceFaults(tx, call.providerId, [{ party: "bank", method: "transfer", kind: "fail_after", calls: 1 }]),
    );
    expect(await bank.transfer(call, input)).toEqual({ outcome: "unknown" });
    expect(await bank.inquireTransfer(later(call, 10))).toMatchObject({ outcome: "sent" });
    expect(await listed(call)).toHaveLength(1);
  });

  it("lists only one provider's transfers between two moments, oldest first", async () => {
    const first = callOf();
    const second = next(first, 3_600);
    await bank.transfer(second, input);
    await bank.transfer(first, { ...input, amount: clp(1_000) });
    await bank.transfer(next(callOf()), input);
    expect((await listed(first)).map(({ amount }) => amount)).toEqual([1_000, 37_200]);
    expect(await bank.listTransfers(first.providerId, first.at, second.at)).toHaveLength(1);
  });

  it("keeps no more of an account than its last four digits", async () => {
    const call = callOf();
    await bank.transfer(call, input);
    const calls = await started.database.db
      .selectFrom("sandbox_calls")
      .selectAll()
      .where("provider_id", "=", call.providerId)
      .execute();
    const transfers = await started.database.db
      .selectFrom("sandbox_bank_transfers")
      .selectAll()
      .where("provider_id", "=", call.providerId)
      .execute();
    expect(JSON.stringify([calls, transfers])).not.toContain(account.account_number);
  });
});
