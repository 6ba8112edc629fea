import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { CARDS, orderBody, PATIENTS } from "../orders/orders-world.ts";

/* Patients type card numbers into wrong fields, and clinics' programs send them. None is stored or logged. */

let bff: TestBff;
let checkout: Checkout;
const lines: string[] = [];
beforeAll(async () => {
  bff = await startBff({
    logger: createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }),
  });
  checkout = checkoutOf(bff);
  await registerPatient(bff, bff.clinic, { rut: PATIENTS.good });
});
afterAll(() => bff.close());

const NUMBER = "4916123412341237";
const WRITTEN = ["4916.1234.1234.1237", "4916 1234 1234 1237 12-29 737", "４９１６１２３４１２３４１２３７"];
const body = () => orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });

describe.each(WRITTEN)("%s", (number) => {
  it("is refused in patient data from a clinic, with the field that holds it", async () => {
    const customer = { ...body().customer, last_name: `Rojas ${number}` };
    const answer = await bff.callOrderApi(orderEndpoints.createOrder, {
      as: bff.clinic,
      body: { ...body(), customer },
    });
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [{ path: "customer.last_name", message: "must not hold a card number" }],
    ]);
  });

  it("is refused in requests of a page", async () => {
    const hash = await checkout.newOrder();
    const serial = await bff.callOrderApi(orderEndpoints.validateIdentity, {
      as: bff.clinic,
      params: { hash },
      body: { document_serial: number },
    });
    expect([serial.status, serial.body.code]).toEqual([422, "raw_card_refused"]);
  });

  it("is not stored as the card's holder, which the processor returns", async () => {
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    const { body: added } = await checkout.addCard(hash, CARDS.approved, { holder_name: `TITULAR ${number}` });
    expect(added.payment_method.holder_name).toMatch(/^TITULAR [•. -]+$/);
  });

  it("is removed from a receipt, which is accepted without it", async () => {
    const hash = await checkout.paidOrder();
    const form = new FormData();
    form.set("skip_pay_order_id", hash);
    form.set("name", `Camila ${number}`);
    form.set("uploaded_files", new Blob(["%PDF-1.7\n%âãÏÓ\n"], { type: "application/pdf" }), `boleta ${number}.pdf`);
    const { status, body: sent } = await bff.callSpotApi(spotEndpoints.submitExpense, {
      as: bff.clinic,
      query: { rut: PATIENTS.good },
      rawBody: form,
    });
    expect(status, JSON.stringify(sent)).toBe(200);
    expect(sent.processed_files[0].name).toMatch(/^boleta [•. -]+\.pdf$/);
  });
});

it("a clinic's own long numbers do not count as cards, but a reference that is exactly a card number does", async () => {
  const order = (reference: string) =>
    bff.callOrderApi(orderEndpoints.createOrder, { as: bff.clinic, body: { ...body(), reference } });
  expect((await order(`2026112213${NUMBER}`)).status).toBe(201);
  expect((await order(NUMBER)).status).toBe(422);
});

it("a request id that holds one is replaced, and no log line or row contains it in any spelling", async () => {
  const requestId = `pago-${NUMBER}-camila`;
  const answer = await checkout.call("getOrder", await checkout.newOrder(), {
    headers: { "X-Request-Id": requestId, "User-Agent": `Mozilla ${NUMBER}` },
  });
  expect(answer.headers.get("x-request-id")).not.toBe(requestId);
  const spelled = /4916\D{0,2}1234\D{0,2}1234\D{0,2}1237|４９１６/;
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => spelled.test(line))).toEqual([]);
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'sandbox%'`.execute(
    bff.database.db,
  );
  for (const { name } of tables) {
    const { rows } = await sql<{
      row: unknown;
    }>`select to_jsonb(t) - 'reference' as row from ${sql.table(name)} as t`.execute(bff.database.db);
    const kept = rows.map((row) => JSON.stringify(row)).filter((row) => spelled.test(row));
    expect(kept, name).toEqual([]);
  }
});
