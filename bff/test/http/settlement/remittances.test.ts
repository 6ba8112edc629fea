import { expect, test } from "vitest";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import type { PayoutsResponse } from "../../../src/contract/payouts.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { setLenderAccount } from "../../../src/settlement/payout-terms.ts";
import { listPayouts, payoutItems } from "../../../src/settlement/payout-views.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  START,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

const account = {
  bank: "Banco de Prueba",
  account_type: "checking" as const,
  account_number: "0055443322",
  holder_name: "Financiera de Prueba SpA",
  holder_rut: parseRut("76.900.001-1"),
};

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => UNRECONCILED }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const providerId = () => clinic.clinic.provider.id;

function tell(changes: Partial<typeof account> = {}): Promise<void> {
  const { context, database, clock } = world.bff;
  const lender = { providerId: providerId(), bankAccount: { ...account, ...changes }, actor: "operator:test" };
  return setLenderAccount({ db: database.db, ids: systemIds, clock, keyring: context.keyring }, lender);
}

/** An order of $40.000 whose loan of $28.000 and commission of $2.800 are collected a day later. */
async function collected(card?: string): Promise<string> {
  const hash = await clinic.justPaid(card);
  await clinic.approve(hash);
  await advance(DAY_MS);
  return hash;
}

const remittances = () =>
  listPayouts(world.bff.database.db, {
    providerId: providerId(),
    from: "2026-01-01",
    to: "2100-01-01",
    of: "lender",
  });

async function balances(): Promise<Record<string, number>> {
  const list = await balancesOf(world.bff.database.db, providerId());
  expect(list.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  return Object.fromEntries(list.map(({ account: name, balance }) => [name, balance]));
}

/** The payouts into the lender's account on the bank's own list. */
async function transfers(): Promise<number[]> {
  const list = await clinic.sandbox.bank.listTransfers(providerId(), new Date("2026-01-01"), new Date("2100-01-01"));
  return list.filter(({ accountEnding }) => accountEnding === "3322").map(({ amount }) => amount);
}

test("the lender is paid its collections once, by order and without the commission", async () => {
  await tell();
  const [first, second] = [await clinic.justPaid(), await clinic.justPaid()];
  await clinic.justPaid();
  for (const hash of [first, second]) await clinic.approve(hash);
  await advance(4 * DAY_MS);
  expect(await transfers()).toEqual([56_000]);
  expect(await remittances()).toMatchObject([{ amount: 56_000, state: "paid" }]);
  const [made] = await remittances();
  const items = await payoutItems(world.bff.database.db, present(made));
  expect(items.map(({ orderId }) => orderId).sort()).toEqual([first, second].sort());
  expect(items.map(({ net, fee }) => [net, fee])).toEqual([
    [28_000, 0],
    [28_000, 0],
  ]);
  expect(await balances()).toMatchObject({ remitted: 56_000 });
  await advance(10 * DAY_MS);
  expect(await transfers()).toEqual([56_000]);
});

test("a refund after the collection does not reduce the lender's money: the clinic owes it", async () => {
  await tell();
  const hash = await collected();
  await clinic.refund(hash, { amount: 10_000 });
  await advance(4 * DAY_MS);
  expect(await transfers()).toEqual([28_000]);
  expect(await balances()).toMatchObject({ remitted: 28_000, order: 10_000 });
});

test("nothing is remitted without an account; once there is one, all collections are, however old", async () => {
  await collected();
  await collected();
  await advance(5 * DAY_MS);
  expect(await remittances()).toEqual([]);
  await tell();
  await advance(2 * DAY_MS);
  expect(await transfers()).toEqual([56_000]);
});

test("collections of an earlier version, which kept no list, are remitted too once there is an account", async () => {
  await collected();
  await world.bff.database.db.deleteFrom("collected_orders").where("provider_id", "=", providerId()).execute();
  await tell();
  await advance(2 * DAY_MS);
  expect(await transfers()).toEqual([28_000]);
});

test.each(["fail_after", "kill_after"] as const)(
  "the lender is paid once even if the bank's answer is lost (%s)",
  async (fault) => {
    await tell();
    await collected();
    await clinic.fault("bank", "transfer", fault, 2);
    await advance(4 * DAY_MS);
    expect(await transfers()).toEqual([28_000]);
    expect(await balances()).toMatchObject({ remitted: 28_000 });
  },
);

test("after the bank refuses an account, the lender is paid into one that two operators confirm, without a notice", async () => {
  await tell({ account_number: "1000000002" });
  await collected();
  await advance(4 * DAY_MS);
  expect(await remittances()).toMatchObject([{ state: "refused", refusal: "account_closed" }]);
  expect(await balances()).toMatchObject({ remitted: 0 });
  await tell();
  await advance(2 * DAY_MS);
  expect(await transfers()).toEqual([]);
  const { context, database, clock } = world.bff;
  const dependencies = { db: database.db, clock, ids: context.ids, environment: "staging" as const };
  const [waiting] = (await listExceptions(dependencies, providerId())).filter(
    ({ kind }) => kind === "payee_account_changed",
  );
  for (const actor of ["operator:camila", "operator:diego"])
    await resolveException(dependencies, exceptionId(present(waiting)), {
      resolution: "confirm_account",
      actor,
      note: "hablé con la tesorería",
    });
  await advance(2 * DAY_MS);
  expect(await transfers()).toEqual([28_000]);
  expect(await clinic.mailTexts("A new bank account for your payouts")).toEqual([]);
});

test("partners do not see remittances among their payouts", async () => {
  await tell();
  await collected(LATER.captured);
  await advance(4 * DAY_MS);
  const [made] = await remittances();
  const { listPayouts: list, readPayout } = operationsEndpoints;
  const { body } = await world.bff.callSpotApi(list, { as: clinic.clinic });
  expect(body.payouts).toHaveLength(1);
  expect(body.payouts.map(({ id }: PayoutsResponse["payouts"][number]) => id)).not.toContain(made?.id);
  const one = await world.bff.callSpotApi(readPayout, { as: clinic.clinic, params: { id: made?.id ?? "" } });
  expect([one.status, one.body.code]).toEqual([404, "payout_not_found"]);
});
