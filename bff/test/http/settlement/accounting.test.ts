import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { monthOf } from "../../../src/back-office/month.ts";
import { clinicAccountsView, trialBalanceView } from "../../../src/back-office/views/accounting-view.ts";
import { exportLoans } from "../../../src/back-office/views/loans-view.ts";
import { bookedEntries } from "../../../src/back-office/views/money-view.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { setPayoutTerms } from "../../../src/settlement/payout-terms.ts";
import {
  type AfterPaidWorld,
  type Clinic,
  DAY_MS,
  LATER,
  startAfterPaid,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { signedIn } from "../console/console-browser.ts";
import { CARDS, present } from "../orders/orders-world.ts";

/* Random lives of orders at two clinics over three months, as an accountant reads them. */

const FIRST_DAY = "2026-10-20";
const LAST_DAY = "2027-01-20";

type Step = { readonly clinic: number } & (
  | { readonly kind: "pay"; readonly total: number; readonly debit: boolean }
  | { readonly kind: "refund"; readonly order: number; readonly amount: number; readonly named: boolean }
  | { readonly kind: "approve"; readonly order: number }
  | { readonly kind: "wait"; readonly days: number }
);

const clinicIndex = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("pay" as const),
      clinic: clinicIndex,
      total: fc.integer({ min: 1_000, max: 999_999 }),
      debit: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      clinic: clinicIndex,
      order: fc.nat(),
      amount: fc.integer({ min: 1, max: 900_000 }),
      named: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("approve" as const), clinic: clinicIndex, order: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      clinic: clinicIndex,
      days: fc.integer({ min: 1, max: 4 }),
    }),
  },
);
const [steps] = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 20261128 });

let world: AfterPaidWorld;
let clinics: readonly Clinic[];
const references = new Map<string, Set<string>>();

beforeAll(async () => {
  world = await startAfterPaid(UNRECONCILED);
  world.bff.clock.set(santiagoMoment(FIRST_DAY, 15));
  clinics = [await world.newClinic(), await world.newClinic()];
  for (const clinic of clinics) await agreeOnTaxedFee(clinic);
  const orders: string[][] = [[], []];
  for (const one of present(steps)) await play(one, orders[one.clinic] ?? []);
  await world.bff.advance(5 * DAY_MS);
});
afterAll(() => world.bff.close());

async function agreeOnTaxedFee(clinic: Clinic): Promise<void> {
  await clinic.agreeOnPayouts();
  const { context, database, clock } = world.bff;
  const terms = { providerId: clinic.clinic.provider.id, bankAccount: null, actor: "operator:camila" };
  const fee = { percentage: 2.95, regime: "taxed_service" } as const;
  await setPayoutTerms({ db: database.db, ids: systemIds, clock, keyring: context.keyring }, { ...terms, fee });
}

async function play(one: Step, orders: string[]): Promise<void> {
  const clinic = present(clinics[one.clinic]);
  if (one.kind === "wait") return void (await world.bff.advance(one.days * DAY_MS));
  if (one.kind === "pay") {
    orders.push(await clinic.paidOrder({ total: one.total, card: one.debit ? CARDS.debit : CARDS.approved }));
    return void (await world.bff.runDue());
  }
  if (orders.length === 0) return;
  const hash = present(orders[one.order % orders.length]);
  if (one.kind === "approve") await clinic.approve(hash);
  else {
    // Refunds above the rest, or of a part of a debit card's charge, are refused and book nothing.
    const reference = `nota ${systemIds.uuid()}`;
    const named = one.named ? { refund_reference: reference } : {};
    const { status } = await clinic.refund(hash, { amount: one.amount, ...named });
    if (status === 200 && one.named) references.set(hash, (references.get(hash) ?? new Set()).add(reference));
  }
  await world.bff.runDue();
}

const days = () => {
  const all: string[] = [];
  for (let day = FIRST_DAY; day <= LAST_DAY; day = addCalendarDays(day, 1)) all.push(day);
  return all;
};

const rowsOf = (clinic: Clinic, from: Date, to: Date) =>
  bookedEntries(world.bff.database.db, { providerId: clinic.clinic.provider.id, from, to });

const START_OF_TIME = new Date(0);

/** Debits and credits of each account from the ledger's rows, summed here. */
async function summed(of: readonly Clinic[], day: string) {
  const sums = new Map<string, { debit: number; credit: number }>();
  const add = (account: string, side: "debit" | "credit", amount: number) => {
    const known = sums.get(account) ?? { debit: 0, credit: 0 };
    sums.set(account, { ...known, [side]: known[side] + amount });
  };
  for (const clinic of of)
    for (const row of await rowsOf(clinic, START_OF_TIME, santiagoMoment(addCalendarDays(day, 1)))) {
      add(row.debit, "debit", row.amount);
      add(row.credit, "credit", row.amount);
    }
  return sums;
}

describe("the trial balance of all clinics", () => {
  const view = (day: string) =>
    trialBalanceView(world.bff.database.db, { environment: "staging", provider: null, day });

  test("equals the sums of the ledger's rows until each day, and its debits equal its credits", async () => {
    let movedOn = 0;
    let before = 0;
    for (const day of days()) {
      const { accounts, total } = await view(day);
      const sums = await summed(clinics, day);
      for (const { account, debit, credit, balance } of accounts) {
        expect([day, account, debit, credit]).toEqual([
          day,
          account,
          sums.get(account)?.debit ?? 0,
          sums.get(account)?.credit ?? 0,
        ]);
        expect(balance).toBe(debit - credit);
      }
      expect([total.debit, total.balance]).toEqual([total.credit, 0]);
      if (total.debit !== before) movedOn += 1;
      before = total.debit;
    }
    // The lives move money on many days, and all rows of the last one are included.
    expect(movedOn).toBeGreaterThan(15);
  });

  test("excludes rows booked from midnight in Santiago on", async () => {
    const clinic = await world.newClinic();
    const { db } = world.bff.database;
    const day = santiagoDay(world.bff.clock.now());
    const booked = async (at: string, amount: number) =>
      db
        .insertInto("ledger_transfers")
        .values({
          id: systemIds.uuid(),
          provider_id: clinic.clinic.provider.id,
          order_id: null,
          debit: "deposits",
          credit: "card_settled",
          amount,
          cause: `settled:${at}`,
          at: new Date(at),
        })
        .execute();
    await booked("2026-07-01T03:59:59.999Z", 7);
    await booked("2026-07-01T04:00:00.000Z", 11);
    const deposits = async (on: string) =>
      (await trialBalanceView(db, { environment: "staging", provider: clinic.clinic.provider, day: on })).accounts.find(
        ({ account }) => account === "deposits",
      )?.debit;
    expect([await deposits("2026-06-30"), await deposits("2026-07-01"), await deposits(day)]).toEqual([7, 18, 18]);
  });

  test("is a page of the console, which refuses a day that does not exist", async () => {
    const viewer = await signedIn(world.bff, "nuria", "viewer");
    const answer = await viewer.read("/trial-balance?at=2026-11-30");
    expect(answer).toMatchObject({ at: "2026-11-30", total: { balance: 0 } });
    const { status, text } = await viewer.open("/trial-balance?at=2026-11-30");
    expect([status, text]).toEqual([200, expect.stringContaining("Por pagar a las clínicas")]);
    expect((await viewer.open("/trial-balance?at=2026-02-30")).status).toBe(422);
  });
});

describe("the loans at the end of a day", () => {
  const exported = (day: string, endedSince = day) => {
    const { context, database, clock } = world.bff;
    const operator = { db: database.db, ids: context.ids, clock, actor: "operator:camila" };
    return exportLoans(operator, { providers: clinics.map(({ clinic }) => clinic.provider), day, endedSince });
  };

  test("sum to the lender's balance of that day, whatever was refunded or collected later", async () => {
    for (const day of days().filter((_day, index) => index % 9 === 0)) {
      const { debit, credit } = (await summed(clinics, day)).get("financing_provider") ?? { debit: 0, credit: 0 };
      const loans = await exported(day);
      expect([day, loans.reduce((sum, loan) => sum + loan.outstanding, 0)]).toEqual([day, debit - credit]);
      for (const { granted_on, due_on, outstanding, lent, status } of loans) {
        expect(granted_on <= day && outstanding <= lent && lent > 0).toBe(true);
        expect(["current", "held", "overdue"].includes(status)).toBe(outstanding > 0);
        expect(due_on <= addCalendarDays(granted_on, 45)).toBe(true);
      }
    }
  });

  test("are held, not overdue, while a chargeback is open, and due again from its release on", async () => {
    const { db } = world.bff.database;
    const clinic = present(clinics[0]);
    const hash = await clinic.paidOrder({ total: 50_000, card: LATER.stolen });
    const { providerId, orderId } = clinic.key(hash);
    await world.bff.runDue();
    await clinic.approve(hash);
    await world.bff.advance(2 * DAY_MS);
    const today = santiagoDay(world.bff.clock.now());
    const loanOn = async (day: string) => (await exported(day)).find(({ order }) => order === hash);
    const { due_on: dueOn } = present(await loanOn(today));
    expect(await loanOn(today)).toMatchObject({ status: "overdue", outstanding: 35_000, lent: 35_000 });
    expect(await loanOn(dueOn)).toMatchObject({ status: "current", days_overdue: 0 });
    const noted = { at: world.bff.clock.now(), noted_at: world.bff.clock.now(), lost_at: null, won_at: null };
    const chargeback = { provider_id: providerId, order_id: orderId, id: "back", charge_id: "c", amount: 15_000 };
    await db
      .insertInto("chargebacks")
      .values({ ...chargeback, ...noted, released_at: null })
      .execute();
    expect(await loanOn(today)).toMatchObject({ status: "held", days_overdue: 0 });
    expect(await loanOn(addCalendarDays(today, -1))).toMatchObject({ status: "overdue" });
    await db.updateTable("chargebacks").set({ released_at: world.bff.clock.now() }).where("id", "=", "back").execute();
    expect(await loanOn(addCalendarDays(today, 2))).toMatchObject({
      status: "overdue",
      due_on: today,
      days_overdue: 2,
    });
  });

  test("name debtor, amounts and end of each order, and are audited", async () => {
    const loans = await exported(LAST_DAY, FIRST_DAY);
    const ends = new Set<string>();
    for (const clinic of clinics) {
      const sales = (await rowsOf(clinic, START_OF_TIME, new Date("2100-01-01"))).filter(({ cause }) =>
        cause.startsWith("loan:"),
      );
      for (const { order: hash, amount } of sales) {
        const order = await clinic.order(present(hash));
        const loan = present(loans.find((one) => one.order === hash));
        expect(loan).toMatchObject({ debtor_rut: order.customer.rut, loan: order.loanId, lent: amount });
        const isCollected = order.deferredCollected > 0;
        if (loan.outstanding === 0) expect(loan.status).toBe(isCollected ? "paid" : "cancelled");
        ends.add(loan.status);
      }
    }
    expect([...ends].toSorted()).toEqual(expect.arrayContaining(["cancelled", "paid"]));
    const audited = world.bff.database.db.selectFrom("audit_log").select(["actor", "details"]);
    const rows = await audited.where("act", "=", "loans.exported").where("subject_id", "=", LAST_DAY).execute();
    expect(rows).toEqual([{ actor: "operator:camila", details: { loans: loans.length, ended_since: FIRST_DAY } }]);
  });
});

describe("a clinic's account", () => {
  const months = ["2026-10", "2026-11", "2026-12", "2027-01"];
  const accountsOf = (clinic: Clinic, month: string) =>
    clinicAccountsView(world.bff.database.db, clinic.clinic.provider, present(monthOf(month)));

  test("opens with the balance of the month before, and opening plus movements is the closing balance", async () => {
    const kinds = new Set<string>();
    for (const clinic of clinics) {
      let carried = 0;
      for (const month of months) {
        const [account, ...others] = await accountsOf(clinic, month);
        const { opening, movements, sums, closing } = present(account);
        expect([month, opening, others]).toEqual([month, carried, []]);
        let balance: number = opening;
        for (const movement of movements) {
          balance += movement.amount;
          expect(movement.balance).toBe(balance);
          kinds.add(movement.kind);
        }
        expect([balance, opening + Object.values(sums).reduce((total, sum) => total + sum, 0)]).toEqual([
          closing,
          closing,
        ]);
        const last = present(monthOf(month)).lastDay;
        const owed = (await summed([clinic], last)).get("order") ?? { debit: 0, credit: 0 };
        expect(closing).toBe(owed.credit - owed.debit);
        carried = closing;
      }
    }
    expect([...kinds].sort()).toEqual(["fee", "fee_vat", "payout", "refund", "sale"]);
  });

  test("names the clinic's own references, and agrees with its orders and the bank's transfers", async () => {
    for (const clinic of clinics) {
      const movements = (await Promise.all(months.map((month) => accountsOf(clinic, month)))).flatMap((accounts) =>
        accounts.flatMap((account) => account.movements),
      );
      const sum = (kind: string, order?: string) =>
        movements
          .filter((one) => one.kind === kind && (order === undefined || one.order === order))
          .reduce((total, { amount }) => total + amount, 0);
      const named = new Map<string, Set<string>>();
      for (const { kind, order, refund_reference: reference } of movements)
        if (kind === "refund" && reference !== null) named.set(order, (named.get(order) ?? new Set()).add(reference));
      for (const hash of new Set(movements.map(({ order }) => order))) {
        const order = await clinic.order(hash);
        expect(movements.find((one) => one.order === hash)?.reference).toBe(order.reference);
        expect([sum("sale", hash), 0 - sum("refund", hash)]).toEqual([order.total, order.refunded]);
        expect(named.get(hash)).toEqual(references.get(hash));
      }
      const { id } = clinic.clinic.provider;
      const listed = await clinic.sandbox.bank.listTransfers(id, START_OF_TIME, new Date("2100-01-01"));
      const lender = await rowsOf(clinic, START_OF_TIME, new Date("2100-01-01"));
      const remitted = lender.filter(({ debit }) => debit === "remitted").reduce((total, row) => total + row.amount, 0);
      expect(-sum("payout")).toBe(listed.reduce((total, { amount }) => total + amount, 0) - remitted);
      expect(movements.filter(({ kind }) => kind === "payout").every(({ payout }) => payout !== null)).toBe(true);
    }
  });

  test("is a page of the console with its sums", async () => {
    const viewer = await signedIn(world.bff, "olga", "viewer");
    const clinic = present(clinics[0]);
    const path = `/clinics/${clinic.clinic.provider.id}/statement?month=2026-11`;
    const { accounts } = await viewer.read(path);
    expect(accounts).toEqual(await accountsOf(clinic, "2026-11"));
    const { status, text } = await viewer.open(path);
    expect([status, text]).toEqual([200, expect.stringContaining("Saldo inicial")]);
  });
});
