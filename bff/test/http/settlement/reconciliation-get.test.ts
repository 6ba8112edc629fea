import { describe, expect, test } from "vitest";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import type { ReconciliationResponse } from "../../../src/contract/reconciliation.ts";
import { spreadFrom } from "../../../src/platform/spread.ts";
import type { CallOptions } from "../../test-client.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  START,
} from "../after-paid/after-paid-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const { readReconciliation } = operationsEndpoints;
const ask = (query: Record<string, string> = {}, options: CallOptions = {}) =>
  world.bff.callSpotApi(readReconciliation, { as: clinic.clinic, query, ...options });
const reconciled = async (query: Record<string, string> = {}): Promise<ReconciliationResponse> =>
  (await ask(query)).body;

const paidOrder = (card?: string) => clinic.justPaid(card);

describe("200", () => {
  test("has no difference after a whole life: paid, refunded in part, collected, refunded again, paid out", async () => {
    const [first, second, third] = [await paidOrder(), await paidOrder(LATER.declinedTwice), await paidOrder()];
    await clinic.refund(first, { amount: 10_000 });
    await advance(DAY_MS);
    for (const hash of [first, second]) await clinic.approve(hash);
    await advance(10 * DAY_MS);
    await clinic.refund(first, { amount: 20_000 });
    await clinic.refund(third);
    await advance(DAY_MS);
    const answer = await reconciled({ from: "2026-11-21", to: "2026-12-04" });
    expect(answer).toMatchObject({ agrees: true, unavailable: [], differences: [] });
    expect(answer.compared).toMatchObject({ orders: 3, card_movements: 8, loans: 3 });
    expect(answer.compared.bank_transfers).toBeGreaterThan(0);
    expect(answer.balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  });

  test.each([
    ["card-processor", "listMovements", "card_processor"],
    ["card-processor", "listSettlements", "card_processor"],
    ["financing-provider", "listLoans", "financing_provider"],
    ["bank", "listTransfers", "bank"],
    ["tax-documents", "listDocuments", "tax_documents"],
  ])("names the party whose list is unavailable: %s, %s", async (party, method, unavailable) => {
    await paidOrder();
    await clinic.fault(party, method, "fail_before");
    expect((await reconciled()).unavailable).toEqual([unavailable]);
  });

  test("compares yesterday and today by default", async () => {
    await paidOrder();
    expect(await reconciled()).toMatchObject({ from: "2026-11-20", to: "2026-11-21", agrees: true });
    expect((await reconciled({ to: "2026-11-10" })).compared.orders).toBe(0);
  });

  test("reports a charge that only the processor has, and one that only we have", async () => {
    const hash = await paidOrder();
    const { db } = world.bff.database;
    const charge = await db
      .selectFrom("sandbox_movements")
      .selectAll()
      .where("provider_id", "=", clinic.clinic.provider.id)
      .executeTakeFirstOrThrow();
    const strange = {
      ...charge,
      id: "strange",
      charge_id: "strange",
      idempotency_key: "strange:charge",
      amount: 7_000,
    };
    await db.insertInto("sandbox_movements").values(strange).execute();
    expect((await reconciled()).differences).toEqual([
      {
        kind: "charge_not_booked",
        party: "card_processor",
        order_hash: hash,
        reference: "strange",
        expected: null,
        found: 7_000,
        at: START.toISOString(),
      },
    ]);
    await db.deleteFrom("sandbox_movements").where("provider_id", "=", clinic.clinic.provider.id).execute();
    const { agrees, differences } = await reconciled();
    expect(agrees).toBe(false);
    expect(differences).toMatchObject([{ kind: "charge_missing", expected: 12_000, found: null }]);
  });

  test("reports a loan, a payout and an order that disagree", async () => {
    const hash = await paidOrder();
    await advance(DAY_MS);
    const { db } = world.bff.database;
    const { id } = clinic.clinic.provider;
    await db.updateTable("sandbox_loans").set({ remaining: 27_000 }).where("provider_id", "=", id).execute();
    await db.updateTable("sandbox_bank_transfers").set({ amount: 1 }).where("provider_id", "=", id).execute();
    await db
      .updateTable("orders")
      .set({ total: 41_000, first_part: 13_000 })
      .where("id", "=", hash as never)
      .execute();
    const { differences } = await reconciled();
    const found = new Map(differences.map((one) => [one.kind, [one.expected, one.found]]));
    expect(Object.fromEntries(found)).toEqual({
      loan_amount_differs: [28_000, 27_000],
      order_price_differs: [41_000, 40_000],
      payout_amount_differs: [40_000, 1],
    });
  });

  test("reports no difference for work in progress", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("processing approved");
    expect(await reconciled()).toMatchObject({ agrees: true, differences: [] });
  });

  test("reports nothing of another provider", async () => {
    await paidOrder();
    const other = await world.newClinic();
    const { body } = await ask({}, { as: other.clinic });
    expect(body.compared).toEqual({ orders: 0, card_movements: 0, loans: 0, bank_transfers: 0, ledger_transfers: 0 });
  });
});

describe("every day at 06:00", () => {
  test("stores differences until they are gone", async () => {
    await paidOrder();
    const { db } = world.bff.database;
    const { id } = clinic.clinic.provider;
    const charge = await db
      .selectFrom("sandbox_movements")
      .selectAll()
      .where("provider_id", "=", id)
      .executeTakeFirstOrThrow();
    await db
      .insertInto("sandbox_movements")
      .values({ ...charge, id: `strange ${id}`, charge_id: charge.id, idempotency_key: "strange:charge" })
      .execute();
    await advance(DAY_MS);
    const kept = () =>
      db
        .selectFrom("reconciliation_differences")
        .select(["kind", "reference", "first_seen_at", "gone_at"])
        .where("provider_id", "=", id)
        .execute();
    expect(await kept()).toEqual([
      {
        kind: "charge_not_booked",
        reference: "strange",
        first_seen_at: spreadFrom(new Date("2026-11-22T09:00:00Z"), id),
        gone_at: null,
      },
    ]);
    await db.deleteFrom("sandbox_movements").where("id", "=", `strange ${id}`).execute();
    await advance(DAY_MS);
    expect(await kept()).toMatchObject([{ gone_at: spreadFrom(new Date("2026-11-23T09:00:00Z"), id) }]);
  });
});

test("401 without the secret key, or with another credential", async () => {
  expect((await ask({}, { headers: { "x-secret-key": "ak_wrong" } })).status).toBe(401);
  const { credentials } = clinic.clinic;
  const answer = await fetch(`${world.bff.spotApi}/api/reconciliation`, {
    headers: { authorization: `Bearer ${credentials.client_secret}` },
  });
  expect(answer.status).toBe(401);
});

test.each([
  ["an invalid day", { from: "yesterday" }],
  ["a nonexistent day", { from: "2026-02-30" }],
  ["a day of another millennium", { from: "9999-12-31", to: "9999-12-31" }],
  ["days in the wrong order", { from: "2026-11-21", to: "2026-11-20" }],
  ["more than 31 days", { from: "2026-10-01", to: "2026-11-01" }],
])("422 for %s", async (_name, query: Record<string, string>) => {
  const { status, body } = await ask(query);
  expect(status).toBe(422);
  expect(body.code).toBe("validation_error");
});

test("a range of 31 days is accepted", async () => {
  await advance(HOUR_MS);
  expect((await ask({ from: "2026-10-22", to: "2026-11-21" })).status).toBe(200);
});
