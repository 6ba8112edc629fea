import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import type { Agreement } from "../../../src/contract/agreement.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX } from "../../../src/contract/terms.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import type { LegalTextKind } from "../../../src/contract/vocabulary/legal-text.ts";
import {
  LegalTextRefused,
  listLegalTexts,
  presentTexts,
  readKindsWithoutText,
  setLegalText,
} from "../../../src/orders/legal-texts.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { orderBody, PATIENTS, present } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff({ environment: { STAMP_TAX: "commission" } });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const wordsOf = ({ texts }: Agreement) => texts.map(({ blocks }) => blocks.map(({ text }) => text).join(" ")).join(" ");

function read(hash: string, query: Record<string, string> = {}) {
  return bff.callWidgetHost(orderEndpoints.readAgreement, { as: bff.clinic, params: { hash }, query });
}

function printed(hash: string) {
  return bff.callWidgetHost(orderEndpoints.printAgreement, { as: bff.clinic, params: { hash } });
}

describe.each(["readAgreement", "printAgreement"] as const)("GET %s", (name) => {
  const call = (hash: string, query: Record<string, string> = {}) =>
    bff.callWidgetHost(orderEndpoints[name], { as: bff.clinic, params: { hash }, query });

  it("404 for an unknown order", async () => {
    expect((await call(NO_HASH)).status).toBe(404);
  });

  it("422 for an unsupported language", async () => {
    expect((await call(await checkout.newOrder(), { locale: "fr" })).status).toBe(422);
  });

  it("409 for an order cancelled before any agreement", async () => {
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

it("the 21st PDF of one order within an hour is 429, while other orders are still printed", async () => {
  const hash = await checkout.newOrder();
  await checkout.call("cancelOrder", hash, { body: {} });
  const statuses: number[] = [];
  for (let print = 0; print < CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX; print += 1) {
    statuses.push((await printed(hash)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([409]));
  expect((await printed(hash)).status).toBe(429);
  expect((await read(hash)).status).toBe(409);
  expect((await printed(await checkout.newOrder())).status).toBe(200);
});

describe("GET /orders/{hash}/agreement", () => {
  it("before the payment states clinic, lender, amounts and complaint body, in either language", async () => {
    const hash = await checkout.newOrder({ total: 45_952 });
    const { body } = await read(hash);
    expect(body.agreed_at).toBeNull();
    expect(body.texts.map(({ kind }: { kind: string }) => kind)).toEqual([
      "contract",
      "summary_sheet",
      "withdrawal",
      "privacy_notice",
    ]);
    for (const statements of [
      "$13.786",
      "$35.383",
      "$3.217",
      "$49.169",
      "81,12%",
      "SERNAC",
      "No hay retracto",
      "La cobra AAPD de Prueba SpA, RUT 76.904.444-2: $2.703 netos más $514 de IVA.",
      "El impuesto de timbres y estampillas, si corresponde, lo paga Financiera",
    ])
      expect(wordsOf(body)).toContain(statements);
    expect(wordsOf(body)).not.toMatch(/[{}]/);
    expect(wordsOf((await read(hash, { locale: "en" })).body)).toContain("No right of withdrawal");
  });

  it("names the centre as clinic if the provider has centres", async () => {
    const meta = await bff.createProvider({ meta: true });
    const rut = "76.902.223-6";
    const centers = [{ rut, name: "Quillay Ñuñoa", email: "nunoa@example.com" }];
    expect((await bff.callSpotApi(spotEndpoints.upsertCenters, { as: meta, body: { centers } })).status).toBe(200);
    const order = { ...orderBody({ total: 45_952, rut: PATIENTS.good, reference: "centro" }), provider_rut: rut };
    const { hash } = (await bff.callOrderApi(orderEndpoints.createOrder, { as: meta, body: order })).body;
    const { body } = await bff.callWidgetHost(orderEndpoints.readAgreement, { as: meta, params: { hash } });
    expect(wordsOf(body)).toContain("Quillay Ñuñoa");
    expect(wordsOf(body)).toContain(rut);
    expect(wordsOf(body)).not.toContain(meta.provider.name);
  });

  it("after the payment returns the shown texts with their version and figures, and the receipt's mail attaches them", async () => {
    const hash = await checkout.readyOrder({ rut: PATIENTS.good });
    const shown = (await read(hash)).body;
    await checkout.pay(hash);
    const before = await read(hash, { locale: "en" });
    const [contract] = shown.texts;
    const text =
      "# Otro contrato\n\nSERNAC {{clinic}} {{clinic_rut}} {{patient}} {{patient_rut}} {{financing_provider}} {{price}} {{today}} {{later_charge}} {{commission}} {{commission_detail}} {{total_cost}} {{annual_cost}} {{stamp_tax}} {{latest_date}}";
    const operator = { db: bff.database.db, clock: bff.clock, ids: systemIds, environment: "staging" as const };
    await setLegalText(operator, { kind: "contract", version: "otra", locale: "es-CL", text });
    const after = await read(hash);
    expect(after.body.texts).toEqual(shown.texts);
    expect(after.body).toEqual(before.body);
    expect(after.body.agreed_at).not.toBeNull();
    const other = await read(await checkout.newOrder());
    expect([contract.version, other.body.texts[0].version]).toEqual(["muestra-3", "otra"]);
    await bff.runDue();
    const mails = await readNotifications(
      { db: bff.database.db },
      { providerId: bff.clinic.provider.id, to: null, limit: 10 },
    );
    expect(mails.filter(({ text: words }) => words.includes("Adjuntos: tu comprobante, tu contrato"))).toHaveLength(1);
  });
});

it("names the stamp tax in a commission that is interest, and books that amount with the loan", async () => {
  const clinic = await bff.createProvider({ commissionTax: { regime: "interest" } });
  const there = checkoutOf({ ...bff, clinic });
  const hash = await there.readyOrder({ total: 45_952 });
  const { body } = await there.call("readAgreement", hash);
  const stated = wordsOf(body).match(
    /La comisión incluye \$42 de impuesto de timbres y estampillas \(0,132% de \$32\.166\)/g,
  );
  expect(stated).toHaveLength(2);
  await there.pay(hash);
  const booked = bff.database.db.selectFrom("ledger_transfers").select(["debit", "credit", "amount"]);
  const rows = await booked
    .where("provider_id", "=", clinic.provider.id)
    .where("cause", "like", "stamp-tax:%")
    .execute();
  expect(rows).toEqual([{ debit: "stamp_tax", credit: "stamp_tax_owed", amount: 42 }]);
});

it("the receipt's mail omits an agreement that was not stored", async () => {
  const clinic = await bff.createProvider();
  const there = checkoutOf({ ...bff, clinic });
  const receipts = async () => {
    await bff.runDue();
    const mails = await readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 10 });
    return mails.filter(({ text }) => text.includes("$12.000")).map(({ text }) => text);
  };
  await there.paidOrder();
  const attached = "Adjuntos: tu comprobante, tu contrato";
  expect(await receipts()).toEqual([expect.stringContaining(attached)]);
  const hash = await there.paidOrder();
  const attempts = bff.database.db.updateTable("payment_attempts").set({ agreement: null });
  await attempts.where("order_id", "=", present(readOrderId(hash))).execute();
  // Mails with the same timestamp have no defined order.
  const both = await receipts();
  expect([both.length, both.filter((text) => text.includes(attached)).length]).toEqual([2, 1]);
});

describe("GET /orders/{hash}/agreement/file", () => {
  it("returns the agreement as a PDF", async () => {
    const hash = await checkout.paidOrder();
    const { status, body } = await bff.callWidgetHost(orderEndpoints.printAgreement, {
      as: bff.clinic,
      params: { hash },
    });
    expect([status, body.type]).toEqual([200, "application/pdf"]);
    expect(Buffer.from(body.base64, "base64").subarray(0, 5).toString()).toBe("%PDF-");
  });
});

describe("the operator's texts", () => {
  const environment = "production" as const;
  const set = (kind: LegalTextKind, version: string, locale: "es-CL" | "en", title: string) => {
    bff.clock.advance(60_000);
    const text = `# ${title}\n\n${kind === "withdrawal" ? "{{support_email}}" : "{{clinic}} {{financing_provider}}"}`;
    const operator = { db: bff.database.db, clock: bff.clock, ids: systemIds, environment };
    return setLegalText(operator, { kind, version, locale, text });
  };
  const list = (of: "staging" | "production") => listLegalTexts(bff.database.db, of);

  it("are rejected if a required name or the Spanish text is missing, or if the version exists", async () => {
    await set("privacy_notice", "c", "es-CL", "Aviso c");
    const before = await list(environment);
    await expect(set("contract", "c", "es-CL", "Contrato")).rejects.toThrow("{{clinic_rut}} is missing.");
    await expect(set("privacy_notice", "d", "en", "Notice d")).rejects.toThrow("Set the Spanish text of this version");
    await expect(set("privacy_notice", "c", "es-CL", "Aviso otro")).rejects.toThrow(LegalTextRefused);
    expect(await list(environment)).toEqual(before);
    await set("privacy_notice", "c", "en", "Notice c");
    expect(await list(environment)).toHaveLength(before.length + 1);
  });

  it("are required before a payment; a missing one is reported as a fault of the service", async () => {
    await set("privacy_notice", "e", "es-CL", "Aviso e");
    const shown = presentTexts(bff.database.db, environment);
    await expect(shown).rejects.toMatchObject({
      code: "service_unavailable",
      cause: new LegalTextRefused(["No contract.", "No summary_sheet."]),
    });
  });

  it("allow payments by the earlier contract without a withdrawal text, but no new contract", async () => {
    const { db } = bff.database;
    await sql`insert into legal_texts (environment, kind, version, locale, set_at, text)
      select 'production', kind, 'before', locale, set_at, text from legal_texts
      where environment = 'staging' and version = 'muestra-1' and kind <> 'withdrawal'`.execute(db);
    const kinds = (await presentTexts(db, environment)).map(({ kind }) => kind);
    expect(kinds).toEqual(["contract", "summary_sheet", "privacy_notice"]);
    expect(await readKindsWithoutText(db, environment)).toEqual(["withdrawal"]);
    const sample = (await list("staging")).find(({ kind, locale }) => kind === "contract" && locale === "es-CL");
    const operator = { db, clock: bff.clock, ids: systemIds, environment };
    const contract = { kind: "contract", version: "new", locale: "es-CL", text: sample?.text ?? "" } as const;
    await expect(setLegalText(operator, contract)).rejects.toThrow("Set the withdrawal first");
    await set("withdrawal", "new", "es-CL", "Retracto");
    await setLegalText(operator, contract);
    expect(await readKindsWithoutText(db, environment)).toEqual([]);
  });
});
