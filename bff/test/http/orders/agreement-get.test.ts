import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import type { Agreement } from "../../../src/contract/agreement.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { setLegalText } from "../../../src/orders/agreement/legal-texts.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { PATIENTS } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const wordsOf = ({ texts }: Agreement) => texts.map(({ blocks }) => blocks.map(({ text }) => text).join(" ")).join(" ");

function read(hash: string, query: Record<string, string> = {}) {
  return bff.callWidgetHost(orderEndpoints.readAgreement, { as: bff.clinic, params: { hash }, query });
}

describe.each(["readAgreement", "printAgreement"] as const)("GET %s", (name) => {
  const call = (hash: string, query: Record<string, string> = {}) =>
    bff.callWidgetHost(orderEndpoints[name], { as: bff.clinic, params: { hash }, query });

  it("404 for an order that does not exist", async () => {
    expect((await call(NO_HASH)).status).toBe(404);
  });

  it("422 for a language that there is not", async () => {
    expect((await call(await checkout.newOrder(), { locale: "fr" })).status).toBe(422);
  });

  it("409 for an order that was cancelled before anything was agreed", async () => {
    const hash = await checkout.newOrder();
    await checkout.call("cancelOrder", hash, { body: {} });
    const { status, body } = await call(hash);
    expect([status, body.code]).toEqual([409, "order_not_payable"]);
  });

  it("401 without client_id", async () => {
    const hash = await checkout.newOrder();
    const { status } = await bff.callWidgetHost(orderEndpoints[name], { params: { hash } });
    expect(status).toBe(401);
  });
});

describe("GET /orders/{hash}/agreement", () => {
  it("says before the payment who gives, who lends, what is paid and whom to complain to, in either language", async () => {
    const hash = await checkout.newOrder({ total: 45_952 });
    const { body } = await read(hash);
    expect(body.agreed_at).toBeNull();
    expect(body.texts.map(({ kind }: { kind: string }) => kind)).toEqual([
      "contract",
      "summary_sheet",
      "privacy_notice",
    ]);
    for (const said of ["$13.786", "$35.383", "$3.217", "$49.169", "81,12%", "SERNAC", "no hay derecho a retracto"])
      expect(wordsOf(body)).toContain(said);
    expect(wordsOf(body)).not.toMatch(/[{}]/);
    expect(wordsOf((await read(hash, { locale: "en" })).body)).toContain("no right of withdrawal");
  });

  it("says after the payment what was shown, in whatever version and figures it was, and the receipt's mail carries it", async () => {
    const hash = await checkout.readyOrder({ rut: PATIENTS.good });
    const shown = (await read(hash)).body;
    await checkout.pay(hash);
    const before = await read(hash, { locale: "en" });
    const [contract] = shown.texts;
    const text =
      "# Otro contrato\n\nSERNAC {{clinic}} {{clinic_rut}} {{patient}} {{patient_rut}} {{financing_provider}} {{price}} {{today}} {{later_charge}} {{commission}} {{total_cost}} {{annual_cost}} {{latest_date}}";
    const operator = { db: bff.database.db, clock: bff.clock, ids: systemIds, environment: "staging" as const };
    await setLegalText(operator, { kind: "contract", version: "otra", locale: "es-CL", text });
    const after = await read(hash);
    expect(after.body.texts).toEqual(shown.texts);
    expect(after.body).toEqual(before.body);
    expect(after.body.agreed_at).not.toBeNull();
    const other = await read(await checkout.newOrder());
    expect([contract.version, other.body.texts[0].version]).toEqual(["muestra-1", "otra"]);
    await bff.runDue();
    const mails = await readNotifications(
      { db: bff.database.db },
      { providerId: bff.clinic.provider.id, to: null, limit: 10 },
    );
    const receipt = mails.find(({ text: words }) => words.includes(contract.title));
    for (const { text: words } of contract.blocks) expect(receipt?.text).toContain(words);
  });
});

describe("GET /orders/{hash}/agreement/file", () => {
  it("is the same as a PDF", async () => {
    const hash = await checkout.paidOrder();
    const { status, body } = await bff.callWidgetHost(orderEndpoints.printAgreement, {
      as: bff.clinic,
      params: { hash },
    });
    expect([status, body.type]).toEqual([200, "application/pdf"]);
    expect(Buffer.from(body.base64, "base64").subarray(0, 5).toString()).toBe("%PDF-");
  });
});
