import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readMessages, readNotifications } from "../../../sandbox/read-notifications.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { emailSchema } from "../../../src/contract/vocabulary/email.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { endTrust } from "../../../src/orders/saved-cards/end-trust.ts";
import type { Beneficiary } from "../../../src/patients/beneficiary.ts";
import { consentTexts } from "../../../src/patients/consents/consent-texts.ts";
import { findBeneficiary, giveToEmail } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { eraseData } from "../../../src/self-service/my-data/erase-data.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { CARDS, PATIENTS, present } from "./orders-world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const RUT = PATIENTS.good;

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

/** Each test has a clinic of its own, and so patients of its own. */
let clinic: TestProvider;
let checkout: Checkout;
let patient: Beneficiary;
beforeEach(async () => {
  clinic = await bff.createProvider({ knownPatients: true });
  checkout = checkoutOf({ ...bff, clinic });
  patient = await registerPatient({ ...bff, database: bff.database }, clinic, { rut: RUT });
});

const db = () => bff.database.db;
const pass = (milliseconds: number) => bff.clock.set(new Date(bff.clock.now().getTime() + milliseconds));
const read = async () => present(await findBeneficiary(db(), { tenant: clinic.provider.id, rut: parseRut(RUT) }));
const toKeep = consentTexts("es-CL", "card").map(({ purpose, text_version, text_sha256 }) => ({
  purpose,
  text_version,
  text_sha256,
}));

async function addCard(hash: string, consents: readonly object[], number: string = CARDS.approved) {
  const card = cardFor(present(readOrderId(hash)), bff.clock.now(), { number });
  const sealed_card = await seal(await checkout.sandbox.cardProcessor.sealingKey(), card);
  return checkout.call("addPaymentMethod", hash, { body: { sealed_card, consents } });
}

/** An order that was paid with a card, which its patient asked to keep. */
async function paidAndKept(number?: string): Promise<string> {
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  expect((await addCard(hash, toKeep, number)).status).toBe(200);
  expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
  await bff.runDue();
  return hash;
}

const kept = () =>
  checkout.sandbox.cardProcessor.listKeptCards({ providerId: clinic.provider.id, customer: patient.id });
const rows = () => db().selectFrom("saved_cards").selectAll().where("beneficiary_id", "=", patient.id).execute();
const start = (hash: string) => checkout.call("startRecognition", hash, { body: {} });
const verify = (hash: string, code: string, key?: string) =>
  checkout.call("verifyRecognition", hash, {
    body: { code },
    ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
  });
const useCard = (hash: string, stored_card: string) =>
  checkout.call("addPaymentMethod", hash, { body: { stored_card } });

async function messages() {
  await bff.runDue();
  const texts = await readMessages(bff.database, { providerId: clinic.provider.id, to: null, limit: 50 });
  return texts.filter(({ text }) => text.includes("código para pagar"));
}

/** Asks for a code and reads it; null if none was sent. */
async function codeFor(hash: string): Promise<string | null> {
  const before = (await messages()).length;
  expect((await start(hash)).status).toBe(202);
  const all = await messages();
  return all.length === before ? null : present(/#(\d{6})$/.exec(present(all[0]).text)?.[1]);
}

const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

describe("a card is saved", () => {
  it("as was asked with the card that has paid, not with one that came too late to be the order's", async () => {
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    expect((await addCard(hash, toKeep)).status).toBe(200);
    const consents = () => db().selectFrom("consents").select("id").where("purpose", "=", "saved_card").execute();
    const before = await consents();
    const { cardProcessor } = bff.context.parties;
    const register = cardProcessor.registerCard.bind(cardProcessor);
    vi.spyOn(cardProcessor, "registerCard").mockImplementationOnce(async (...given) => {
      expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
      return register(...given);
    });
    expect((await addCard(hash, toKeep, CARDS.debit)).status).toBe(409);
    expect(await consents()).toEqual(before);
    await bff.runDue();
    expect(await rows()).toMatchObject([{ state: "saved", last4: "6623" }]);
  });

  it("once it has paid the order with which its patient asked for it, and its patient is told", async () => {
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    await addCard(hash, toKeep);
    await bff.runDue();
    expect(await kept()).toEqual([]);
    await checkout.pay(hash);
    await bff.runDue();
    expect(await kept()).toMatchObject([{ last4: "6623", brand: "visa" }]);
    expect(await rows()).toMatchObject([{ state: "saved", order_id: hash, last4: "6623" }]);
    const mails = await readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 50 });
    expect(mails.map(({ subject }) => subject)).toContain("Guardamos tu tarjeta");
    const consents = await db().selectFrom("consents").select("purpose").where("rut", "=", RUT).execute();
    expect(consents.map(({ purpose }) => purpose)).toContain("saved_card");
  });

  it.each([
    ["without the consent", []],
    ["with the consent to another text", [{ ...present(toKeep[0]), text_sha256: "0".repeat(64) }]],
  ])("never %s", async (_name, consents) => {
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    await addCard(hash, toKeep);
    await addCard(hash, consents);
    await checkout.pay(hash);
    await bff.runDue();
    expect([await rows(), await kept()]).toEqual([[], []]);
  });

  it("never where the clinic has it off, nor with an order that is cancelled", async () => {
    const off = await bff.createProvider();
    const there = checkoutOf({ ...bff, clinic: off });
    await registerPatient({ ...bff, database: bff.database }, off, { rut: RUT });
    const hash = await there.newOrder();
    await there.identify(hash);
    const card = cardFor(present(readOrderId(hash)), bff.clock.now(), {});
    const sealed_card = await seal(await there.sandbox.cardProcessor.sealingKey(), card);
    await there.call("addPaymentMethod", hash, { body: { sealed_card, consents: toKeep } });
    expect(
      await db()
        .selectFrom("saved_cards")
        .select("id")
        .where("order_id", "=", present(readOrderId(hash)))
        .execute(),
    ).toEqual([]);

    const cancelled = await checkout.newOrder();
    await checkout.identify(cancelled);
    await addCard(cancelled, toKeep);
    expect(await rows()).toHaveLength(1);
    await checkout.call("cancelOrder", cancelled, { body: {} });
    await bff.runDue();
    expect(await rows()).toEqual([]);
  });

  it.each(["fail_before", "fail_after", "twice", "slow"] as const)(
    "and removed for good when the processor's answers fail: %s",
    async (kind) => {
      const fault = (method: string) => ({ party: "card-processor" as const, method, kind, calls: 1 });
      const providerId = clinic.provider.id;
      await inTransaction(db(), (tx) => replaceFaults(tx, providerId, [fault("keepCard"), fault("forgetCard")]));
      await paidAndKept();
      pass(DAY_MS);
      await bff.runDue();
      expect(await kept()).toHaveLength(1);
      await inTransaction(db(), (tx) => endTrust(tx, bff, patient, bff.clock.now()));
      await bff.runDue();
      pass(DAY_MS);
      await bff.runDue();
      expect([await rows(), await kept()]).toEqual([[], []]);
    },
  );

  it("and forgotten if it was removed while nobody knew whether the processor keeps it", async () => {
    const lost = { party: "card-processor" as const, method: "keepCard", kind: "fail_after" as const, calls: 1 };
    await inTransaction(db(), (tx) => replaceFaults(tx, clinic.provider.id, [lost]));
    await paidAndKept();
    expect(await rows()).toMatchObject([{ state: "saving" }]);
    await inTransaction(db(), (tx) => endTrust(tx, bff, patient, bff.clock.now()));
    pass(DAY_MS);
    await bff.runDue();
    expect([await rows(), await kept()]).toEqual([[], []]);
  });
});

describe("a known patient", () => {
  it("pays with a code and a press", async () => {
    await paidAndKept();
    const hash = await checkout.newOrder();
    const code = present(await codeFor(hash));
    const { status, body } = await verify(hash, code);
    expect(status).toBe(200);
    expect(body.cards).toEqual([
      { id: expect.any(String), brand: "visa", last4: "6623", exp_month: 12, exp_year: 2029 },
    ]);
    expect(body.order.readiness).toEqual({ identity_validated: true, payment_method_added: true });
    expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("gets the same answer again with the same code, because an answer may be lost, and may choose another card", async () => {
    await paidAndKept();
    pass(DAY_MS);
    await paidAndKept(CARDS.debit);
    const hash = await checkout.newOrder();
    const code = present(await codeFor(hash));
    const first = await verify(hash, code);
    const again = await verify(hash, code);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.cards.map(({ last4 }: { last4: string }) => last4)).toEqual(["7763", "6623"]);
    expect(again.body.order.payment_method.last4).toBe("7763");
    const chosen = await useCard(hash, again.body.cards[1].id);
    expect(chosen.body.payment_method.last4).toBe("6623");
  });

  it("may type another card instead, and loses nothing", async () => {
    await paidAndKept();
    const hash = await checkout.newOrder();
    await verify(hash, present(await codeFor(hash)));
    expect((await addCard(hash, [], CARDS.debit)).body.payment_method.last4).toBe("7763");
    expect((await checkout.pay(hash)).status).toBe(200);
  });

  it("is asked for the document again after half a year, and then has the card", async () => {
    await paidAndKept();
    pass(181 * DAY_MS);
    const hash = await checkout.newOrder();
    const { body } = await verify(hash, present(await codeFor(hash)));
    expect(body.order.readiness).toEqual({ identity_validated: false, payment_method_added: false });
    await checkout.identify(hash);
    expect((await useCard(hash, body.cards[0].id)).status).toBe(200);
  });

  it("types a card where the processor does not answer, or keeps the card no more", async () => {
    await paidAndKept();
    const silent = {
      party: "card-processor" as const,
      method: "listKeptCards",
      kind: "fail_before" as const,
      calls: 1,
    };
    await inTransaction(db(), (tx) => replaceFaults(tx, clinic.provider.id, [silent]));
    const hash = await checkout.newOrder();
    const code = present(await codeFor(hash));
    expect((await verify(hash, code)).body).toMatchObject({
      cards: [],
      order: { readiness: { identity_validated: true, payment_method_added: false } },
    });
    const { body } = await verify(hash, code);
    const [card] = await kept();
    const call = { providerId: clinic.provider.id, idempotencyKey: systemIds.uuid(), at: bff.clock.now() };
    const gone = { storedCardId: present(card).storedCardId, customer: patient.id };
    await checkout.sandbox.cardProcessor.forgetCard(call, gone);
    expect((await useCard(hash, body.cards[0].id)).body).toMatchObject({ code: "stored_card_refused" });
    await bff.runDue();
    expect(await rows()).toEqual([]);
  });
});

describe("a code that somebody else asks for", () => {
  it("is answered like the patient, in everything", async () => {
    await paidAndKept();
    const known = await checkout.newOrder();
    const unknown = await checkout.newOrder({ rut: PATIENTS.creditRefused });
    const [one, other] = [await start(known), await start(unknown)];
    expect([one.status, Object.keys(one.body)]).toEqual([other.status, Object.keys(other.body)]);
    expect((await messages()).length).toBe(1);
    const code = present(/#(\d{6})$/.exec(present((await messages())[0]).text)?.[1]);
    for (let tries = 0; tries < 7; tries += 1) {
      const [mine, theirs] = [await verify(known, another(code)), await verify(unknown, another(code))];
      const told = ({ status, body }: typeof mine) => ({ status, code: body.code, left: body.attempts_left });
      expect(told(mine)).toEqual(told(theirs));
    }
    expect((await verify(known, code)).status).toBe(410);
  });

  it("asks the database for the same before the answer", async () => {
    await paidAndKept();
    const known = await checkout.newOrder();
    const unknown = await checkout.newOrder({ rut: PATIENTS.creditRefused });
    for (const hash of [known, unknown]) await start(hash);
    const asked = await db()
      .selectFrom("recognitions")
      .select(["beneficiary_id", "code_hash", "tries"])
      .where("provider_id", "=", clinic.provider.id)
      .execute();
    // Before a timer has looked, nothing in the request has told the two apart.
    const nothing = { beneficiary_id: null, code_hash: null, tries: 0 };
    expect(asked).toEqual([nothing, nothing]);
  });

  it("uses neither a code of another order, nor an old one, nor one that was followed by another", async () => {
    await paidAndKept();
    const [mine, other] = [await checkout.newOrder(), await checkout.newOrder()];
    const code = present(await codeFor(mine));
    expect((await verify(other, code)).status).toBe(410);
    const otherCode = present(await codeFor(other));
    if (otherCode !== code) expect((await verify(other, code)).status).toBe(422);
    pass(2 * MINUTE_MS);
    const newer = present(await codeFor(mine));
    if (newer !== code) expect((await verify(mine, code)).status).toBe(422);
    pass(10 * MINUTE_MS);
    expect((await verify(mine, newer)).status).toBe(410);
  });

  it("waits between two codes of one order, known or not", async () => {
    const hash = await checkout.newOrder({ rut: PATIENTS.creditRefused });
    const statuses = (await Promise.all([start(hash), start(hash)])).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([202, 429]);
  });

  it("uses no saved card without the code, nor another's", async () => {
    await paidAndKept();
    const [card] = await rows();
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    expect((await useCard(hash, present(card).id)).body.code).toBe("stored_card_refused");
    await verify(hash, present(await codeFor(hash)));
    expect((await useCard(hash, systemIds.uuid())).body.code).toBe("stored_card_refused");
  });

  it("sends both kinds of card, or none, and is refused", async () => {
    const hash = await checkout.newOrder();
    for (const body of [{}, { sealed_card: "a.b.c.d.e", stored_card: systemIds.uuid() }])
      expect((await checkout.call("addPaymentMethod", hash, { body })).status).toBe(422);
  });

  it("has registered the RUT before its patient, whose own match is of no use to them", async () => {
    await db().deleteFrom("beneficiaries").where("id", "=", patient.id).execute();
    const email = "stranger@example.org";
    await registerPatient({ ...bff, database: bff.database }, clinic, { rut: RUT, email });
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    expect((await read()).identityMatchedAt).toBeNull();
    expect(await codeFor(await checkout.newOrder())).toBeNull();
  });
});

it("409 order_not_payable for an order that nobody can pay any more", async () => {
  const hash = await checkout.newOrder();
  await checkout.call("cancelOrder", hash, { body: {} });
  for (const answer of [await start(hash), await verify(hash, "123456")])
    expect([answer.status, answer.body.code]).toEqual([409, "order_not_payable"]);
});

it("404 order_not_found for an order that nobody has, and for another clinic's", async () => {
  const other = await bff.createProvider({ knownPatients: true });
  const foreign = (await checkoutOf({ ...bff, clinic: other }).create()).body.hash;
  for (const hash of [NO_HASH, foreign])
    for (const answer of [await start(hash), await verify(hash, "123456")]) {
      expect(answer.status).toBe(404);
      expect(answer.body.detail.error_code).toBe("order_not_found");
    }
});

describe("recognition ends", () => {
  it.each([
    [
      "a new address, for seven days",
      async () => {
        const email = emailSchema.parse("nueva@example.com");
        await inTransaction(db(), (tx) => giveToEmail(tx, systemIds, patient, { email, at: bff.clock.now() }));
      },
    ],
    [
      "an objection or a lost chargeback",
      () => inTransaction(db(), (tx) => endTrust(tx, bff, patient, bff.clock.now())),
    ],
    ["an erasure that was asked for", () => erase()],
    [
      "the clinic's setting",
      () => db().updateTable("providers").set({ known_patients: false }).where("id", "=", clinic.provider.id).execute(),
    ],
  ])("with %s: no code is sent, the one before counts no more, and the ordinary way is open", async (_name, end) => {
    await paidAndKept();
    const hash = await checkout.newOrder();
    const code = present(await codeFor(hash));
    await end();
    expect((await verify(hash, code)).status).toBe(410);
    pass(2 * MINUTE_MS);
    expect(await codeFor(hash)).toBeNull();
    expect((await checkout.identify(hash)).status).toBe(200);
    expect((await addCard(hash, [])).status).toBe(200);
  });

  it("for a card that was removed after it was chosen: the order has no card any more", async () => {
    await paidAndKept();
    const hash = await checkout.newOrder();
    const { body } = await verify(hash, present(await codeFor(hash)));
    expect(body.order.readiness.payment_method_added).toBe(true);
    await inTransaction(db(), (tx) => endTrust(tx, bff, patient, bff.clock.now()));
    expect((await checkout.pay(hash)).body.code).toBe("processor_payment_method_not_found");
    expect((await useCard(hash, body.cards[0].id)).body.code).toBe("stored_card_refused");
  });
});

describe("in their data, a patient", () => {
  it("sees where a card was saved and used, and removes it", async () => {
    const saved = await paidAndKept();
    const used = await checkout.newOrder();
    await verify(used, present(await codeFor(used)));
    await checkout.pay(used);
    await bff.runDue();
    const opened = await openData();
    const call = (name: "readPatientData" | "removeSavedCard", body: object) =>
      bff.callWidgetHost(spotEndpoints[name], { as: clinic, body: { ...opened, ...body } });
    const { saved_cards: cards } = (await call("readPatientData", {})).body;
    expect(cards).toMatchObject([
      { last4: "6623", provider: clinic.provider.name, uses: [{ order_token: used, provider: clinic.provider.name }] },
    ]);
    expect(saved).not.toBe(used);
    for (const _twice of [1, 2])
      expect((await call("removeSavedCard", { saved_card: cards[0].id })).body).toEqual({ status: "removed" });
    await bff.runDue();
    expect((await call("readPatientData", {})).body.saved_cards).toEqual([]);
    expect(await kept()).toEqual([]);
  });
});

async function erase() {
  const act = { patient: await read(), providerId: clinic.provider.id, actor: "patient", now: bff.clock.now() };
  await eraseData({ ...bff.context, db: db() }, act);
}

/** Opens the link to the patient's data, and answers its code. */
async function openData(): Promise<{ widget_token: string; access: string }> {
  const mails = async () => {
    await bff.runDue();
    return readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 50 });
  };
  await bff.callSpotApi(spotEndpoints.sendDataLink, { as: clinic, body: { rut: RUT } });
  const link = present((await mails()).find(({ subject }) => subject === "Tus datos"));
  const widget_token = present(
    new URL(present(/https?:\S+widget_token=\S+/.exec(link.text)?.[0])).searchParams.get("widget_token"),
  );
  await bff.callWidgetHost(spotEndpoints.sendLinkCode, { as: clinic, body: { widget_token } });
  const sent = present((await mails()).find(({ subject }) => subject === "Tu código"));
  const code = present(/\b\d{6}\b/.exec(sent.text)?.[0]);
  const { body } = await bff.callWidgetHost(spotEndpoints.answerLinkCode, { as: clinic, body: { widget_token, code } });
  return { widget_token, access: body.access };
}
