import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { type MessageGateway, startMessageGateway } from "../gateways/message-gateway.ts";
import { CARDS } from "../orders/orders-world.ts";

const MINUTE_MS = 60_000;
/** Longer than a notice is retried, and shorter than the wait for an order's receipt. */
const TRIED_MS = 2 * DAY_MS;

/** The state of a clinic's notices, as `kind channel state`. */
async function notificationsOf(world: AfterPaidWorld, clinic: Clinic): Promise<string[]> {
  const rows = await world.bff.database.db
    .selectFrom("notices")
    .select(["kind", "channel", "state"])
    .where("provider_id", "=", clinic.clinic.provider.id)
    .execute();
  return rows.map(({ kind, channel, state }) => `${kind} ${channel} ${state}`).toSorted();
}

describe("through a gateway over HTTP", () => {
  let gateway: MessageGateway;
  let world: AfterPaidWorld;
  let clinic: Clinic;
  beforeAll(async () => {
    gateway = await startMessageGateway();
  });
  beginEach({ options: () => ({ ...WITHOUT_CLINICS_MONEY, environment: gateway.environment }) }, (beginning) => {
    ({ world, clinic } = beginning);
  });
  afterEach(() => gateway.trouble());
  afterAll(() => gateway.close());

  /** The messages that reached telephones during an action. */
  async function arrivedDuring(work: () => Promise<unknown>): Promise<string[]> {
    const before = gateway.arrived.length;
    await work();
    return gateway.arrived.slice(before).map(({ text }) => text);
  }

  test("a receipt is sent once by mail and once as a message, even if a second card paid it", async () => {
    const texts = await arrivedDuring(async () => {
      const hash = await clinic.readyOrder({ card: CARDS.declined });
      expect((await clinic.pay(hash)).body.code).toBe("card_declined");
      await clinic.addCard(hash, LATER.captured);
      await clinic.pay(hash);
      await world.bff.advance(TRIED_MS);
    });
    expect(texts).toEqual([
      expect.stringMatching(/^Clinica Los Aromos del Sur SpA: recibimos tu pago de \$12\.000\. /),
    ]);
    expect(gateway.arrived.at(-1)?.to).toBe("+56912345678");
    const [receipt] = await clinic.mailTexts("Tu pago en Clínica Los Aromos del Sur SpA");
    for (const phrase of [
      "••6623",
      "Adjuntos: tu comprobante, tu contrato y un aviso para tu calendario.",
      "Código de autorización: ",
      "Comisión (IVA incluido): $2.800",
      "81,11%",
      "Financiera",
      "no es una boleta",
    ])
      expect(receipt).toContain(phrase);
    expect(await clinic.mails()).toEqual(["Tu pago en Clínica Los Aromos del Sur SpA"]);
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email sent",
      "payment_receipt message sent",
    ]);
  });

  test("a patient whose checkout was in English gets messages and mails in English", async () => {
    const consents = consentTexts("en", "payment").map(({ purpose, text_version, text_sha256 }) => ({
      purpose,
      text_version,
      text_sha256,
    }));
    const texts = await arrivedDuring(async () => {
      const hash = await clinic.readyOrder();
      await clinic.pay(hash, { body: { consents } });
      await world.bff.runDue();
      await clinic.approve(hash);
      await world.bff.advance(HOUR_MS);
    });
    expect(texts).toEqual([
      expect.stringContaining("we received your payment of $12.000"),
      expect.stringContaining("we made the second charge, $30.800"),
    ]);
    const receipt = "Your payment at Clínica Los Aromos del Sur SpA";
    expect((await clinic.mails()).toSorted()).toEqual([
      "Receipt (boleta electrónica) No. 1",
      "We made the second charge of your payment at Clínica Los Aromos del Sur SpA",
      receipt,
    ]);
    expect(await clinic.mailTexts(receipt)).toEqual([
      expect.stringMatching(/^Hello, .*At the latest: \d+ \w+ \d{4}\n.*Questions\? Write to /s),
    ]);
  });

  test.each([
    ["a 500", ["error"]],
    ["a lost answer", ["lost"]],
    ["an invalid answer", ["garbage"]],
    ["one trouble after the other", ["lost", "error", "lost", "garbage"]],
  ] as const)("after %s the message is sent again under the same key, and arrives once", async (_name, troubles) => {
    gateway.trouble(...troubles);
    const keysBefore = gateway.keys.length;
    const texts = await arrivedDuring(async () => {
      await clinic.paidOrder();
      await world.bff.advance(TRIED_MS);
    });
    expect(texts).toHaveLength(1);
    const keys = gateway.keys.slice(keysBefore);
    expect(keys).toHaveLength(troubles.length + 1);
    expect(new Set(keys).size).toBe(1);
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email sent",
      "payment_receipt message sent",
    ]);
  });

  test("a number that bounces is not retried, and delays neither the mail nor later messages", async () => {
    gateway.trouble("refused");
    const keysBefore = gateway.keys.length;
    const hash = await clinic.paidOrder();
    await world.bff.advance(TRIED_MS);
    expect(gateway.keys.length - keysBefore).toBe(1);
    const texts = await arrivedDuring(async () => {
      await clinic.approve(hash);
      await world.bff.advance(HOUR_MS);
    });
    expect(texts).toEqual([expect.stringContaining("hicimos el segundo cobro, $30.800")]);
    expect(await clinic.mails()).toHaveLength(3);
    expect(await notificationsOf(world, clinic)).toEqual([
      "charged email sent",
      "charged message sent",
      "payment_receipt email sent",
      "payment_receipt message refused",
      "tax_document email sent",
    ]);
  });

  test("a mail does not wait for a gateway that hangs", async () => {
    gateway.trouble("holds");
    const held = new Promise<void>((resolve) => {
      gateway.onHeld = resolve;
    });
    await clinic.paidOrder();
    const working = world.bff.runDue();
    await held;
    await expect.poll(() => clinic.mails()).toHaveLength(1);
    gateway.release();
    await working;
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email sent",
      "payment_receipt message sent",
    ]);
  });

  test("a notice to a gateway that never answers is given up, while all other patients are notified", async () => {
    gateway.trouble(...Array.from({ length: 20 }, () => "error" as const));
    const keysBefore = gateway.keys.length;
    await clinic.paidOrder();
    await world.bff.advance(TRIED_MS);
    expect(gateway.keys.length - keysBefore).toBe(8);
    expect(await clinic.mails()).toHaveLength(1);
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email sent",
      "payment_receipt message given_up",
    ]);
  });
});

describe("on the sandbox's telephones", () => {
  let world: AfterPaidWorld;
  let clinic: Clinic;
  beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
    ({ world, clinic } = beginning);
  });

  test.each([
    ["before the message has left", "fail_before"],
    ["after it has arrived", "kill_after"],
  ] as const)("a process that dies %s: the message arrives once", async (_when, fault) => {
    await clinic.fault("messenger", "sendMessage", fault);
    await clinic.paidOrder();
    await world.bff.advance(TRIED_MS);
    expect(await clinic.messages()).toHaveLength(1);
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email sent",
      "payment_receipt message sent",
    ]);
  });

  test.each([
    ["a landline", "+56 2 2345 6789", []],
    ["a number that does not exist", "+56 9 0000 0001", ["payment_receipt message refused"]],
    ["one that wants no messages", "+56 9 0000 0003", ["payment_receipt message refused"]],
  ])("%s gets no message, but still the mail", async (_name, phone_number, messages) => {
    await clinic.paidOrder({ customer: { phone_number } });
    await world.bff.advance(TRIED_MS);
    expect(await clinic.messages()).toEqual([]);
    expect(await notificationsOf(world, clinic)).toEqual(["payment_receipt email sent", ...messages]);
  });

  test("an address that bounces does not delay the message", async () => {
    await clinic.paidOrder({ customer: { email: "rebota@example.com" } });
    await world.bff.advance(TRIED_MS);
    expect(await clinic.messages()).toHaveLength(1);
    expect(await notificationsOf(world, clinic)).toEqual([
      "payment_receipt email refused",
      "payment_receipt message sent",
    ]);
  });

  test("a telephone gets only the receipt at night, and everything else from eight", async () => {
    world.bff.clock.advance(7 * HOUR_MS);
    const hash = await clinic.paidOrder();
    await world.bff.advance(MINUTE_MS);
    await clinic.refund(hash, { amount: 5_000 });
    await world.bff.advance(HOUR_MS);
    expect(await clinic.messages()).toHaveLength(1);
    expect(await clinic.mails()).toHaveLength(2);
    const eight = santiagoMoment(santiagoDay(new Date(world.bff.clock.now().getTime() + 2 * HOUR_MS)), 8);
    await world.bff.advance(eight.getTime() - world.bff.clock.now().getTime() - 1_000);
    expect(await clinic.messages()).toHaveLength(1);
    await world.bff.advance(1_000);
    expect(await clinic.messages()).toEqual([
      expect.any(String),
      expect.stringContaining("$5.350 ya no se cobran, el segundo cobro es de $25.450"),
    ]);
  });

  // In the short check: bff/src/notifications/message.test.ts:
  // $kind is a fixed text, the same for every payment, with its values filled in.
  test("the whole life of a claim sends one message for each mail, and no message has a link that opens a page", {
    tags: ["long"],
  }, async () => {
    await clinic.claimedOrder(PATIENTS.blockedOnDay2, LATER.declined);
    await world.bff.advance(60 * DAY_MS);
    const notices = await notificationsOf(world, clinic);
    const of = (channel: string) =>
      notices
        .filter((notification) => notification.includes(` ${channel} `))
        .map((notification) => notification.split(" ")[0]);
    expect(of("message")).toEqual(of("email"));
    expect(new Set(of("message"))).toEqual(
      new Set(["payment_receipt", "claim_filed", "access_blocked", "charge_declined"]),
    );
    for (const text of await clinic.messages()) expect(text).not.toMatch(/https?:|widget_token/);
  });
});
