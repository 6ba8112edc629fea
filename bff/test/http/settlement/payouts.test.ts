import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { SANDBOX_BANK_ACCOUNT } from "../../../sandbox/bank-account.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import type { BankAccount } from "../../../src/contract/bank-account.ts";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import type { StatementResponse } from "../../../src/contract/statement.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { FeeRegime } from "../../../src/contract/vocabulary/commission-tax.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { Bank } from "../../../src/gateways/bank.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { santiagoDay } from "../../../src/platform/santiago-time.ts";
import type { ClaimedTimer } from "../../../src/platform/timers/timer-store.ts";
import { openAccount, setPayoutTerms } from "../../../src/settlement/payout-terms.ts";
import type { PayoutDependencies } from "../../../src/settlement/payouts/dependencies.ts";
import { PAYOUT_RUN_TIMER } from "../../../src/settlement/payouts/owe-payee.ts";
import { preparePayout, SEND_PAYOUT_TIMER } from "../../../src/settlement/payouts/run-payouts.ts";
import { sendPayout } from "../../../src/settlement/payouts/send-payout.ts";
import { bookAndReconcile } from "../../../src/settlement/reconcile.ts";
import { showStatement } from "../../../src/settlement/show-statement.ts";
import type { CallOptions } from "../../test-client.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

const account: BankAccount = {
  bank: "Banco de Prueba",
  account_type: "checking",
  account_number: "0099887766",
  holder_name: "Clínica Los Aromos del Sur SpA",
  holder_rut: parseRut("76.900.001-1"),
};

type StatementMovement = StatementResponse["accounts"][number]["movements"][number];

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => UNRECONCILED }, async (beginning) => {
  ({ world, clinic } = beginning);
  await agree(3.5, account);
});

const advance = (milliseconds: number, failing: string[] = []) => world.bff.advance(milliseconds, { failing });

function agree(percentage: number, bankAccount: BankAccount | null, regime: FeeRegime = "exempt"): Promise<void> {
  const { context, database, clock } = world.bff;
  const terms = {
    providerId: clinic.clinic.provider.id,
    fee: { percentage, regime },
    bankAccount,
    actor: "operator:test",
  };
  return setPayoutTerms({ db: database.db, ids: systemIds, clock, keyring: context.keyring }, terms);
}

async function paidOrder(total = 40_000): Promise<string> {
  const hash = await clinic.paidOrder({ total });
  await world.bff.runDue();
  return hash;
}

/** The payouts on the bank's own list. */
async function transfers(): Promise<number[]> {
  const { id } = clinic.clinic.provider;
  const list = await clinic.sandbox.bank.listTransfers(id, new Date("2026-01-01"), new Date("2100-01-01"));
  return list.map(({ amount }) => amount);
}

async function balances(): Promise<Record<string, number>> {
  const list = await balancesOf(world.bff.database.db, clinic.clinic.provider.id);
  expect(list.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  return Object.fromEntries(list.map(({ account: name, balance }) => [name, balance]));
}

function operating() {
  const { context, database, clock } = world.bff;
  return { db: database.db, clock, ids: context.ids, environment: "staging" as const };
}
async function waitingAccounts() {
  const listed = await listExceptions(operating(), clinic.clinic.provider.id);
  return listed.filter(({ kind }) => kind === "payee_account_changed");
}

/** An operator confirms the only waiting account. */
async function confirm(actor: string) {
  const [waiting] = await waitingAccounts();
  const note = "hablé con la tesorera";
  return resolveException(operating(), exceptionId(present(waiting)), { resolution: "confirm_account", actor, note });
}

const payouts = () =>
  world.bff.database.db
    .selectFrom("payouts")
    .selectAll()
    .where("provider_id", "=", clinic.clinic.provider.id)
    .orderBy("day")
    .execute();

test("an account that is set while the fee is being changed is not lost", async () => {
  const { context, database } = world.bff;
  for (let round = 1; round <= 20; round += 1) {
    const newAccount = { ...account, account_number: String(1_000 + round) };
    await Promise.all([agree(4, null), agree(5, newAccount), agree(6, null)]);
    const { sealed_bank_account } = await database.db
      .selectFrom("payout_terms")
      .select("sealed_bank_account")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .executeTakeFirstOrThrow();
    expect(openAccount(context.keyring, sealed_bank_account ?? "").account_number).toBe(newAccount.account_number);
  }
});

describe("a clinic", () => {
  test("is paid the next day between 10:00 and 11:00, in one payout, less the agreed fee", async () => {
    await paidOrder();
    await paidOrder(60_000);
    await advance(18 * HOUR_MS);
    expect(await transfers()).toEqual([]);
    await advance(2 * HOUR_MS);
    expect(await transfers()).toEqual([96_500]);
    expect(await balances()).toMatchObject({ order: 0, bank: -96_500, payout_fee: -3_500 });
    await advance(10 * DAY_MS);
    expect(await transfers()).toEqual([96_500]);
  });

  test("is paid into its own account, which is never stored in the clear", async () => {
    await paidOrder();
    await advance(DAY_MS);
    const { id } = clinic.clinic.provider;
    const [transfer] = await clinic.sandbox.bank.listTransfers(id, new Date("2026-01-01"), new Date("2100-01-01"));
    expect(transfer?.accountEnding).toBe("7766");
    const terms = await world.bff.database.db.selectFrom("payout_terms").selectAll().execute();
    expect(JSON.stringify([await payouts(), terms])).not.toContain(account.account_number);
  });

  test("is not paid again for a refunded amount, which the next payouts deduct", async () => {
    const refunded = await paidOrder(100_000);
    await advance(DAY_MS);
    expect(await transfers()).toEqual([96_500]);
    await clinic.refund(refunded, { amount: 80_000 });
    await paidOrder();
    await advance(3 * DAY_MS);
    expect(await transfers()).toEqual([96_500]);
    await paidOrder(50_000);
    await advance(2 * DAY_MS);
    expect(await transfers()).toEqual([96_500, 9_650]);
    expect(await balances()).toMatchObject({ order: 0, bank: -106_150, payout_fee: -3_850 });
  });

  test("is charged a taxed fee with its VAT, which a later refund takes back in part", async () => {
    await agree(3.57, null, "taxed_service");
    const refunded = await paidOrder(100_000);
    await advance(DAY_MS);
    expect(await balances()).toMatchObject({ order: 0, bank: -96_430, payout_fee: -3_000, payout_fee_vat: -570 });
    await clinic.refund(refunded, { amount: 50_000 });
    await paidOrder(100_000);
    await advance(2 * DAY_MS);
    expect(await balances()).toMatchObject({ order: 0, payout_fee: -4_500, payout_fee_vat: -855 });
  });

  test("is paid its other orders after a refund of an order whose payout recorded no VAT", async () => {
    await agree(3.5, null, "taxed_service");
    const refunded = await paidOrder();
    await advance(DAY_MS);
    // A process of a release without this VAT leaves the column's default.
    await world.bff.database.db
      .updateTable("payout_items")
      .set({ fee_vat: 0 })
      .where("provider_id", "=", clinic.clinic.provider.id)
      .execute();
    await clinic.refund(refunded, { amount: 30_000 });
    await paidOrder(60_000);
    await advance(2 * DAY_MS);
    expect(await transfers()).toEqual([38_600, 28_950]);
    expect(await balances()).toMatchObject({ order: 0 });
  });

  test("keeps the fee and tax regime of the day on which an order was paid", async () => {
    await paidOrder(100_000);
    await agree(3.57, null, "taxed_service");
    await advance(DAY_MS);
    expect(await balances()).toMatchObject({ order: 0, payout_fee: -3_500, payout_fee_vat: 0 });
  });

  test("is paid nothing for an order refunded on the same day", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash);
    await advance(3 * DAY_MS);
    expect(await transfers()).toEqual([]);
    expect(await balances()).toMatchObject({ order: 0 });
  });
});

describe("a partner's view of its payouts", () => {
  const { listPayouts, readPayout } = operationsEndpoints;
  const list = (query: Record<string, string> = {}, options: CallOptions = {}) =>
    world.bff.callSpotApi(listPayouts, { as: clinic.clinic, query, ...options });
  const read = (id: string, options: CallOptions = {}) =>
    world.bff.callSpotApi(readPayout, { as: clinic.clinic, params: { id }, ...options });

  test("lists each payout with its items by order, including the deduction for a refund", async () => {
    const refunded = await paidOrder();
    await advance(DAY_MS);
    await clinic.refund(refunded, { amount: 10_000 });
    const later = await paidOrder(60_000);
    await advance(2 * DAY_MS);
    const today = santiagoDay(world.bff.clock.now());
    const { status, body } = await list();
    expect([status, body.to]).toEqual([200, today]);
    const payee = { kind: "provider", id: clinic.clinic.provider.id };
    expect(body.payouts).toMatchObject([
      { payee, amount: 38_600, status: "paid", refusal: null, transfer_id: expect.any(String) },
      { payee, amount: 48_250, status: "paid" },
    ]);
    const [, second] = body.payouts;
    const { items, ...payout } = (await read(second.id)).body;
    expect(payout).toEqual(second);
    const references = await Promise.all([refunded, later].map(async (hash) => (await clinic.order(hash)).reference));
    expect(items.toSorted((a: { net: number }, b: { net: number }) => a.net - b.net)).toEqual([
      { order_hash: refunded, reference: references[0], net: -9_650, fee: -350, fee_vat: 0 },
      { order_hash: later, reference: references[1], net: 57_900, fee: 2_100, fee_vat: 0 },
    ]);
    expect((await list({ from: "2026-01-01", to: "2026-01-31" })).body.payouts).toEqual([]);
  });

  test("rejects another provider's payout, invalid days, and a call without the secret", async () => {
    await paidOrder();
    await advance(DAY_MS);
    const [payout] = (await list()).body.payouts;
    const other = (await world.newClinic()).clinic;
    expect((await list({}, { as: other })).body.payouts).toEqual([]);
    for (const answer of [await read(payout.id, { as: other }), await read("none")])
      expect([answer.status, answer.body.code]).toEqual([404, "payout_not_found"]);
    const impossible: Record<string, string>[] = [
      { from: "2026-02-30" },
      { to: "0000-01-01" },
      { from: "2026-11-02", to: "2026-11-01" },
      { from: "2026-01-01", to: "2026-02-01" },
    ];
    for (const query of impossible) expect((await list(query)).body.code).toBe("validation_error");
    const unknown = { headers: { "x-secret-key": "ak_wrong" } };
    for (const answer of [await list({}, unknown), await read(payout.id, unknown)])
      expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
  });
});

describe("a partner's statement", () => {
  const read = (query: Record<string, string> = {}, options: CallOptions = {}) =>
    world.bff.callSpotApi(operationsEndpoints.readStatement, { as: clinic.clinic, query, ...options });

  test("has the clinic's references, and goes from the balance before to the balance now", async () => {
    const refunded = await paidOrder();
    await advance(DAY_MS);
    await clinic.refund(refunded, { amount: 10_000, refund_reference: "nota-17" });
    await advance(1_000);
    const later = await paidOrder(60_000);
    const { status, body } = await read();
    const [account] = body.accounts;
    const payee = { kind: "provider", id: clinic.clinic.provider.id };
    expect([status, body.month, body.accounts.length]).toEqual([
      200,
      santiagoDay(world.bff.clock.now()).slice(0, 7),
      1,
    ]);
    expect(account).toMatchObject({ payee, opening: 0, closing: 50_000 });
    const references = await Promise.all([refunded, later].map(async (hash) => (await clinic.order(hash)).reference));
    const [, payout] = account.movements;
    expect(account.movements).toMatchObject([
      {
        kind: "sale",
        order_hash: refunded,
        reference: references[0],
        amount: 40_000,
        balance: 40_000,
        payout_id: null,
      },
      { kind: "payout", amount: -38_600, balance: 1_400, payout_id: expect.any(String) },
      { kind: "fee", amount: -1_400, balance: 0, payout_id: payout.payout_id },
      { kind: "refund", refund_reference: "nota-17", amount: -10_000, balance: -10_000 },
      { kind: "sale", order_hash: later, reference: references[1], amount: 60_000, balance: 50_000 },
    ]);
    const next = new Date(world.bff.clock.now().getTime() + 40 * DAY_MS);
    const after = (await read({ month: santiagoDay(next).slice(0, 7) })).body.accounts;
    expect(after).toMatchObject([{ opening: 50_000, movements: [], closing: 50_000 }]);
  });

  test("shows the parts of a refund as they were booked: before and after a sale, or a payout, between them", async () => {
    const hash = await paidOrder();
    await clinic.fault("financing-provider", ["reduceLoan", "inquireReduction"], "fail_before", 40);
    await clinic.refund(hash);
    await advance(1_000);
    const later = await paidOrder(60_000);
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 0);
    await advance(HOUR_MS);
    await clinic.fault("financing-provider", ["reduceLoan", "inquireReduction"], "fail_before", 40);
    await clinic.refund(later, { refund_reference: "nota-18" });
    await advance(DAY_MS);
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 0);
    await advance(HOUR_MS);
    const [account] = (await read()).body.accounts;
    const { movements } = account;
    expect(movements.map(({ kind, amount, balance }: StatementMovement) => [kind, amount, balance])).toEqual([
      ["sale", 40_000, 40_000],
      ["refund", -12_000, 28_000],
      ["sale", 60_000, 88_000],
      ["refund", -28_000, 60_000],
      ["refund", -18_000, 42_000],
      ["payout", -40_530, 1_470],
      ["fee", -1_470, 0],
      ["refund", -42_000, -42_000],
    ]);
    expect(account.closing).toBe(-42_000);
    const parts = movements.filter(({ refund_reference: reference }: StatementMovement) => reference === "nota-18");
    expect(parts).toHaveLength(2);
  });

  test("is refused for a month of too many movements, and 60 times an hour at most", async () => {
    await paidOrder();
    const { provider } = clinic.clinic;
    const asked = { month: undefined, now: world.bff.clock.now() };
    const { db } = world.bff.database;
    expect((await showStatement(db, provider, { ...asked, movementsMax: 1 })).accounts).toHaveLength(1);
    await paidOrder();
    await expect(showStatement(db, provider, { ...asked, movementsMax: 1 })).rejects.toMatchObject({
      code: "validation_error",
    });
    expect((await read()).headers.get("ratelimit-limit")).toBe("60");
  });

  test("is empty for another clinic, and refuses an invalid month and a call without the secret", async () => {
    await paidOrder();
    const other = (await world.newClinic()).clinic;
    expect((await read({}, { as: other })).body.accounts).toEqual([]);
    for (const month of ["2026-13", "noviembre", "1999-01"])
      expect((await read({ month })).body.code).toBe("validation_error");
    const unknown = await read({}, { headers: { "x-secret-key": "ak_wrong" } });
    expect([unknown.status, unknown.body.code]).toEqual([401, "invalid_credential"]);
  });
});

describe("no payee is paid twice", () => {
  test("if the bank's answer is lost", async () => {
    await paidOrder();
    await clinic.fault("bank", "transfer", "fail_after");
    await advance(2 * DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    expect((await payouts()).map(({ state }) => state)).toEqual(["paid"]);
    expect(await balances()).toMatchObject({ order: 0, bank: -38_600 });
  });

  test("if the process dies after the bank has paid", async () => {
    await paidOrder();
    await clinic.fault("bank", "transfer", "kill_after");
    await advance(2 * DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    expect(await balances()).toMatchObject({ order: 0, bank: -38_600 });
  });

  test("if the run dies midway and is restarted, or several run concurrently", async () => {
    await paidOrder();
    await advance(10 * HOUR_MS);
    const prepare = (day: string) => prepareFor(day, SANDBOX_BANK_ACCOUNT);
    const today = santiagoDay(world.bff.clock.now());
    const made = await Promise.all([prepare(today), prepare(today), prepare(today)]);
    expect(made.filter((key) => key !== null)).toHaveLength(1);
    await advance(5 * DAY_MS);
    expect(await transfers()).toEqual([38_600]);
  });

  test("if yesterday's payout has no outcome when today's run starts", async () => {
    await paidOrder();
    await clinic.fault("bank", "transfer", "fail_after");
    await world.bff.database.db
      .insertInto("sandbox_faults")
      .values({
        provider_id: clinic.clinic.provider.id,
        position: 9,
        party: "bank",
        method: "inquireTransfer",
        kind: "fail_after",
        remaining: 30,
      })
      .execute();
    await advance(20 * HOUR_MS);
    await paidOrder();
    await advance(5 * DAY_MS);
    expect(await transfers()).toEqual([38_600, 38_600]);
    expect(await balances()).toMatchObject({ order: 0, bank: -77_200 });
  });
});

test("a payee that cannot be paid does not stop the others, and is paid within 15 minutes once it can be", async () => {
  const { db } = world.bff.database;
  const providerId = clinic.clinic.provider.id;
  const center = "ffffffff-ffff-4fff-bfff-ffffffffffff";
  const ofCenter = async (hash: string) => {
    const orderId = present(readOrderId(hash));
    await db.updateTable("payable_orders").set({ payee_id: center }).where("order_id", "=", orderId).execute();
  };
  const seal = async (sealed: string | null) => {
    await db
      .updateTable("payout_terms")
      .set({ sealed_bank_account: sealed })
      .where("provider_id", "=", providerId)
      .execute();
  };
  await paidOrder();
  await db.insertInto("payees").values({ provider_id: providerId, id: center, kind: "center" }).execute();
  await ofCenter(await paidOrder(60_000));
  const { sealed_bank_account: readable } = await db
    .selectFrom("payout_terms")
    .select("sealed_bank_account")
    .where("provider_id", "=", providerId)
    .executeTakeFirstOrThrow();
  await seal("unreadable");
  await advance(20 * HOUR_MS, [PAYOUT_RUN_TIMER]);
  expect(await transfers()).toEqual([57_900]);
  await ofCenter(await paidOrder(70_000));
  // A run that is retried past midnight pays nothing of the new day before its hour.
  await advance(17 * HOUR_MS, [PAYOUT_RUN_TIMER]);
  expect(await transfers()).toEqual([57_900]);
  await seal(readable);
  await advance(HOUR_MS);
  expect(await transfers()).toEqual([57_900, 38_600]);
  await advance(6 * HOUR_MS);
  expect(await transfers()).toEqual([57_900, 38_600, 67_550]);
});

describe("an account that the bank refuses", () => {
  test("is not retried until there is another one; then everything owed is paid", async () => {
    await agree(3.5, { ...account, account_number: "1000000002" });
    await paidOrder();
    await advance(4 * DAY_MS);
    expect((await payouts()).map(({ state, refusal }) => [state, refusal])).toEqual([["refused", "account_closed"]]);
    expect(await balances()).toMatchObject({ order: -40_000, bank: 0 });
    await agree(3.5, account);
    await advance(DAY_MS);
    await confirm("operator:camila");
    await confirm("operator:diego");
    await advance(DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    expect(await balances()).toMatchObject({ order: 0, bank: -38_600, payout_fee: -1_400 });
  });
});

describe("a transfer that the bank accepts and makes later", () => {
  test("is neither repeated nor counted as paid before its end, and holds up the next payout", async () => {
    await agree(3.5, { ...account, account_number: "1000000005" });
    await paidOrder();
    await advance(DAY_MS);
    const listed = async () =>
      (await world.bff.callSpotApi(operationsEndpoints.listPayouts, { as: clinic.clinic })).body;
    expect((await listed()).payouts).toMatchObject([{ status: "sending", ends_by: expect.any(String) }]);
    expect(await balances()).toMatchObject({ order: -40_000, bank: 0 });
    await paidOrder(60_000);
    await advance(DAY_MS);
    expect((await listed()).payouts).toHaveLength(1);
    await advance(DAY_MS);
    expect((await listed()).payouts).toMatchObject([{ status: "paid" }, { status: "sending" }]);
    expect(await balances()).toMatchObject({ order: -60_000, bank: -38_600, payout_fee: -1_400 });
    await advance(2 * DAY_MS);
    expect(await transfers()).toEqual([38_600, 57_900]);
    expect(await balances()).toMatchObject({ order: 0, bank: -96_500 });
  });

  test("is never sent again, even if the bank has forgotten it, and is an unknown outcome after its end", async () => {
    await agree(3.5, { ...account, account_number: "1000000005" });
    await paidOrder();
    await advance(DAY_MS);
    const { id } = clinic.clinic.provider;
    const forget = { db: world.bff.database.db };
    await forget.db.deleteFrom("sandbox_calls").where("provider_id", "=", id).where("party", "=", "bank").execute();
    await forget.db.deleteFrom("sandbox_bank_transfers").where("provider_id", "=", id).execute();
    await advance(4 * DAY_MS);
    expect(await transfers()).toEqual([]);
    expect(await payouts()).toMatchObject([{ state: "sending", taken_at: expect.any(Date) }]);
    const unknown = (await listExceptions(operating(), id)).filter(({ kind }) => kind === "outcome_unknown");
    expect(unknown).toMatchObject([{ facts: { of: "payout" } }]);
  });
});

test("a return of a part is no return: nothing is paid again, and the books differ by it", async () => {
  await agree(3.5, { ...account, account_number: "1000000005" });
  await paidOrder();
  await advance(DAY_MS);
  expect((await payouts()).map(({ taken_at, state }) => [state, taken_at !== null])).toEqual([["sending", true]]);
  const { context, database, clock } = world.bff;
  const part = clp(1_000);
  const bank: Bank = {
    ...clinic.sandbox.bank,
    inquireTransfer: async (call) => {
      const answer = await clinic.sandbox.bank.inquireTransfer(call);
      if (answer.outcome !== "sent") return answer;
      return { ...answer, outcome: "returned", amount: part, reason: "other", returnedAt: clock.now() };
    },
    listTransfers: async (...range) =>
      (await clinic.sandbox.bank.listTransfers(...range)).flatMap((line) => [
        line,
        { ...line, id: `${line.id}R`, kind: "return", reason: "other", amount: part },
      ]),
  };
  const { id: providerId } = clinic.clinic.provider;
  const [payout] = await payouts();
  const { id } = present(payout);
  clock.set(new Date(clock.now().getTime() + DAY_MS));
  const sending = { ...context, db: database.db, ...context.parties, bank };
  const timer = { kind: SEND_PAYOUT_TIMER, key: id, providerId, payload: {}, dueAt: clock.now(), attempts: 0 };
  await sendPayout({ ...sending, defaultAccount: null }, timer as ClaimedTimer);
  expect(await payouts()).toMatchObject([{ state: "paid", returned_at: null }]);
  const period = { from: new Date(clock.now().getTime() - 3 * DAY_MS), to: clock.now() };
  const { differences } = await bookAndReconcile(sending, { providerId, ...period }, clock.now());
  const differing = { kind: "payout_amount_differs", reference: `${id}:return`, expected: 38_600, found: part };
  expect(differences.filter(({ party }) => party === "bank")).toMatchObject([differing]);
  expect(await payouts()).toMatchObject([{ state: "paid", returned_at: null }]);
});

test("a pending transfer that came back before it was known to be sent is booked both ways, and no one is paid", async () => {
  await agree(3.5, { ...account, account_number: "1000000005" });
  await paidOrder();
  await advance(DAY_MS);
  const { id } = clinic.clinic.provider;
  await world.bff.database.db
    .updateTable("sandbox_bank_transfers")
    .set({ returned_at: sql<Date>`at + interval '1 minute'` })
    .where("provider_id", "=", id)
    .execute();
  await advance(2 * DAY_MS);
  expect(await payouts()).toMatchObject([
    { state: "refused", refusal: "account_closed", returned_at: expect.any(Date) },
  ]);
  expect(await balances()).toMatchObject({ order: -40_000, bank: 0, payout_fee: 0 });
});

/** Prepares the clinic's payout of a day like the daily run, but without a default account, as in production. */
function prepareFor(day: string, defaultAccount: BankAccount | null) {
  const { context, database, clock } = world.bff;
  const dependencies: PayoutDependencies = {
    ...context,
    db: database.db,
    bank: clinic.sandbox.bank,
    connectors: context.parties.connectors,
    messenger: clinic.sandbox.messenger,
    defaultAccount,
  };
  const { id: providerId } = clinic.clinic.provider;
  const payee = { providerId, id: providerId, kind: "provider" as const };
  return inTransaction(database.db, (tx) => preparePayout(tx, dependencies, payee, { day, at: clock.now() }));
}

test("a payee's first account outside the sandbox is reported to the clinic and waits for two operators", async () => {
  await paidOrder();
  await advance(9 * HOUR_MS);
  const today = santiagoDay(world.bff.clock.now());
  expect(await prepareFor(today, null)).toBeNull();
  await world.bff.runDue();
  expect(await clinic.mailTexts("A new bank account for your payouts")).toHaveLength(1);
  expect((await confirm("operator:camila")).isDone).toBe(false);
  expect(await prepareFor(today, null)).toBeNull();
  expect((await confirm("operator:diego")).isDone).toBe(true);
  expect(await prepareFor(today, null)).not.toBeNull();
});

describe("a changed account", () => {
  const thiefs = { ...account, account_number: "6660006666", holder_name: "Otra Persona" };

  test("is reported to the clinic and waits for two operators; the old one is paid at once", async () => {
    await paidOrder();
    await advance(DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    await agree(3.5, thiefs);
    await paidOrder();
    await advance(5 * DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    const [mail, ...more] = await clinic.mailTexts("A new bank account for your payouts");
    expect([mail, more]).toEqual([expect.stringContaining("ending in 6666"), []]);
    expect(mail).not.toContain(thiefs.account_number);
    await agree(3.5, account);
    await advance(DAY_MS);
    expect(await transfers()).toEqual([38_600, 38_600]);
  });

  test("is no longer listed once the old one is paid again; if set again, it is reported and waits again", async () => {
    await paidOrder();
    await advance(DAY_MS);
    for (const round of [1, 2]) {
      await agree(3.5, thiefs);
      await paidOrder();
      await advance(DAY_MS);
      expect(await waitingAccounts()).toHaveLength(1);
      expect(await clinic.mailTexts("A new bank account for your payouts")).toHaveLength(round);
      await agree(3.5, account);
      await advance(DAY_MS);
      expect([await waitingAccounts(), await transfers()]).toEqual([[], Array(1 + round).fill(38_600)]);
    }
  });

  test("needs two operators: repeated confirmation by one is not enough, and both are recorded", async () => {
    await paidOrder();
    await advance(DAY_MS);
    await agree(3.5, thiefs);
    await paidOrder();
    await advance(DAY_MS);
    expect((await confirm("operator:camila")).isDone).toBe(false);
    expect((await confirm("operator:camila")).isDone).toBe(false);
    await advance(DAY_MS);
    expect(await transfers()).toEqual([38_600]);
    expect((await confirm("operator:diego")).isDone).toBe(true);
    await advance(DAY_MS);
    expect(await transfers()).toEqual([38_600, 38_600]);
    const acts = await world.bff.database.db
      .selectFrom("audit_log")
      .select(["act", "actor", "details"])
      .where("provider_id", "=", clinic.clinic.provider.id)
      .where("act", "like", "matter.%")
      .orderBy("act")
      .execute();
    expect(acts.map(({ act, actor }) => `${act} ${actor}`)).toEqual([
      "matter.approved operator:camila",
      "matter.approved operator:camila",
      "matter.confirm_account operator:diego",
    ]);
    expect(acts[2]?.details).toMatchObject({ approved_by: "operator:camila", note: "hablé con la tesorera" });
  });
});

test("changed terms are audited, and apply to orders paid from then on", async () => {
  await paidOrder();
  await agree(10, null);
  await paidOrder();
  await advance(DAY_MS);
  expect(await transfers()).toEqual([38_600 + 36_000]);
  const audited = await world.bff.database.db
    .selectFrom("audit_log")
    .select(["actor", "act", "details"])
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where("act", "=", "payout_terms.set")
    .orderBy("at")
    .execute();
  expect(audited.map(({ details }) => details)).toHaveLength(2);
  expect(audited.map(({ details }) => details)).toEqual(
    expect.arrayContaining([
      { fee_basis_points: 350, fee_regime: "exempt", bank_account: "changed" },
      { fee_basis_points: 1_000, fee_regime: "exempt", bank_account: "kept" },
    ]),
  );
});

test("a provider has one timer for its run, however many orders are paid", async () => {
  await paidOrder();
  await paidOrder();
  const timers = await world.bff.database.db
    .selectFrom("timers")
    .select("key")
    .where("kind", "=", PAYOUT_RUN_TIMER)
    .where("provider_id", "=", clinic.clinic.provider.id)
    .execute();
  expect(timers).toHaveLength(1);
});
