import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StoredExpense } from "../../../src/contract/expense-lists.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "../orders/checkout.ts";
import { expenseForm, pdf } from "./expense-forms.ts";
import { CAMILA } from "./people.ts";

let bff: TestBff;
let checkout: Checkout;
let clinic: TestProvider;
let statements = 0;
beforeAll(async () => {
  bff = await startBff();
  bff.database.watchStatements(() => {
    statements += 1;
  });
  checkout = checkoutOf(bff);
});
beforeEach(async () => {
  clinic = await bff.createProvider();
});
afterAll(() => bff.close());

/** The number of statements that an action sends to the database. */
async function count(work: () => Promise<unknown>): Promise<number> {
  const before = statements;
  await work();
  return statements - before;
}

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe("GET /orders/{hash}/refunds", () => {
  const list = (hash: string, as: TestProvider = bff.clinic) =>
    bff.callOrderApi(orderEndpoints.listRefunds, { as, params: { hash } });

  it("200 lists the refunds as the order has them", async () => {
    const hash = await checkout.paidOrder();
    expect((await list(hash)).body).toEqual({ refunds: [] });
    for (const amount of [1_000, 2_000]) await checkout.refund(hash, { amount });
    const { refunds } = (await list(hash)).body;
    expect(refunds.map(({ amount }: { amount: number }) => amount)).toEqual([1_000, 2_000]);
    expect(refunds).toEqual((await checkout.read(hash)).refunds);
  });

  it("401 with client_id, 404 for an unknown order and for another provider's", async () => {
    const hash = await checkout.newOrder();
    const call = { as: bff.clinic, using: "client_id", params: { hash } } as const;
    expect(codeOf(await bff.callOrderApi(orderEndpoints.listRefunds, call))).toEqual([401, "invalid_credential"]);
    expect(codeOf(await list(NO_HASH))).toEqual([404, "order_not_found"]);
    expect(codeOf(await list(hash, clinic))).toEqual([404, "order_not_found"]);
  });
});

describe("GET /api/spot/sacmed/centers", () => {
  const list = (as: TestProvider, query: Record<string, string> = {}) =>
    bff.callSpotApi(spotEndpoints.listCenters, { as, query });
  const CENTRES = ["76.902.223-6", "76.903.334-3", "76.900.001-1"].map((rut, number) => ({
    rut,
    name: `Centro ${number}`,
    email: "centro@example.com",
  }));

  async function networkOfThree(): Promise<TestProvider> {
    const meta = await bff.createProvider({ meta: true });
    const account = {
      bank: "Banco de Prueba",
      account_type: "checking",
      account_number: "12345678",
      holder_name: "Centro",
      holder_rut: "76.902.223-6",
    };
    const centers = CENTRES.map((centre, number) => (number === 0 ? { ...centre, bank_account: account } : centre));
    await bff.callSpotApi(spotEndpoints.upsertCenters, { as: meta, body: { centers } });
    return meta;
  }

  it("200 lists a network's own centres by RUT, without bank accounts", async () => {
    await networkOfThree();
    const meta = await networkOfThree();
    const { body } = await list(meta);
    expect(body).toMatchObject({
      centers: [
        { rut: "76900001-1", name: "Centro 2", has_bank_account: false },
        { rut: "76902223-6", name: "Centro 0", email: "centro@example.com", has_bank_account: true },
        { rut: "76903334-3", has_bank_account: false },
      ],
      next: null,
    });
    expect(JSON.stringify(body)).not.toContain("12345678");
  });

  it("200 returns every centre once over its pages", async () => {
    const meta = await networkOfThree();
    const first = (await list(meta, { limit: "2" })).body;
    expect([first.centers.length, first.next]).toEqual([2, first.centers[1].id]);
    const second = (await list(meta, { limit: "2", after: first.next })).body;
    expect(second).toMatchObject({ centers: [{ rut: "76903334-3" }], next: null });
  });

  it("401, 403 for a plain provider, 422 for a page that is not its own", async () => {
    const [meta, other] = [await networkOfThree(), await networkOfThree()];
    expect(codeOf(await bff.callSpotApi(spotEndpoints.listCenters))).toEqual([401, "invalid_credential"]);
    expect(codeOf(await list(clinic))).toEqual([403, "scope_missing"]);
    const [theirs] = (await list(other)).body.centers;
    const refused: Record<string, string>[] = [{ after: theirs.id }, { after: "x" }, { limit: "0" }, { limit: "101" }];
    for (const query of refused) expect(codeOf(await list(meta, query))).toEqual([422, "validation_error"]);
  });

  it("429 after 120 calls in a minute", async () => {
    const meta = await networkOfThree();
    const answers = await Promise.all(Array.from({ length: 121 }, () => list(meta)));
    expect(answers.filter(({ status }) => status === 429).map(codeOf)).toEqual([[429, "rate_limited"]]);
  });
});

describe("GET /api/spot/gastos", () => {
  const list = (query: Record<string, string> = {}, as = clinic) =>
    bff.callSpotApi(spotEndpoints.listExpenses, { as, query });
  const read = (id: string, as = clinic) => bff.callSpotApi(spotEndpoints.readExpense, { as, params: { id } });

  async function submit(fields: Record<string, string> = {}, as = clinic): Promise<string> {
    const rawBody = expenseForm([pdf()], fields);
    const { status, body } = await bff.callSpotApi(spotEndpoints.submitExpense, {
      as,
      query: { rut: CAMILA.rut },
      rawBody,
    });
    expect(status).toBe(200);
    bff.clock.advance(1_000);
    return body.id;
  }
  async function submitForOrder(): Promise<string> {
    const { body } = await checkout.create({ as: clinic, rut: CAMILA.rut });
    return submit({ skip_pay_order_id: body.hash });
  }

  /** Records that, by the insurer's answer, an order's expense lacks a document. */
  async function holdClaim(expenseId: string, reason: string): Promise<void> {
    const at = bff.clock.now();
    // The sandbox's insurers answer only about paid orders, which would take seconds for each of these expenses.
    await sql`
      insert into claims (provider_id, id, order_id, expense_id, beneficiary_id, state, attempt, inquiries, reason,
        created_at, updated_at)
      select provider_id, ${randomUUID()}, order_id, id, beneficiary_id, 'held', 0, 0, ${reason}, ${at}, ${at}
      from expenses where id = ${expenseId}`.execute(bff.database.db);
  }
  beforeEach(() => registerPatient(bff, clinic, { rut: CAMILA.rut }));

  it("200 lists the clinic's own expenses, newest first, each as GET /api/spot/gastos/{id} returns it", async () => {
    const other = await bff.createProvider();
    await registerPatient(bff, other, { rut: CAMILA.rut });
    await submit({}, other);
    const hash = (await checkout.create({ as: clinic, rut: CAMILA.rut })).body.hash;
    const plain = await submit({ date: "ayer" });
    const ofOrder = await submit({ skip_pay_order_id: hash, expense_subtypes: "exam" });
    const { body } = await list();
    expect(body).toMatchObject({
      expenses: [
        {
          id: ofOrder,
          status: "waiting_order",
          aapd: true,
          skip_pay_order_id: hash,
          missing_document_types: ["medical_order"],
          processed_files: [{ name: "boleta-1.pdf", bytes: 1_000, type: "application/pdf" }],
        },
        { id: plain, status: "received", aapd: false, skip_pay_order_id: null, unread_fields: ["date"] },
      ],
      next: null,
    });
    for (const expense of body.expenses) expect((await read(expense.id)).body).toEqual(expense);
    const found = await list({ skip_pay_order_id: hash });
    expect(found.body.expenses.map(({ id }: { id: string }) => id)).toEqual([ofOrder]);
    expect((await list({ skip_pay_order_id: NO_HASH })).body).toEqual({ expenses: [], next: null });
  });

  it("200 returns every expense once over its pages", async () => {
    const ids = [await submit(), await submit(), await submit()];
    const first = (await list({ limit: "2" })).body;
    const second = (await list({ limit: "2", after: first.next })).body;
    expect(second.next).toBeNull();
    const listed = [...first.expenses, ...second.expenses].map(({ id }: { id: string }) => id);
    expect(listed).toEqual(ids.toReversed());
  });

  it("shows the documents that the insurer lacks at their expenses only", async () => {
    const documentsOf: Record<string, string[]> = {};
    for (const document of ["other_document", null, "medical_order"]) {
      const id = await submitForOrder();
      documentsOf[id] = document === null ? [] : [document];
      if (document !== null) await holdClaim(id, document);
    }
    const { expenses } = (await list()).body;
    const shown = expenses.map((expense: StoredExpense) => [expense.id, expense.missing_document_types]);
    expect(Object.fromEntries(shown)).toEqual(documentsOf);
    for (const expense of expenses) expect((await read(expense.id)).body).toEqual(expense);
  });

  it("sends as many statements for 30 expenses as for 3", async () => {
    for (let submitted = 0; submitted < 30; submitted += 1) await submitForOrder();
    const countPage = (limit: number) =>
      count(async () => expect((await list({ limit: `${limit}` })).body.expenses).toHaveLength(limit));
    // The first request with a credential also reads the credential.
    await countPage(1);
    expect(await countPage(30)).toBe(await countPage(3));
  });

  it("401 without secret_key, 422 for a page that is not its own", async () => {
    expect(codeOf(await bff.callSpotApi(spotEndpoints.listExpenses))).toEqual([401, "invalid_credential"]);
    const id = await submit();
    expect(codeOf(await bff.callSpotApi(spotEndpoints.readExpense, { params: { id } }))).toEqual([
      401,
      "invalid_credential",
    ]);
    for (const after of [NO_HASH, "x"]) expect(codeOf(await list({ after }))).toEqual([422, "validation_error"]);
  });

  it("404 expense_not_found for an unknown, a malformed and another clinic's id", async () => {
    const id = await submit();
    const other = await bff.createProvider();
    expect(codeOf(await read(id, other))).toEqual([404, "expense_not_found"]);
    for (const unknown of [NO_HASH, "x"]) expect(codeOf(await read(unknown))).toEqual([404, "expense_not_found"]);
  });
});
