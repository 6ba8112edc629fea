import { afterEach, expect, test } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { type SwitchedOff, switchOff, switchOn } from "../../../src/platform/switch-store.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { knownPatientsOf } from "../orders/known-patients-world.ts";
import { CARDS } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const off: SwitchedOff[] = [];
async function turnOff(what: SwitchedOff["what"], providerId: string | null): Promise<void> {
  off.push({ what, providerId });
  await switchOff(world.bff.database.db, { what, providerId });
}
async function turnAllOn(): Promise<void> {
  for (const each of off.splice(0)) await switchOn(world.bff.database.db, each);
}
afterEach(turnAllOn);

/** The card processor's own movements, as `kind amount`. */
async function movements(): Promise<string[]> {
  const { id } = clinic.clinic.provider;
  const list = await clinic.sandbox.cardProcessor.listMovements(id, new Date("2026-01-01"), new Date("2100-01-01"));
  return list.map(({ kind, amount }) => `${kind} ${amount}`);
}

test("switching charges off stops deferred and early charges of one provider first, and no other's", async () => {
  const ready = await clinic.readyOrder();
  const paid = await clinic.justPaid();
  const other = await world.newClinic();
  const othersPaid = await other.justPaid();
  await turnOff("charges", clinic.clinic.provider.id);
  expect(await clinic.pay(ready)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  // Moves by days, not by due timers: the clock would stop at the disabled charge.
  for (let day = 1; day <= 50; day += 1) {
    world.bff.clock.advance(DAY_MS);
    await world.bff.runDue();
  }
  expect([await clinic.tries(paid), await other.tries(othersPaid)]).toEqual([[], ["captured"]]);
  await turnAllOn();
  await world.bff.runDue();
  // Its day has passed, so the charge is announced again.
  expect(await clinic.tries(paid)).toEqual([]);
  await world.bff.advance(4 * DAY_MS);
  expect(await clinic.tries(paid)).toEqual(["captured"]);
});

test("a patient back from the challenge is not charged while charges are off, and charged once when they are on", async () => {
  const hash = await clinic.readyOrder({ card: CARDS.challenge });
  await clinic.press((await clinic.pay(hash)).body.payment.action.url, "approve");
  await turnOff("charges", clinic.clinic.provider.id);
  expect(await clinic.pay(hash)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
  await world.bff.runDue();
  expect([(await clinic.read(hash)).status, await movements()]).toEqual(["pending", []]);
  await turnAllOn();
  expect((await clinic.pay(hash)).body.payment.status).toBe("succeeded");
  await world.bff.advance(DAY_MS);
  expect(await movements()).toEqual(["charge 12000"]);
});

test("a patient who does not return while charges are off is charged once when they are on", async () => {
  const hash = await clinic.readyOrder({ card: CARDS.challenge });
  await clinic.press((await clinic.pay(hash)).body.payment.action.url, "approve");
  await turnOff("charges", null);
  world.bff.clock.advance(HOUR_MS);
  await world.bff.runDue();
  expect(await movements()).toEqual([]);
  await turnAllOn();
  await world.bff.runDue();
  expect([(await clinic.read(hash)).status, await movements()]).toEqual(["paid", ["charge 12000"]]);
});

test("claims and mails that are switched off wait, and resume when switched on", async () => {
  await turnOff("claims", null);
  await turnOff("mails", null);
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  expect([(await clinic.read(hash)).expense?.status, await clinic.mails()]).toEqual(["received", []]);
  await turnAllOn();
  await world.bff.runDue();
  expect((await clinic.read(hash)).expense?.status).toBe("filed");
  expect((await clinic.mails()).length).toBeGreaterThan(0);
});

test("claims that were off for weeks do not count as blocked: their access is sent again before an inquiry", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  await turnOff("claims", null);
  world.bff.clock.advance(10 * DAY_MS);
  await world.bff.runDue();
  await turnAllOn();
  await world.bff.advance(HOUR_MS);
  expect((await clinic.read(hash)).expense?.status).toBe("filed");
  await world.bff.advance(3 * DAY_MS);
  expect([await clinic.collectionStatus(hash), await clinic.mailTexts("No podemos entrar a tu isapre")]).toEqual([
    "collected approved",
    [],
  ]);
});

test("one-time codes go out while mails are off: to recover a record, to open a link and to be recognised", async () => {
  const known = await knownPatientsOf(world.bff);
  await known.paidAndKept();
  known.pass(HOUR_MS);
  const { rut } = known.patient;
  const asClinic = { as: known.clinic };
  const before = (await known.mails()).length;
  const subjectsSince = async () => (await known.mails()).slice(0, -before).map(({ subject }) => subject);
  await turnOff("mails", known.clinic.provider.id);
  const recovery = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...asClinic, body: {} });
  const asked = { rut, way: "email_code", widget_token: recovery.body.widget_token };
  await world.bff.callSpotApi(spotEndpoints.startRecovery, { ...asClinic, body: asked });
  expect(await subjectsSince()).toEqual(["Tu código para confirmar tus datos"]);
  expect(await known.codeFor(await known.checkout.newOrder())).not.toBeNull();

  known.pass(HOUR_MS);
  await world.bff.callSpotApi(spotEndpoints.sendDataLink, { ...asClinic, body: { rut } });
  expect(await subjectsSince()).toEqual(["Tu código para confirmar tus datos"]);
  await turnAllOn();
  expect(await subjectsSince()).toEqual(["Tus datos", "Tu código para confirmar tus datos"]);
  await turnOff("mails", null);
  expect((await known.openSentData()).access).toBeDefined();
});
