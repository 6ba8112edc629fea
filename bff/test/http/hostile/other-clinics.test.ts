import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerPatient } from "../../registered-patient.ts";
import { expenseForm, pdf } from "../spot/expense-forms.ts";
import { CAMILA, given } from "../spot/people.ts";
import { type SpotFace, startSpotFace, type TestProvider } from "../spot/spot-face.ts";

/* As in production, all clinics serve the same patients. One clinic is curious about another's. */

let face: SpotFace;
let clinic: TestProvider;
let other: TestProvider;
beforeAll(async () => {
  face = await startSpotFace({ environment: "production" });
  [clinic, other] = await Promise.all([face.makeProvider(), face.makeProvider()]);
  await registerPatient(face, clinic, { rut: CAMILA.rut });
});
afterAll(() => face.stop());

const plan = { plan: "anual", status: "active", paid_by: "provider" };
const set = ({ credentials }: TestProvider, body: object) =>
  face.call("setSubscription", `/api/spot/subscriptions/${CAMILA.rut}`, {
    body,
    headers: { "x-secret-key": credentials.secret_key },
  });
const ask = async ({ credentials }: TestProvider) => {
  const query = `public_key=${credentials.public_key}`;
  const { body } = await face.call("isUserSubscribed", `/api/spot/is_user_subscribed?${query}&rut=${CAMILA.rut}`);
  const minted = await face.call("mintWidgetToken", `/api/spot/widget?${query}`, { body: { rut: CAMILA.rut } });
  const session = await face.call("readWidgetToken", `/api/spot/widget/${minted.body.widget_token}`);
  return [body.is_subscribed, body.is_free_trial, session.body.event_type];
};

it("a clinic's plan is invisible to others, which see the usual trial", async () => {
  expect((await set(clinic, plan)).status).toBe(200);
  expect(await ask(clinic)).toEqual([true, false, "PROVIDER_CHARGES"]);
  expect(await ask(other)).toEqual([true, true, "REFUNDS_LEFT"]);
});

it("a clinic's plan cannot be cancelled by another", async () => {
  expect((await set(other, { plan: "anual", status: "cancelled" })).status).toBe(200);
  expect(await ask(clinic)).toEqual([true, false, "PROVIDER_CHARGES"]);
  expect((await ask(other))[0]).toBe(false);
});

describe("another clinic with the same patients", () => {
  const key = ({ credentials }: TestProvider) => `public_key=${credentials.public_key}`;
  const submit = (as: TestProvider, skip_pay_order_id: string) =>
    face.call("submitExpense", `/api/spot/gastos?${key(as)}&rut=${CAMILA.rut}`, {
      form: expenseForm([pdf()], { skip_pay_order_id }),
    });
  const mint = async (as: TestProvider, body: Record<string, unknown> = {}) =>
    (await face.call("mintWidgetToken", `/api/spot/widget?${key(as)}`, { body })).body;

  it("cannot submit a receipt for its order, or use one of the order's tokens", async () => {
    const order = await face.createOrder(clinic);
    expect((await submit(other, order)).body.code).toBe("processing_error");
    expect((await mint(other, { order_token: order })).code).toBe("order_not_found");
    // The clinic itself still has access.
    expect((await submit(clinic, order)).status).toBe(200);
    expect((await mint(clinic, { order_token: order })).widget_token).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("can open no sign-up and send no code with its token", async () => {
    const { widget_token } = await mint(clinic, { rut: CAMILA.rut });
    const signUp = { ...CAMILA, consents: given("onboarding"), widget_token };
    const recovery = { rut: CAMILA.rut, way: "email_code", widget_token };
    const ask = (as: TestProvider) =>
      Promise.all([
        face.call("registerPatient", `/api/spot/user?${key(as)}`, { body: signUp }),
        face.call("startRecovery", `/api/spot/user/recovery?${key(as)}`, { body: recovery }),
      ]);
    const foreign = await ask(other);
    expect(foreign.map(({ body }) => body.code)).toEqual(["widget_token_not_found", "widget_token_not_found"]);
    const own = await ask(clinic);
    expect(own.map(({ body }) => body.code)).not.toContain("widget_token_not_found");
  });
});
