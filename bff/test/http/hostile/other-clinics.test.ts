import { afterAll, beforeAll, expect, it } from "vitest";
import { registerPatient } from "../../registered-patient.ts";
import { CAMILA } from "../spot/people.ts";
import { type SpotFace, startSpotFace, type TestProvider } from "../spot/spot-face.ts";

/* As in production, all clinics serve the same patients; one of them is curious about another's. */

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

it("a clinic's plan is read by no other, which sees the trial that it would see anyway", async () => {
  expect((await set(clinic, plan)).status).toBe(200);
  expect(await ask(clinic)).toEqual([true, false, "PROVIDER_CHARGES"]);
  expect(await ask(other)).toEqual([true, true, "REFUNDS_LEFT"]);
});

it("a clinic's plan is cancelled by no other", async () => {
  expect((await set(other, { plan: "anual", status: "cancelled" })).status).toBe(200);
  expect(await ask(clinic)).toEqual([true, false, "PROVIDER_CHARGES"]);
  expect((await ask(other))[0]).toBe(false);
});
