import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { expenseForm, pdf } from "./expense-forms.ts";
import { CAMILA, given, MATIAS } from "./people.ts";

/**
 * Statements of sections 2.2 to 2.4, 4.2 and 8 of the interface, about onboarding and expenses, tested one by one
 * against the whole service.
 */
let bff: TestBff;
let clinic: TestProvider;
beforeAll(async () => {
  bff = await startBff();
});
beforeEach(async () => {
  clinic = await bff.createProvider();
});
afterAll(() => bff.close());

const mint = (body: unknown = {}, as = clinic) => bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body });
const read = (token: string) => bff.callSpotApi(spotEndpoints.readWidgetToken, { params: { token } });
async function register(person: Record<string, unknown> = {}, body: unknown = {}) {
  const { widget_token } = (await mint(body)).body;
  const registration = { ...CAMILA, consents: given("onboarding"), ...person, widget_token };
  const answer = await bff.callSpotApi(spotEndpoints.registerPatient, { as: clinic, body: registration });
  await proveRegistrations({ ...bff, db: bff.database.db, keyring: bff.context.keyring }, clinic.provider);
  return answer;
}
const submit = (form: FormData, rut: string = CAMILA.rut, as = clinic) =>
  bff.callSpotApi(spotEndpoints.submitExpense, { as, query: { rut }, rawBody: form });
const isSubscribed = async (rut: string = CAMILA.rut) =>
  (await bff.callSpotApi(spotEndpoints.isUserSubscribed, { as: clinic, query: { rut } })).body;
async function createOrder(rut: string = CAMILA.rut, as = clinic): Promise<string> {
  const { first_name, last_name, email, phone_number } = CAMILA;
  const customer = { rut, first_name, last_name, email, phone_number };
  const body = { reference: crypto.randomUUID(), total_amount: 40_000, customer };
  return (await bff.callOrderApi(orderEndpoints.createOrder, { as, body })).body.hash;
}
const minutesUntil = (moment: string) => (new Date(moment).getTime() - bff.clock.now().getTime()) / 60_000;

describe("2.2 Widget token", () => {
  it("widget_token is a UUID", async () => {
    expect((await mint()).body.widget_token).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it.each([
    ["standard lifetime: 1 hour", {}, 60],
    ["long-term lifetime: 30 days, with long_term_token=true", { long_term_token: true }, 30 * 24 * 60],
    ["custom lifetime: from 15 minutes", { expires_in_minutes: 15 }, 15],
    ["custom lifetime: to 43200 minutes", { expires_in_minutes: 43_200 }, 43_200],
  ])("%s", async (_statement, body, minutes) => {
    expect(minutesUntil((await mint(body)).body.expires_at)).toBe(minutes);
  });

  it.each([14, 43_201, 15.5, "15"])("custom lifetime is an integer 15 to 43200, not %j", async (expires_in_minutes) => {
    expect((await mint({ expires_in_minutes })).status).toBe(422);
  });

  it("is single use", async () => {
    const { widget_token } = (await mint()).body;
    const person = { ...CAMILA, consents: given("onboarding"), widget_token };
    expect((await bff.callSpotApi(spotEndpoints.registerPatient, { as: clinic, body: person })).status).toBe(201);
    expect((await bff.callSpotApi(spotEndpoints.registerPatient, { as: clinic, body: person })).status).toBe(410);
    expect((await read(widget_token)).body.code).toBe("widget_token_used");
  });
});

describe("2.3 Expense form fields", () => {
  beforeEach(async () => {
    await register();
  });

  it("uploaded_files is required and repeatable", async () => {
    expect((await submit(expenseForm([], { name: "Camila" }))).body.code).toBe("no_files");
    expect((await submit(expenseForm([pdf(100), pdf(200)]))).body.processed_files).toHaveLength(2);
  });

  it.each([
    ["name", "Camila Rojas Fuentes"],
    ["date", "21/11/2026"],
    ["receipt_id", "B-77"],
    ["receipt_rut", "76.900.001-1"],
    ["doctor_rut", "12.345.678-5"],
    ["total", "45952"],
  ])("%s is recommended, and not required", async (name, value) => {
    expect((await submit(expenseForm([pdf()], { [name]: value }))).status).toBe(200);
    expect((await submit(expenseForm([pdf()]))).status).toBe(200);
  });

  it("surrounding whitespace of skip_pay_order_id is ignored", async () => {
    const order = await createOrder();
    const { body } = await submit(expenseForm([pdf()], { skip_pay_order_id: `\t ${order} \r\n` }));
    expect(body.skip_pay_order_id).toBe(order);
  });
});

describe("2.4 Subscription status", () => {
  it("is false for non-users", async () => {
    expect(await isSubscribed(MATIAS.rut)).toEqual({ is_subscribed: false, is_free_trial: false });
  });

  it("is true in a valid free trial with fewer than 2 expenses sent, and reports the trial", async () => {
    await register();
    for (const bytes of [100, 200]) {
      expect(await isSubscribed()).toEqual({ is_subscribed: true, is_free_trial: true });
      await submit(expenseForm([pdf(bytes)]));
    }
    expect(await isSubscribed()).toEqual({ is_subscribed: false, is_free_trial: false });
  });

  it("is true with an active plan, which is no trial, and false with a cancelled one", async () => {
    await register();
    const plan = (status: string) =>
      bff.callSpotApi(spotEndpoints.setSubscription, {
        as: clinic,
        params: { rut: CAMILA.rut },
        body: { plan: "anual", status },
      });
    await plan("active");
    expect(await isSubscribed()).toEqual({ is_subscribed: true, is_free_trial: false });
    await plan("cancelled");
    expect(await isSubscribed()).toEqual({ is_subscribed: false, is_free_trial: false });
  });
});

describe("4.2 is_user_subscribed", () => {
  it("takes the rut with or without dots", async () => {
    await register();
    expect(await isSubscribed("40.100.000-3")).toEqual(await isSubscribed("40100000-3"));
  });

  it("401 has the detail `Invalid or unknown public key`", async () => {
    const queries: Record<string, string>[] = [{ rut: CAMILA.rut }, { rut: CAMILA.rut, public_key: "PK_unknown" }];
    for (const query of queries) {
      const answer = await bff.callSpotApi(spotEndpoints.isUserSubscribed, { query });
      expect(answer).toMatchObject({ status: 401, body: { detail: "Invalid or unknown public key" } });
    }
  });

  it("false does not guarantee a 404 of the submission: an exhausted trial is still a beneficiary", async () => {
    await register();
    for (const bytes of [100, 200]) await submit(expenseForm([pdf(bytes)]));
    expect((await isSubscribed()).is_subscribed).toBe(false);
    expect((await submit(expenseForm([pdf(300)]))).status).toBe(200);
  });
});

describe("4.2 gastos", () => {
  it("an expense with skip_pay_order_id is AAPD, one without it is a standard one", async () => {
    await register();
    const order = await createOrder();
    expect((await submit(expenseForm([pdf()], { skip_pay_order_id: order }))).body.aapd).toBe(true);
    expect((await submit(expenseForm([pdf()]))).body).toMatchObject({ aapd: false, submission_status: "not_enqueued" });
  });

  it("is idempotent per order: resubmitting reuses the existing expense", async () => {
    await register();
    const skip_pay_order_id = await createOrder();
    const first = await submit(expenseForm([pdf()], { skip_pay_order_id }));
    const again = await submit(expenseForm([pdf()], { skip_pay_order_id }));
    expect([first.body.created, again.body.created]).toEqual([true, false]);
    expect(again.body.id).toBe(first.body.id);
  });

  it("an order of another RUT is 400 processing_error", async () => {
    await register();
    await register(MATIAS);
    const skip_pay_order_id = await createOrder();
    await submit(expenseForm([pdf()], { skip_pay_order_id }));
    const answer = await submit(expenseForm([pdf()], { skip_pay_order_id }), MATIAS.rut);
    expect(answer).toMatchObject({ status: 400, body: { code: "processing_error" } });
  });

  it("a rut without a beneficiary is 404 beneficiary_not_found; an unknown key 401 invalid_provider", async () => {
    const unregistered = await submit(expenseForm([pdf()]));
    expect(unregistered).toMatchObject({ status: 404, body: { code: "beneficiary_not_found" } });
    const query = { public_key: "PK_unknown", rut: CAMILA.rut };
    const stranger = await bff.callSpotApi(spotEndpoints.submitExpense, { query, rawBody: expenseForm([pdf()]) });
    expect(stranger).toMatchObject({ status: 401, body: { code: "invalid_provider" } });
  });

  it("errors are {detail: string, code: string}", async () => {
    const { body } = await submit(expenseForm([]), MATIAS.rut);
    expect([typeof body.detail, typeof body.code]).toEqual(["string", "string"]);
  });
});

describe("4.2 other endpoints", () => {
  it("provider_data is for meta-providers only; otherwise 400", async () => {
    const meta = await bff.createProvider({ meta: true });
    expect((await mint({ provider_data: { a: 1 } })).status).toBe(400);
    expect((await mint({ provider_data: { a: 1 } }, meta)).status).toBe(201);
  });

  it("reading a token returns event_type and user_data", async () => {
    const { widget_token } = (await mint({ user_data: { name: "Camila" } })).body;
    expect((await read(widget_token)).body).toMatchObject({
      event_type: "SPOT_USER_NEW",
      user_data: { name: "Camila" },
    });
  });

  it("a token that does not exist is 404, one that expired 410", async () => {
    expect((await read("3f2504e0-4f89-41d3-9a0c-0305e82c3301")).status).toBe(404);
    const { widget_token } = (await mint({ expires_in_minutes: 15 })).body;
    bff.clock.advance(15 * 60_000);
    expect((await read(widget_token)).status).toBe(410);
  });

  it("a RUT registered under another e-mail is 409 RUT_OTHER_EMAIL", async () => {
    await register();
    const answer = await register({ email: "otra@example.org" });
    expect(answer).toMatchObject({ status: 409, body: { code: "RUT_OTHER_EMAIL" } });
  });

  it("centres need the scope cnpl.meta_prestador, which the profile lists, else 403", async () => {
    const meta = await bff.createProvider({ meta: true });
    const body = { centers: [{ rut: "76.902.223-6", name: "Quillay Ñuñoa", email: "nunoa@example.com" }] };
    expect((await bff.callSpotApi(spotEndpoints.upsertCenters, { as: clinic, body })).status).toBe(403);
    expect((await bff.callSpotApi(spotEndpoints.upsertCenters, { as: meta, body })).status).toBe(200);
    const scopes = (await bff.callSpotApi(spotEndpoints.profile, { as: meta })).body.scopes;
    expect(scopes).toEqual(["cnpl.meta_prestador"]);
  });

  it("an order's provider_rut selects an onboarded centre", async () => {
    const meta = await bff.createProvider({ meta: true });
    const center = { rut: "76.902.223-6", name: "Quillay Ñuñoa", email: "nunoa@example.com" };
    await bff.callSpotApi(spotEndpoints.upsertCenters, { as: meta, body: { centers: [center] } });
    const { insurer: _insurer, ...customer } = CAMILA;
    const order = { reference: "r-1", total_amount: 40_000, customer, provider_rut: center.rut };
    expect((await bff.callOrderApi(orderEndpoints.createOrder, { as: meta, body: order })).status).toBe(201);
  });
});

describe("8 Limits", () => {
  beforeEach(async () => {
    await register();
  });
  const files = (count: number) => Array.from({ length: count }, (_, index) => pdf(100 + index));

  it("accepts 1 to 5 files per expense", async () => {
    expect((await submit(expenseForm(files(1)))).status).toBe(200);
    expect((await submit(expenseForm(files(5)))).status).toBe(200);
    expect((await submit(expenseForm(files(6)))).body.code).toBe("too_many_files");
  });

  it("accepts at most 2 MB per file", async () => {
    expect((await submit(expenseForm([pdf(2 * 1024 * 1024)]))).status).toBe(200);
    expect((await submit(expenseForm([pdf(2 * 1024 * 1024 + 1)]))).body.code).toBe("file_too_large");
  });
});
