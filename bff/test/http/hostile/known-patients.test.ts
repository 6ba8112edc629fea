import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { CODE_TRIES_MAX, CODES_PER_DAY_MAX } from "../../../src/contract/terms.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { phoneSchema } from "../../../src/contract/vocabulary/phone.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { gsm7Parts } from "../../../src/notifications/gsm7.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { openTestDatabase } from "../../database.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { auditOf } from "../audit-of.ts";
import { seal } from "../gateways/start-gateways.ts";
import { NO_HASH } from "../orders/checkout.ts";
import { another, DAY_MS, type KnownPatients, knownPatientsOf, MINUTE_MS } from "../orders/known-patients-world.ts";
import { CARDS, PATIENTS, present } from "../orders/orders-world.ts";
import { CAMILA, given } from "../spot/people.ts";

/*
 * Attacks by strangers who want to pay with a known patient's card, or to learn that the patient exists, and mishaps of
 * the patient. Nothing is revealed or charged, and the patient can still pay without recognition.
 */

const RUT = PATIENTS.good;
/** A person of whom the clinic has no record. */
const UNKNOWN = PATIENTS.creditRefused;

/** The statements that a test records. */
let statements: string[] | null = null;
/** The number of times that a code was compared with a hash. */
let comparisons = 0;

let bff: TestBff;
beforeAll(async () => {
  const database = await openTestDatabase();
  const watched = database.db.withPlugin({
    transformQuery({ node, queryId }) {
      statements?.push(database.db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const keyring = createKeyring({ keys: [{ id: "test", secret: Buffer.alloc(32, 1) }], environment: "staging" });
  bff = await startBff({
    database: { ...database, db: Object.assign(watched, { executeQuery: database.db.executeQuery.bind(database.db) }) },
    keyring: {
      ...keyring,
      matches(...asked) {
        comparisons += 1;
        return keyring.matches(...asked);
      },
    },
  });
});
afterAll(() => bff.close());

let at: KnownPatients;
beforeEach(async () => {
  await bff.forgetTimers();
  at = await knownPatientsOf(bff);
  await at.paidAndKept();
});

/** The part of an answer that a caller can compare. */
const visibleTo = ({ status, body }: TestAnswer) => ({ status, code: body.code, left: body.attempts_left });
const charges = async () => (await at.db.selectFrom("sandbox_movements").select("id").execute()).length;

async function workOf(act: () => Promise<unknown>) {
  statements = [];
  comparisons = 0;
  await act();
  const work = { statements, comparisons };
  statements = null;
  return work;
}

describe("a stranger with the RUT", () => {
  it("gets the same answer for an unknown order and for another clinic's", async () => {
    const other = await knownPatientsOf(bff);
    const foreign = await other.checkout.newOrder();
    const disown = (hash: string) => at.checkout.call("disownRecognition", hash, { body: {} });
    for (const act of [at.start, (hash: string) => at.verify(hash, "123456"), disown])
      expect(visibleTo(await act(foreign))).toEqual(visibleTo(await act(NO_HASH)));
    expect(await other.messages()).toEqual([]);
  });

  it("is refused before any lookup when calling from outside the clinic's pages", async () => {
    const hash = await at.checkout.newOrder();
    for (const name of ["startRecognition", "verifyRecognition"] as const) {
      const body = name === "startRecognition" ? {} : { code: "123456" };
      const answer = await bff.callOrderApi(orderEndpoints[name], { params: { hash }, body });
      expect(answer.status).toBe(401);
    }
    expect(await at.messages()).toEqual([]);
  });

  it("gains nothing from the patient's own match after registering the RUT first", async () => {
    const clinic = await bff.createProvider({ knownPatients: true });
    const stranger = { rut: RUT, email: "stranger@example.org" };
    const record = await registerPatient({ ...bff, database: bff.database }, clinic, stranger);
    const { insurer: _, ...customer } = CAMILA;
    const as = { as: clinic };
    const order = () =>
      bff.callOrderApi(orderEndpoints.createOrder, {
        ...as,
        body: {
          reference: systemIds.uuid(),
          total_amount: 40_000,
          customer: { ...customer, email: "camila@example.com" },
        },
      });
    const { hash } = (await order()).body;
    const identified = await bff.callOrderApi(orderEndpoints.validateIdentity, {
      ...as,
      params: { hash },
      body: { document_serial: "123456789" },
    });
    expect(identified.status).toBe(200);
    const matched = at.db.selectFrom("beneficiaries").select("identity_matched_at").where("id", "=", record.id);
    expect(await matched.executeTakeFirst()).toEqual({ identity_matched_at: null });
  });
});

describe("a stranger with the RUT and the clinic's page", () => {
  it("gets the same answer for a known and an unknown patient, after the same work", async () => {
    const known = await at.checkout.newOrder();
    const unknown = await at.checkout.newOrder({ rut: UNKNOWN });
    const answers: TestAnswer[] = [];
    const started = [];
    for (const hash of [known, unknown]) await at.show(hash);
    for (const hash of [known, unknown])
      started.push(await workOf(async () => void answers.push(await at.start(hash))));
    expect(started[0]?.statements.length).toBeGreaterThan(2);
    expect(started[0]).toEqual(started[1]);
    const [one, other] = answers.map(({ status, body, headers }) => ({
      status,
      body,
      type: headers.get("content-type"),
    }));
    expect(one).toEqual(other);
    const [{ text }] = [present((await at.messages())[0])];
    const code = present(/#(\d{6})$/.exec(text)?.[1]);
    for (let tries = 0; tries < CODE_TRIES_MAX + 2; tries += 1) {
      const tried: TestAnswer[] = [];
      const works = [];
      for (const hash of [known, unknown])
        works.push(await workOf(async () => void tried.push(await at.verify(hash, another(code)))));
      expect(works[0]).toEqual(works[1]);
      expect(tried.map(visibleTo)[0]).toEqual(tried.map(visibleTo)[1]);
      expect(tried[0]?.body).toEqual(tried[1]?.body);
    }
    const by = { actor: "unknown", credential_id: null, provider_id: at.clinic.provider.id };
    const of = { subject_kind: "order", subject_id: known };
    const written = (await auditOf(at.db, known)).filter(({ act }) => act.startsWith("one_time_code"));
    expect(written).toHaveLength(CODE_TRIES_MAX);
    for (let number = 1; number <= CODE_TRIES_MAX; number += 1)
      expect(written).toContainEqual({ act: "one_time_code.wrong", ...by, ...of, details: { try: number } });
    expect((await at.verify(known, code)).status).toBe(410);
    expect(await at.checkout.read(known)).toMatchObject({
      readiness: { identity_validated: false, payment_method_added: false },
    });
  });

  it("cannot use a saved card without the code, or another patient's card with it", async () => {
    const [card] = await at.rows();
    const hash = await at.checkout.newOrder();
    expect((await at.useCard(hash, present(card).id)).body.code).toBe("processor_customer_identity_not_validated");
    await at.checkout.identify(hash);
    expect((await at.useCard(hash, present(card).id)).body.code).toBe("stored_card_refused");
    await at.verify(hash, present(await at.codeFor(hash)));
    expect((await at.useCard(hash, systemIds.uuid())).body.code).toBe("stored_card_refused");
  });

  it("is refused when sending both kinds of card, or none", async () => {
    const hash = await at.checkout.newOrder();
    for (const body of [{}, { sealed_card: "a.b.c.d.e", stored_card: systemIds.uuid() }])
      expect((await at.checkout.call("addPaymentMethod", hash, { body })).status).toBe(422);
  });

  it("can have ten codes a day sent to the patient, for any number of orders, and sees no difference", async () => {
    const sent: (string | null)[] = [];
    for (let asked = 0; asked <= CODES_PER_DAY_MAX; asked += 1)
      sent.push(await at.codeFor(await at.checkout.newOrder()));
    expect(sent.map((code) => code !== null)).toEqual([...Array(CODES_PER_DAY_MAX).fill(true), false]);
    at.pass(DAY_MS);
    expect(await at.codeFor(await at.checkout.newOrder())).not.toBeNull();
  });

  it("is stopped at one order after too many guesses, without an effect on the clinic's other orders", async () => {
    const [guessed, other] = [await at.checkout.newOrder(), await at.checkout.newOrder()];
    const statuses = new Set<number>();
    for (let tries = 0; tries < 40; tries += 1) statuses.add((await at.verify(guessed, "123456")).status);
    expect([...statuses]).toEqual([410, 429]);
    expect((await at.verify(other, present(await at.codeFor(other)))).status).toBe(200);
  });

  it("waits between two codes of one order, known or not", async () => {
    const hash = await at.checkout.newOrder({ rut: UNKNOWN });
    const statuses = (await Promise.all([at.start(hash), at.start(hash)])).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([202, 429]);
  });
});

describe("a dishonest clinic that relays a known patient's code", () => {
  const ATTACKED = 900_000;

  /** The clinic's server acts alone, and no page of the order is shown to anyone. */
  async function relay() {
    const hash = await at.checkout.newOrder({ total: ATTACKED });
    expect((await at.checkout.call("startRecognition", hash, { body: {} })).status).toBe(202);
    const [message] = await at.messages();
    const code = present(/#(\d{6})$/.exec(message?.text ?? "")?.[1]);
    const verify = () => at.checkout.call("verifyRecognition", hash, { body: { code } });
    return { hash, code, text: message?.text ?? "", verify };
  }

  const mint = async (hash: string) =>
    (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: at.clinic, body: { order_token: hash } })).body;

  it("is refused if no page of the order was shown, even if its server read the page; nothing is charged", async () => {
    const before = await charges();
    const { hash, verify } = await relay();
    expect(visibleTo(await verify())).toEqual({ status: 409, code: "page_not_shown", left: undefined });
    const { url, widget_token } = await mint(hash);
    await fetch(url);
    await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token: widget_token } });
    expect((await verify()).body.code).toBe("page_not_shown");
    const [card] = await at.rows();
    expect((await at.useCard(hash, present(card).id)).status).toBe(400);
    expect((await at.checkout.pay(hash)).body.code).toBe("processor_customer_identity_not_validated");
    expect(await charges()).toBe(before);
  });

  it("is refused if the shown page of the order was revoked", async () => {
    const { hash, verify } = await relay();
    const { widget_token } = await mint(hash);
    const shown = await bff.callWidgetHost(spotEndpoints.reportShown, { as: at.clinic, body: { widget_token } });
    expect(shown.status).toBe(200);
    await bff.callSpotApi(spotEndpoints.revokeWidgetToken, { as: at.clinic, params: { token: widget_token } });
    expect((await verify()).body.code).toBe("page_not_shown");
  });

  it("cannot keep clinic, amounts and card out of the patient's message, which fits two parts", async () => {
    const { code, text } = await relay();
    expect(text).toMatch(/^Clinica Los Aromos del Sur SpA: /);
    for (const named of [code, "hoy $270.000", "de un total de $900.000", "terminada en 6623"])
      expect(text).toContain(named);
    expect(gsm7Parts(text)).toBeLessThanOrEqual(2);
  });

  it("is named by the centre of the order in a network", async () => {
    const id = systemIds.uuid();
    const hash = await at.checkout.newOrder();
    const now = bff.clock.now();
    const center = { id, provider_id: at.clinic.provider.id, rut: parseRut("76900002-K"), name: "Centro Ñuñoa" };
    const dates = { created_at: now, updated_at: now };
    await at.db
      .insertInto("centers")
      .values({ ...center, email: "c@example.com", sealed_bank_account: null, ...dates })
      .execute();
    const treats = { center_id: id, center_rut: center.rut };
    await at.db
      .updateTable("orders")
      .set(treats)
      .where("id", "=", hash as OrderId)
      .execute();
    const code = present(await at.codeFor(hash));
    expect((await at.messages())[0]?.text).toMatch(/^Centro Ñuñoa: /);
    expect((await at.verify(hash, code)).status).toBe(200);
  });

  it("cannot keep clinic, amounts and card out of the patient's mail", async () => {
    const { hash } = await relay();
    at.pass(MINUTE_MS);
    await at.checkout.call("startRecognition", hash, { body: {} });
    const mail = (await at.mails()).find(({ subject }) => subject.startsWith("Tu código para pagar en"));
    for (const named of [at.clinic.provider.name, "$270.000", "$900.000", "••6623"])
      expect(mail?.text).toContain(named);
  });

  it("cannot use the code of a small order for a large one", async () => {
    const small = await at.checkout.newOrder({ total: 1_000 });
    const code = present(await at.codeFor(small));
    expect((await at.verify(small, code)).status).toBe(200);
    const large = await at.checkout.newOrder({ total: ATTACKED });
    await at.show(large);
    expect((await at.verify(large, code)).body.code).toBe("recovery_code_expired");
    const [card] = await at.rows();
    await at.checkout.identify(large);
    expect((await at.useCard(large, present(card).id)).body.code).toBe("stored_card_refused");
  });

  it.each([
    [
      "the total",
      (hash: string) =>
        at.db
          .updateTable("orders")
          .set({ total: 50_000, first_part: 15_000, deferred_part: 35_000 })
          .where("id", "=", hash as OrderId)
          .execute(),
    ],
    [
      "the clinic's name",
      () =>
        at.db.updateTable("providers").set({ name: "Otra Clínica" }).where("id", "=", at.clinic.provider.id).execute(),
    ],
  ])("cannot change %s after the code was sent: code and recognition are void", async (_what, change) => {
    const [sent, answered] = [await at.checkout.newOrder(), (await at.recognised()).hash];
    const code = present(await at.codeFor(sent));
    for (const hash of [sent, answered]) await change(hash);
    expect((await at.verify(sent, code)).body.code).toBe("recovery_code_expired");
    expect((await at.checkout.read(sent)).readiness.identity_validated).toBe(false);
    expect((await at.checkout.pay(answered)).body.code).toBe("processor_customer_identity_not_validated");
  });

  it("can pay only with the saved card that the message named", async () => {
    await at.paidAndKept("4051884239937763");
    const { hash, body } = await at.recognised();
    const other = body.cards.find(({ id }: { id: string }) => id !== body.stored_card);
    expect((await at.useCard(hash, other.id)).body.code).toBe("stored_card_code_required");
    const code = present(await at.codeFor(hash, other.id));
    const sent = (await at.messages()).find(({ text }) => text.endsWith(`#${code}`));
    expect(sent?.text).toContain(`terminada en ${other.last4}`);
    const chosen = await at.verify(hash, code);
    expect([chosen.body.stored_card, chosen.body.order.payment_method.last4]).toEqual([other.id, other.last4]);
    expect((await at.verify(hash, code)).body.order.payment_method.last4).toBe(other.last4);
    expect((await at.useCard(hash, body.stored_card)).body.code).toBe("stored_card_code_required");
  });

  it("gets the same answer for a card of another patient, and no code is sent", async () => {
    const hash = await at.checkout.newOrder();
    expect(await at.codeFor(hash, systemIds.uuid())).toBeNull();
  });

  it("gets no saved card on the order if the issuer has changed its digits since the message", async () => {
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    await at.db.updateTable("saved_cards").set({ last4: "1111" }).where("beneficiary_id", "=", at.patient.id).execute();
    await at.db
      .updateTable("recognitions")
      .set({ card_last4: "9999" })
      .where("order_id", "=", hash as OrderId)
      .execute();
    const { body } = await at.verify(hash, code);
    expect([body.status, body.stored_card, body.order.payment_method]).toEqual(["recognised", null, null]);
  });
});

describe("a stranger with the patient's telephone", () => {
  it("gets no code at a number that is less than seven days old in the record", async () => {
    const request = { kind: "rectification", field: "phone_number", words: "+56 9 8765 4321" };
    await at.inData("makeRightsRequest", await at.openData(), { request });
    await at.resolve("grant_request");
    const hash = await at.checkout.newOrder();
    at.pass(7 * DAY_MS - MINUTE_MS);
    expect(await at.codeFor(hash)).toBeNull();
    expect((await at.verify(hash, "123456")).status).toBe(422);
    at.pass(MINUTE_MS);
    expect(await at.codeFor(hash)).not.toBeNull();
  });

  it("proves no registration by a code: the portal's password stays the patient's", async () => {
    const { hash } = await at.recognised();
    const asClinic = { as: at.clinic };
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...asClinic, body: { order_token: hash } });
    expect(minted.status).toBe(201);
    const sealed_insurer_access = await seal(await at.checkout.sandbox.insurer.sealingKey(), {
      insurer: CAMILA.insurer,
      rut: RUT,
      password: "la-de-otro",
      iat: Math.floor(bff.clock.now().getTime() / 1_000),
    });
    const body = { ...CAMILA, consents: given("onboarding", "insurer_access"), sealed_insurer_access };
    const signedUp = await bff.callSpotApi(spotEndpoints.registerPatient, {
      ...asClinic,
      body: { ...body, widget_token: minted.body.widget_token },
    });
    expect(signedUp.status).toBe(200);
    expect((await at.read()).sealedInsurerAccess).toBeNull();
    // The registry's answer about this order proves it.
    await at.checkout.identify(hash);
    expect((await at.read()).sealedInsurerAccess).toBe(sealed_insurer_access);
  });
});

describe("a code", () => {
  it("is wrong if it is from another visit, too old, or replaced by a newer one", async () => {
    const [mine, other] = [await at.checkout.newOrder(), await at.checkout.newOrder()];
    const code = present(await at.codeFor(mine));
    expect((await at.verify(other, code)).status).toBe(410);
    const otherCode = present(await at.codeFor(other));
    if (otherCode !== code) expect((await at.verify(other, code)).status).toBe(422);
    at.pass(2 * MINUTE_MS);
    const newer = present(await at.codeFor(mine));
    if (newer !== code) expect((await at.verify(mine, code)).status).toBe(422);
    at.pass(10 * MINUTE_MS);
    expect((await at.verify(mine, newer)).status).toBe(410);
    expect((await at.checkout.read(mine)).readiness.identity_validated).toBe(false);
  });

  it.each(["+56900000001", "+56900000002"])(
    "is sent by mail when requested again after it was lost on its way to %s",
    async (number) => {
      await at.db
        .updateTable("beneficiaries")
        .set({ phone_number: phoneSchema.parse(number) })
        .where("id", "=", at.patient.id)
        .execute();
      const hash = await at.checkout.newOrder();
      expect(await at.codeFor(hash)).toBeNull();
      at.pass(MINUTE_MS);
      expect((await at.verify(hash, present(await at.codeFor(hash)))).status).toBe(200);
    },
  );

  it("counts twice in two tabs, records the recognition once, and pays once", async () => {
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    const tabs = await Promise.all([at.verify(hash, code), at.verify(hash, code)]);
    expect(tabs.map(({ status }) => status)).toEqual([200, 200]);
    expect(tabs[0]?.body.cards).toEqual(tabs[1]?.body.cards);
    const written = at.db.selectFrom("audit_log").select("id").where("act", "=", "patient.recognised");
    expect(await written.where("subject_id", "=", hash).execute()).toHaveLength(1);
    const before = await charges();
    await Promise.all([at.checkout.pay(hash), at.checkout.pay(hash)]);
    await bff.runDue();
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    expect(await charges()).toBe(before + 1);
  });

  it("is replaced when another tab requests one", async () => {
    const hash = await at.checkout.newOrder();
    const first = present(await at.codeFor(hash));
    at.pass(MINUTE_MS);
    const second = present(await at.codeFor(hash));
    if (first !== second) expect((await at.verify(hash, first)).status).toBe(422);
    expect((await at.verify(hash, second)).status).toBe(200);
  });

  it("alone pays nothing, and nothing with a card that another tab has removed", async () => {
    const before = await charges();
    const { hash, body } = await at.recognised();
    await at.inData("removeSavedCard", await at.openData(), { saved_card: body.cards[0].id });
    expect((await at.checkout.pay(hash)).body.code).toBe("processor_payment_method_not_found");
    expect((await at.useCard(hash, body.cards[0].id)).body.code).toBe("stored_card_refused");
    expect(await charges()).toBe(before);
  });
});

describe("outside parties", () => {
  it("while the registry is down, earlier matches count, new documents are checked later, and cards stay", async () => {
    await at.fault("check", "fail_before", 2, "identity-registry");
    const { hash } = await at.recognised();
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    at.pass(200 * DAY_MS);
    const { hash: late, body } = await at.recognised();
    expect((await at.checkout.identify(late)).body.code).toBe("identity_registry_unavailable");
    expect((await at.checkout.identify(late)).body.code).toBe("identity_registry_unavailable");
    expect((await at.checkout.identify(late)).status).toBe(200);
    expect((await at.useCard(late, body.cards[0].id)).status).toBe(200);
  });

  it("if the processor lacks the saved card or is silent, another card is typed and that card is not offered", async () => {
    const [kept] = await at.kept();
    const gone = { storedCardId: present(kept).storedCardId, customer: at.patient.id };
    const call = { providerId: at.clinic.provider.id, idempotencyKey: systemIds.uuid(), at: bff.clock.now() };
    const chosen = await at.recognised();
    await at.checkout.sandbox.cardProcessor.forgetCard(call, gone);
    expect((await at.useCard(chosen.hash, chosen.body.cards[0].id)).body.code).toBe("stored_card_refused");
    const { hash, body } = await at.recognised();
    expect(body).toMatchObject({ cards: [], order: { readiness: { payment_method_added: false } } });
    expect((await at.addCard(hash, [], CARDS.debit)).status).toBe(200);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });
});

it("while an erasure waits, a request for a code has the usual answer, and no code is sent", async () => {
  const before = await at.checkout.newOrder();
  const answer = await at.start(before);
  expect((await at.inData("eraseData", await at.openData())).body.status).toBe("waiting");
  const after = await at.checkout.newOrder();
  expect(visibleTo(await at.start(after))).toEqual(visibleTo(answer));
  const sent = (await at.codes()).length;
  await bff.advance(MINUTE_MS);
  expect((await at.codes()).length).toBe(sent);
  expect((await at.verify(after, "123456")).status).toBe(422);
  expect((await at.checkout.read(after)).readiness).toEqual({ identity_validated: false, payment_method_added: false });
});
