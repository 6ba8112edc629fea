// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { CARDS, CheckoutFrame, newPatient, PEOPLE } from "@aapd/e2e";
import { test as base } from "@aapd/e2e/fixtures";
import { expect } from "@playwright/test";

/* Each worker has its own tenant, and starts its own back end with that tenant's keys. */

const origins = (process.env.BACK_END_PORTS ?? "").split(",").map((port) => `http://127.0.0.1:${port}`);

/** @type {typeof base.extend<{}, { backEnd: string }>} */
const extend = base.extend;
const test = extend({
  backEnd: [
    async ({ tenant }, use, { parallelIndex }) => {
      const origin = origins[parallelIndex] ?? "";
      const env = { ...process.env, ...tenant.variables, PORT: new URL(origin).port };
      const server = spawn(process.execPath, ["server.js"], { env, stdio: "inherit" });
      await expect
        .poll(() =>
          fetch(origin).then(
            ({ status }) => status,
            () => 0,
          ),
        )
        .toBe(200);
      await use(origin);
      server.kill();
      await once(server, "exit");
    },
    { scope: "worker" },
  ],
});
test.use({ sandbox: { origins } });

test("a patient pays in English after the bank has asked, and the rest is charged on the latest day", async ({
  page,
  request,
  backEnd,
  clock,
  events,
  mail,
}) => {
  const patient = newPatient();
  await page.goto(`${backEnd}/?rut=${patient.rut}&locale=en`);
  const checkout = new CheckoutFrame(page);
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.challenge);
  await checkout.pay();
  await checkout.answerBank("leave");
  await checkout.pay();
  await checkout.answerBank("approve");
  await checkout.isDone();

  const { hash } = await (await request.get(`${backEnd}/sale`)).json();
  await events.next("order.paid", hash);
  // The back end has put this address into the order. Mails are in the language of the widget token.
  const address = `camila.${patient.rut.replaceAll(/\D/g, "")}@example.com`;
  const receipt = await mail.next(address, /^Tu pago en /);
  expect(receipt.link).toContain("widget_token=");
  const before = await clock.now();
  await clock.advance("46d");
  expect((await clock.now()).getTime() - before.getTime()).toBeGreaterThan(45 * 86_400_000);
  await expect.poll(async () => (await mail.to(address))[0]?.subject).toMatch(/cobro/);
});

test("a patient rejects at the bank, and pays with another card", async ({ page, backEnd }) => {
  const patient = newPatient();
  await page.goto(`${backEnd}/?rut=${patient.rut}&locale=en`);
  const checkout = new CheckoutFrame(page);
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.challenge);
  await checkout.pay();
  await checkout.answerBank("reject");
  await checkout.changeCard(CARDS.debit);
  await checkout.pay();
  await checkout.isDone();
});

test("a claim is held, by the trigger and by the patient's RUT", async ({ trigger, events }) => {
  const { order } = await trigger("claim_held");
  expect(order.customer.rut).toBe(PEOPLE.claimHeld.rut);
  expect(order.claim?.status).toBe("held");
  expect((await events.next("order.paid", order.hash)).reference).toBe(order.reference);
});
