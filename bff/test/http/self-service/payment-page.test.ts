import { sql } from "kysely";
import { extractText } from "unpdf";
import { describe, expect, test } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { sealedColumns } from "../../../src/checkout/operations.ts";
import { paymentPage } from "../../../src/checkout/self-service-links.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { type PaymentPage, paymentPageSchema } from "../../../src/contract/payment-page.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { PAYMENT_PAGE_DAYS } from "../../../src/contract/terms.ts";
import { clp, formatClp } from "../../../src/contract/vocabulary/clp.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { latestDueDate } from "../../../src/orders/quote.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { block, unblock } from "../../../src/patients/blocked.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { escapeHtml } from "../../../src/platform/http/html.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring, type KeyringKey } from "../../../src/platform/keyring.ts";
import { resealColumn } from "../../../src/platform/reseal-store.ts";
import { santiagoDay } from "../../../src/platform/santiago-time.ts";
import { eraseData } from "../../../src/self-service/erase-data.ts";
import { withdrawConsent, withdrawSignUp } from "../../../src/self-service/withdraw-consent.ts";
import { TEST_SECRET } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { present } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const RUT = PATIENTS.neverAnswered;
const MINUTE_MS = 60_000;
const TOTAL = 40_000;
const FIRST = 12_000;
const SECOND = 30_800;
const NO_ACCESS = "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11";

type LinkCall =
  | "sendLinkCode"
  | "answerLinkCode"
  | "readPayment"
  | "makePaymentFile"
  | "payEarly"
  | "changeCard"
  | "giveInsurerAccess"
  | "printOwnAgreement"
  | "readPatientData";

const db = () => world.bff.database.db;
const now = () => world.bff.clock.now();
const advance = (milliseconds: number) => world.bff.advance(milliseconds);

function call(name: LinkCall, body: object, as = clinic.clinic): Promise<TestAnswer> {
  return world.bff.callWidgetHost(spotEndpoints[name], { as, body });
}

/** The answer of `GET /orders/{hash}` to this credential. */
async function read(hash: string, credential: "client_secret" | "client_id" = "client_secret") {
  const { status, body } = await world.bff.callOrderApi(orderEndpoints.getOrder, {
    as: clinic.clinic,
    params: { hash },
    using: credential,
  });
  expect([status, body]).toMatchObject([200, { hash }]);
  return body;
}

async function pageToken(hash: string): Promise<string> {
  const { payment_page_url: url } = await read(hash);
  return present(new URL(url).searchParams.get("widget_token"));
}

async function mails() {
  await world.bff.runDue();
  return readNotifications({ db: db() }, { providerId: clinic.clinic.provider.id, to: null, limit: 100 });
}

async function newestCodeMail(): Promise<{ to: string; text: string; code: string }> {
  const [found] = (await mails()).flatMap(({ to, text }) => {
    const code = /^\d{6}$/m.exec(text)?.[0];
    return code === undefined ? [] : [{ to, text, code }];
  });
  return present(found);
}

interface Opened {
  readonly widget_token: string;
  readonly access: string;
}

/** Opens the payment page of an order with a code. */
async function open(hash: string): Promise<Opened> {
  const widget_token = await pageToken(hash);
  // Keeps the pause between codes.
  world.bff.clock.set(new Date(now().getTime() + 2 * MINUTE_MS));
  expect((await call("sendLinkCode", { widget_token })).status).toBe(202);
  const { code } = await newestCodeMail();
  const { status, body } = await call("answerLinkCode", { widget_token, code });
  expect(status).toBe(200);
  return { widget_token, access: body.access };
}

async function seen(opened: Opened): Promise<PaymentPage> {
  const { status, body } = await call("readPayment", opened);
  expect(status).toBe(200);
  return paymentPageSchema.parse(body);
}

const page = async (hash: string) => seen(await open(hash));

/** The ledger balance of an order's account: debits less credits. */
async function ledger(hash: string, account: string): Promise<number> {
  const { rows } = await sql<{ amount: number | null }>`
    select sum(case when debit = ${account} then amount else -amount end)::int as amount from ledger_transfers
    where order_id = ${clinic.key(hash).orderId} and ${account} in (debit, credit)`.execute(db());
  return rows[0]?.amount ?? 0;
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

/** Compares every amount on a page with the books. */
async function expectBooked(hash: string, shown: PaymentPage): Promise<void> {
  const byCard = shown.paid.filter(({ card }) => card !== null);
  const returned = sum(shown.refunds.map(({ to_cards }) => to_cards));
  expect(sum(byCard.map(({ amount, lost_amount: lost = 0 }) => amount - lost)) - returned).toBe(
    await ledger(hash, "card_processor"),
  );
  expect(returned).toBe(sum(byCard.map(({ returned_amount }) => returned_amount)));
  const otherwise = shown.paid.filter(({ card }) => card === null);
  expect(sum(otherwise.map(({ amount }) => amount))).toBe(await ledger(hash, "paid_otherwise"));
  expect(sum(shown.refunds.map(({ by_transfer }) => by_transfer))).toBe(0 - (await ledger(hash, "transfers_owed")));
}

async function chargedBack(hash: string): Promise<void> {
  const done = await world.bff.callOrderApi(sandboxEndpoints.chargeBackInSandbox, {
    as: clinic.clinic,
    body: { order_hash: hash },
  });
  expect(done.status).toBe(201);
  await advance(DAY_MS);
}

async function approvedAndCharged(card?: string): Promise<string> {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days, card);
  await advance(6 * DAY_MS);
  return hash;
}

const patientOf = async (rut: string) =>
  present(await findBeneficiary(db(), { tenant: tenantOf(clinic.clinic.provider), rut: parseRut(rut) }));

async function actOf(rut: string) {
  const { provider } = clinic.clinic;
  return { patient: await patientOf(rut), providerId: provider.id, actor: "operator:ana", now: now() };
}

const operating = () => ({ ...world.bff.context, db: db() });
const day = (paidAt: Date | null) => latestDueDate(present(paidAt));

/** Each course that an order can take, with the content of its page. */
const COURSES: Readonly<Record<string, () => Promise<readonly [hash: string, expected: object]>>> = {
  async "waiting for the receipt"() {
    await clinic.register(RUT);
    const hash = await clinic.paidOrder({ rut: RUT });
    await world.bff.runDue();
    const { paidAt } = await clinic.order(hash);
    const upcoming = { status: "by_day", amount: SECOND, day: day(paidAt), reason: null };
    const claim = { status: "waiting_for_receipt", since: present(paidAt).toISOString() };
    const actions = { pay_early: { amount: SECOND }, change_card: { amount: SECOND }, give_access: false };
    return [hash, { claim, actions, second_charge: { status: "pending", upcoming, held_by: null }, own_cost: null }];
  },
  async "access never given"() {
    await clinic.register(RUT, "camila@example.com", "not_given");
    const hash = await clinic.paidOrder({ rut: RUT });
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    return [
      hash,
      { claim: { status: "access_missing" }, missing_step: "insurer_access", actions: { give_access: true } },
    ];
  },
  async "claim filed"() {
    const hash = await clinic.claimedOrder(RUT);
    const at = now().toISOString();
    return [hash, { claim: { status: "filed", filed_at: at, since: at, insurer: "colmena" }, missing_step: null }];
  },
  async "claim held for a document"() {
    const hash = await clinic.claimedOrder(PATIENTS.held);
    return [hash, { claim: { status: "held", missing_document_types: ["medical_order"] } }];
  },
  async "claim rejected"() {
    const hash = await clinic.claimedOrder(PATIENTS.rejected);
    await advance(7 * DAY_MS);
    const { paidAt } = await clinic.order(hash);
    return [
      hash,
      {
        claim: { status: "rejected", reason: expect.stringMatching(/\S/) },
        // Nothing can make it due earlier any more.
        second_charge: { upcoming: { status: "on_day", day: day(paidAt), reason: null } },
        own_cost: null,
      },
    ];
  },
  async "claim approved and charged"() {
    const hash = await approvedAndCharged();
    const second_charge = { status: "collected", upcoming: { status: "none", amount: 0, reason: "approved" } };
    const actions = { pay_early: null, change_card: null, give_access: false };
    return [
      hash,
      { claim: { status: "approved" }, second_charge, actions, paid: [{ amount: FIRST }, { amount: SECOND }] },
    ];
  },
  async "access blocked"() {
    const hash = await clinic.claimedOrder(PATIENTS.blockedOnDay2);
    await advance(2 * DAY_MS + 4 * 60 * MINUTE_MS);
    const { rows } = await sql<{ blocked_since: Date }>`
      select blocked_since from claims where order_id = ${clinic.key(hash).orderId}`.execute(db());
    const since = present(rows[0]).blocked_since;
    return [
      hash,
      {
        claim: {
          status: "access_blocked",
          since: since.toISOString(),
          charged_on_if_blocked: santiagoDay(new Date(since.getTime() + 3 * DAY_MS)),
        },
        actions: { give_access: true },
      },
    ];
  },
  async "charge of the last day announced"() {
    const hash = await clinic.justPaid();
    await advance(43 * DAY_MS);
    const { paidAt } = await clinic.order(hash);
    return [hash, { second_charge: { upcoming: { status: "by_day", day: day(paidAt) }, declined: null } }];
  },
  async "declined and tried again"() {
    const hash = await clinic.justPaid(LATER.declinedTwice);
    await clinic.approve(hash);
    await world.bff.runDue();
    return [
      hash,
      {
        second_charge: {
          status: "pending",
          upcoming: { amount: SECOND, reason: "approved" },
          declined: { amount: SECOND, card: { last4: LATER.declinedTwice.slice(-4) } },
        },
      },
    ];
  },
  async "declined for good"() {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    return [
      hash,
      {
        second_charge: { upcoming: { status: "card_needed", amount: SECOND }, held_by: "card_declined" },
        // The card is never charged again, so paying early with it is not offered.
        actions: { pay_early: null, change_card: { amount: SECOND } },
      },
    ];
  },
  async "outcome of the charge unknown"() {
    const hash = await clinic.justPaid();
    await clinic.fault("card-processor", ["charge", "inquireCharge"], "fail_before", 100);
    await clinic.approve(hash);
    await world.bff.runDue();
    return [
      hash,
      {
        second_charge: { upcoming: { status: "in_flight", amount: SECOND } },
        actions: { pay_early: null, change_card: null },
      },
    ];
  },
  async "mandate revoked"() {
    const hash = await clinic.claimedOrder(RUT);
    await withdrawConsent(operating(), await actOf(RUT), "later_charge");
    await world.bff.runDue();
    const second_charge = { upcoming: { status: "card_needed", amount: SECOND }, held_by: "mandate_revoked" };
    return [hash, { second_charge, actions: { pay_early: null, change_card: { amount: SECOND } } }];
  },
  async "chargeback open"() {
    const hash = await clinic.justPaid();
    await chargedBack(hash);
    const second_charge = { status: "pending", upcoming: { status: "on_hold" }, held_by: "chargeback" };
    return [hash, { second_charge, paid: [{ disputed_amount: FIRST }], actions: { pay_early: null } }];
  },
  async "chargeback lost"() {
    const hash = await clinic.justPaid();
    await chargedBack(hash);
    await clinic.operatorDoes("collection_stopped", "chargeback_lost", null, FIRST);
    const [mail, ...more] = (await mails()).filter(({ subject }) => /tu banco es definitiva/.test(subject));
    expect(more).toEqual([]);
    expect(mail?.text).toContain("El segundo cobro está detenido.");
    expect(mail?.text).toContain("Te devolvió tu banco: $12.000\n\nSegundo cobro: $30.800");
    // Nothing is reviewed any more, and an operator decides whether the second charge continues.
    const second_charge = { upcoming: { status: "on_hold" }, held_by: null };
    return [hash, { paid: [{ disputed_amount: FIRST, lost_amount: FIRST }], second_charge }];
  },
  async "filed claim that is not followed any more"() {
    const hash = await clinic.claimedOrder(RUT);
    const patient = await patientOf(RUT);
    const { paidAt } = await clinic.order(hash);
    await inTransaction(db(), (tx) =>
      withdrawSignUp(tx, world.bff, patient, { purposes: ["claim_mandate"], at: now() }),
    );
    const second_charge = { upcoming: { status: "on_day", day: day(paidAt) } };
    return [hash, { claim: { status: "stopped", filed_at: expect.any(String) }, second_charge }];
  },
  async "claim withdrawn before its receipt"() {
    await clinic.register(RUT);
    const hash = await clinic.paidOrder({ rut: RUT });
    await world.bff.runDue();
    const patient = await patientOf(RUT);
    await inTransaction(db(), (tx) =>
      withdrawSignUp(tx, world.bff, patient, { purposes: ["claim_mandate"], at: now() }),
    );
    return [hash, { claim: { status: "stopped", filed_at: null }, consultation_day: null }];
  },
  async "mandate revoked after the claim was rejected"() {
    const hash = await clinic.claimedOrder(PATIENTS.rejected);
    await advance(7 * DAY_MS);
    await withdrawConsent(operating(), await actOf(PATIENTS.rejected), "later_charge");
    const revoked = (await mails()).filter(({ subject }) => /^Retiraste la autorización/.test(subject));
    expect(revoked.map(({ text }) => text)).toEqual([expect.stringMatching(/Vence a más tardar el /)]);
    return [hash, { claim: { status: "rejected" }, second_charge: { held_by: "mandate_revoked" } }];
  },
  async "paid early, and approved later"() {
    const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
    expect((await call("payEarly", await open(hash))).body.status).toBe("collected");
    await advance(13 * DAY_MS);
    const own = FIRST + SECOND - 24_000;
    const [approved] = (await mails()).filter(({ subject }) => subject === "Aprobaron tu reembolso");
    expect(approved?.text).toContain(`de los $42.800 que ya pagaste, salen de tu bolsillo ${formatClp(clp(own))}.`);
    return [hash, { claim: { status: "approved", reimbursed_amount: 24_000 }, own_cost: own }];
  },
  async "data blocked until after the last day"() {
    const hash = await clinic.claimedOrder(RUT);
    const patient = await patientOf(RUT);
    await inTransaction(db(), (tx) => block(tx, patient, now()));
    await advance(46 * DAY_MS);
    await inTransaction(db(), (tx) => unblock(tx, patient));
    await advance(3 * DAY_MS);
    const [announced, ...more] = (await mails()).filter(({ subject }) => /haremos el segundo cobro$/.test(subject));
    expect([announced?.text, more]).toEqual([expect.stringContaining("Pasó el plazo que aceptaste al pagar"), []]);
    return [hash, { second_charge: { upcoming: { status: "on_day", amount: SECOND, reason: "day_45" } } }];
  },
  async "data blocked by the patient"() {
    const hash = await clinic.claimedOrder(RUT);
    const patient = await patientOf(RUT);
    await inTransaction(db(), (tx) => block(tx, patient, now()));
    return [hash, { second_charge: { upcoming: { status: "on_hold", amount: SECOND }, held_by: "data_blocked" } }];
  },
  async "refunded in part before the charge"() {
    const hash = await clinic.justPaid();
    expect((await clinic.refund(hash, { amount: 10_000 })).status).toBe(200);
    await world.bff.runDue();
    return [
      hash,
      {
        status: "partially_refunded",
        refunded_amount: 10_000,
        refunds: [{ status: "succeeded", amount: 10_000, off_second_charge: 10_700, to_cards: 0 }],
        second_charge: { upcoming: { status: "by_day", amount: SECOND - 10_700 } },
      },
    ];
  },
  async "refunded in full before the charge"() {
    const hash = await clinic.justPaid();
    expect((await clinic.refund(hash)).status).toBe(200);
    await world.bff.runDue();
    return [
      hash,
      {
        status: "refunded",
        claim: null,
        refunds: [{ off_second_charge: SECOND, to_cards: FIRST }],
        second_charge: { status: "cancelled", upcoming: { status: "none", amount: 0 } },
        actions: { pay_early: null, change_card: null, give_access: false },
      },
    ];
  },
  async "refunded in full after the claim was filed"() {
    const hash = await clinic.claimedOrder(PATIENTS.blockedOnDay2);
    expect((await clinic.refund(hash)).status).toBe(200);
    await advance(2 * DAY_MS + 4 * 60 * MINUTE_MS);
    const sent = (await mails()).map(({ subject }) => subject);
    expect(sent.filter((subject) => /acceso/.test(subject))).toEqual([]);
    return [
      hash,
      {
        status: "refunded",
        claim: { status: "stopped", filed_at: expect.any(String), charged_on_if_blocked: null },
        actions: { pay_early: null, change_card: null, give_access: false },
      },
    ];
  },
  async "written off"() {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    await clinic.operatorDoes("collection_failed", "write_off", "no se puede cobrar", SECOND);
    return [hash, { second_charge: { status: "written_off", upcoming: { status: "none", amount: 0 } } }];
  },
  async "paid by other means"() {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    await clinic.operatorDoes("collection_failed", "paid_otherwise", "cartola 24-11", SECOND);
    return [
      hash,
      {
        paid: [{ amount: FIRST }, { kind: "deferred", amount: SECOND, card: null }],
        second_charge: { status: "paid_otherwise", upcoming: { status: "none" } },
      },
    ];
  },
};

test.each(Object.keys(COURSES))("payment page: %s", async (course) => {
  const [hash, expected] = await present(COURSES[course])();
  const shown = await page(hash);
  expect(shown).toMatchObject({ total_amount: TOTAL, clinic: clinic.clinic.provider.name, ...expected });
  expect(shown.paid[0]).toMatchObject({
    kind: "first",
    amount: FIRST,
    card: { last4: expect.stringMatching(/^\d{4}$/) },
  });
  await expectBooked(hash, shown);
});

test("a refund by bank transfer is announced when an operator has made the transfer", async () => {
  const hash = await clinic.justPaid(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  await clinic.operatorDoes("collection_failed", "paid_otherwise", "cartola 24-11", SECOND);
  await clinic.refund(hash);
  await world.bff.runDue();
  const sent = async () => (await mails()).filter(({ subject }) => subject === "Te transferimos tu devolución");
  expect([await sent(), (await page(hash)).refunds]).toMatchObject([[], [{ by_transfer: SECOND, transferred: 0 }]]);
  await clinic.operatorDoes("transfer_owed", "transferred", "transferencia 25-11", undefined, "operator:transfers");
  expect((await sent()).map(({ text }) => text)).toEqual([expect.stringContaining("Te transferimos: $30.800")]);
  expect((await page(hash)).refunds).toMatchObject([{ to_cards: FIRST, by_transfer: SECOND, transferred: SECOND }]);
});

test("payment page after an approval: the patient's own cost is what they paid less the reimbursement", async () => {
  const hash = await approvedAndCharged();
  const { claim, own_cost, paid } = await page(hash);
  const reimbursed = present(claim?.reimbursed_amount ?? null);
  expect(reimbursed).toBeGreaterThan(0);
  expect(own_cost).toBe(FIRST + SECOND - reimbursed);
  expect(paid[0]?.authorization_code).toMatch(/^\w{6}$/);
});

describe("address of the payment page", () => {
  test("is the same in every answer, and only for the client_secret of a paid order", async () => {
    const unpaid = await clinic.newOrder();
    expect(await read(unpaid)).not.toHaveProperty("payment_page_url");
    const hash = await clinic.justPaid();
    const [one, other] = await Promise.all([read(hash), read(hash)]);
    expect(one.payment_page_url).toMatch(/^http.*widget_token=/);
    expect(other.payment_page_url).toBe(one.payment_page_url);
    expect(one.payment_page_url).not.toContain(hash);
    expect(await read(hash, "client_id")).not.toHaveProperty("payment_page_url");
  });

  test("stays the same when the keyring's key is replaced and its values are sealed again", async () => {
    const hash = await clinic.justPaid();
    const { payment_page_url: before } = await read(hash);
    const newest = { id: "newest", secret: new Uint8Array(32).fill(9) };
    const keyringOf = (...keys: KeyringKey[]) => createKeyring({ keys, environment: "staging" });
    const both = keyringOf(newest, { id: "test", secret: TEST_SECRET });
    for (const column of sealedColumns) await resealColumn(db(), both, column);
    const { clock, widgetHost: widgetHostUrl } = world.bff;
    const dependencies = { clock, ids: systemIds, keyring: keyringOf(newest), widgetHostUrl };
    expect((await paymentPage(dependencies, db(), clinic.key(hash)))?.url).toBe(before);
  });
});

test("every mail after the payment links to the order's one page; short messages and mails with a code do not", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await open(hash);
  await advance(6 * DAY_MS);
  const { payment_page_url: url } = await read(hash);
  const sent = await mails();
  expect(sent.length).toBeGreaterThan(3);
  const withoutPage = sent.filter(({ text, html }) => !text.includes(url) || !html?.includes(escapeHtml(url)));
  expect(withoutPage.map(({ subject }) => subject)).toEqual(["Tu código para ver tu pago"]);
  expect((await clinic.messages()).filter((text) => text.includes("http"))).toEqual([]);
});

describe("payment page without a right code", () => {
  test("shows nothing of the order, even to the holder of a forwarded mail", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const widget_token = await pageToken(hash);
    const session = await world.bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token: widget_token } });
    expect(session.body).toMatchObject({ purpose: "payment", order: null, order_token: null, quote: null });
    expect(JSON.stringify(session.body)).not.toContain(hash);
    const refused = await call("readPayment", { widget_token, access: NO_ACCESS });
    expect(refused).toMatchObject({ status: 400, body: { code: "patient_code_required" } });
  });

  test("opens nothing with access to another patient's page, another clinic's, or another kind of link", async () => {
    const opened = await open(await clinic.claimedOrder(RUT));
    const other = await pageToken(await clinic.claimedOrder(PATIENTS.rejected));
    const answers = [
      await call("readPayment", { ...opened, widget_token: other }),
      await call("readPayment", opened, await world.bff.createProvider()),
      await call("readPatientData", opened),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [400, "patient_code_required"],
      [404, "widget_token_not_found"],
      [404, "widget_token_not_found"],
    ]);
  });

  test("requires another code after half an hour", async () => {
    const opened = await open(await clinic.claimedOrder(RUT));
    world.bff.clock.set(new Date(now().getTime() + 31 * MINUTE_MS));
    expect((await call("readPayment", opened)).body.code).toBe("patient_code_required");
  });
});

describe("code of the payment page", () => {
  test("offers no charge of a card that is never charged again", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    await open(hash);
    expect((await newestCodeMail()).text).not.toContain("pagar ahora");
  });

  test("goes to the patient's registered address and names clinic, amount and card", async () => {
    const hash = await clinic.claimedOrder(RUT);
    await open(hash);
    const { to, text } = await newestCodeMail();
    expect(to).toBe("camila@example.com");
    expect(text).toContain(clinic.clinic.provider.name);
    expect(text).toMatch(/\$30\.800 con tu tarjeta terminada en 6623/);
  });

  test("opens the page of a patient whose RUT is not registered at the order's own address", async () => {
    const hash = await clinic.justPaid();
    const { customer } = await clinic.order(hash);
    await open(hash);
    expect((await newestCodeMail()).to).toBe(customer.email);
  });
});

describe("action on the payment page", () => {
  test("early payment charges the rest once, and the page stays open", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const opened = await open(hash);
    expect((await call("payEarly", { ...opened, amount: SECOND })).body.status).toBe("collected");
    await world.bff.runDue();
    const shown = await seen(opened);
    expect(shown.second_charge).toMatchObject({ status: "collected", upcoming: { reason: "paid_early" } });
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    expect((await call("payEarly", { ...opened, amount: SECOND })).body.status).toBe("collected");
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    await expectBooked(hash, shown);
  });

  test("another card is used for the second charge; paying with it early needs a code that names it", async () => {
    const hash = await clinic.claimedOrder(RUT, LATER.stolen);
    const opened = await open(hash);
    const card = cardFor(clinic.key(hash).orderId, now(), { number: LATER.captured });
    const sealed_card = await seal(await clinic.sandbox.cardProcessor.sealingKey(), card);
    expect((await call("changeCard", { ...opened, sealed_card })).body.status).toBe("changed");
    expect((await seen(opened)).second_charge.card.last4).toBe(LATER.captured.slice(-4));
    expect((await call("payEarly", { ...opened, amount: SECOND })).body.code).toBe("patient_code_required");
    expect((await call("payEarly", { ...(await open(hash)), amount: SECOND })).body.status).toBe("collected");
  });

  test("access to the isapre ends the missing step, and the page stays open", async () => {
    await clinic.register(RUT, "camila@example.com", "not_given");
    const hash = await clinic.paidOrder({ rut: RUT });
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    const opened = await open(hash);
    const access = { insurer: "colmena", rut: RUT, password: "la-clave", iat: Math.floor(now().getTime() / 1_000) };
    const given = await call("giveInsurerAccess", {
      ...opened,
      insurer: "colmena",
      sealed_insurer_access: await seal(await clinic.sandbox.insurer.sealingKey(), access),
      consents: consentTexts("es-CL", "onboarding")
        .filter(({ purpose }) => purpose === "insurer_access")
        .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 })),
    });
    expect(given.status).toBe(200);
    await world.bff.runDue();
    expect(await seen(opened)).toMatchObject({ missing_step: null, claim: { status: "filed" } });
  });

  test("receipt, contract and calendar entry are downloaded in the page's language", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const expense = db().updateTable("expenses").set({ service_date: "2026-11-20" });
    await expense.where("order_id", "=", clinic.key(hash).orderId).execute();
    const opened = await open(hash);
    expect((await seen(opened)).files).toEqual(["receipt", "agreement", "calendar"]);
    const file = async (document: string, locale: string) =>
      (await call("makePaymentFile", { ...opened, document, locale })).body;
    const receipt = await file("receipt", "en");
    expect(receipt).toMatchObject({ name: "receipt.pdf", type: "application/pdf" });
    const { text } = await extractText(new Uint8Array(Buffer.from(receipt.base64, "base64")), { mergePages: true });
    for (const amount of [FIRST, SECOND]) expect(text).toContain(formatClp(clp(amount)));
    expect(text).toContain("20 November 2026");
    expect(await file("agreement", "es-CL")).toMatchObject({ name: "contrato.pdf", type: "application/pdf" });
    const calendar = await file("calendar", "es-CL");
    expect(calendar).toMatchObject({ name: "segundo-cobro.ics", type: "text/calendar" });
    const { paidAt } = await clinic.order(hash);
    const entry = Buffer.from(calendar.base64, "base64").toString();
    expect(entry).toContain(`DTSTART;VALUE=DATE:${day(paidAt).replaceAll("-", "")}`);
    expect(entry.replaceAll("\r\n ", "")).toContain("Fecha de la atención: 20 de noviembre de 2026");
  });

  test("no calendar entry is offered once nothing is charged any more", async () => {
    expect((await page(await approvedAndCharged())).files).toEqual(["receipt", "agreement"]);
  });

  test("no contract is offered or made for an order that was paid before contracts were kept", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const opened = await open(hash);
    const attempts = db().updateTable("payment_attempts").set({ agreement: null });
    await attempts.where("order_id", "=", clinic.key(hash).orderId).execute();
    expect((await seen(opened)).files).toEqual(["receipt", "calendar"]);
    const made = await call("makePaymentFile", { ...opened, document: "agreement" });
    expect(made).toMatchObject({ status: 404, body: { code: "order_not_found" } });
  });

  test("no file is made without the code of this page, or for a link to something else", async () => {
    const opened = await open(await clinic.claimedOrder(RUT));
    const other = await pageToken(await clinic.claimedOrder(PATIENTS.rejected));
    const answers = [
      await call("makePaymentFile", { ...opened, access: NO_ACCESS, document: "receipt" }),
      await call("makePaymentFile", { ...opened, widget_token: other, document: "receipt" }),
      await call("makePaymentFile", { ...opened, document: "receipt" }, await world.bff.createProvider()),
      await call("makePaymentFile", { ...opened, document: "boleta" }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [400, "patient_code_required"],
      [400, "patient_code_required"],
      [404, "widget_token_not_found"],
      [422, "validation_error"],
    ]);
  });

  test("contract is printed for the page's own order only", async () => {
    const hash = await clinic.claimedOrder(RUT);
    const opened = await open(hash);
    expect((await seen(opened)).documents).toContain("agreement");
    const printed = await call("printOwnAgreement", { ...opened, order_token: hash });
    expect(printed).toMatchObject({ status: 200, body: { type: "application/pdf" } });
    const other = await clinic.claimedOrder(PATIENTS.rejected);
    expect((await call("printOwnAgreement", { ...opened, order_token: other })).body.code).toBe("order_not_found");
  });
});

test("each reading of a payment page is audited with its order", async () => {
  const hash = await clinic.claimedOrder(RUT);
  const opened = await open(hash);
  await seen(opened);
  await seen(opened);
  const rows = await db()
    .selectFrom("audit_log")
    .select(["actor", "subject_kind", "subject_id"])
    .where("act", "=", "patient_payment.read")
    .where("provider_id", "=", clinic.clinic.provider.id)
    .execute();
  expect(rows).toEqual(Array(2).fill({ actor: "patient", subject_kind: "order", subject_id: hash }));
});

test("reads and files are 410 once the token has expired, and 409 while a change of the address is unsettled", async () => {
  const hash = await clinic.claimedOrder(RUT);
  const opened = await open(hash);
  const page = db()
    .updateTable("widget_tokens")
    .where("order_id", "=", clinic.key(hash).orderId)
    .where("purpose", "=", "payment");
  const { id } = await db()
    .selectFrom("widget_tokens")
    .select("id")
    .where("purpose", "=", "payment")
    .where("order_id", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  const patient = present(
    await findBeneficiary(db(), { tenant: tenantOf(clinic.clinic.provider), rut: parseRut(RUT) }),
  );
  const change = { id: systemIds.uuid(), beneficiary_id: patient.id, provider_id: clinic.clinic.provider.id };
  const users = { old_user_id: patient.userId, new_user_id: patient.userId, widget_token_id: id };
  const times = { changed_at: now(), objection_until: new Date(now().getTime() + DAY_MS), objected_at: null };
  await db()
    .insertInto("email_changes")
    .values({ ...change, ...users, ...times })
    .execute();
  const refusals = async () => {
    const answers = [
      await call("readPayment", opened),
      await call("makePaymentFile", { ...opened, document: "receipt" }),
    ];
    return answers.map(({ status, body }) => [status, body.code]);
  };
  expect(await refusals()).toEqual(Array(2).fill([409, "email_change_unsettled"]));
  await db().deleteFrom("email_changes").where("id", "=", change.id).execute();
  await page.set({ created_at: new Date(0), expires_at: now() }).execute();
  expect(await refusals()).toEqual(Array(2).fill([410, "widget_token_expired"]));
});

describe("end of the payment page", () => {
  const state = async (token: string) =>
    (await world.bff.callWidgetHost(spotEndpoints.sendLinkCode, { as: clinic.clinic, body: { widget_token: token } }))
      .body.code ?? "open";

  test("comes 60 days after everything about the order has ended, and no earlier", async () => {
    const hash = await approvedAndCharged();
    const token = await pageToken(hash);
    await advance((PAYMENT_PAGE_DAYS - 2) * DAY_MS);
    expect(await state(token)).toBe("open");
    await advance(2 * DAY_MS);
    expect(await state(token)).toBe("widget_token_expired");
  });

  test("does not come while money is owed", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    const token = await pageToken(hash);
    await advance(150 * DAY_MS);
    expect(await state(token)).toBe("open");
  });

  test("comes with the patient's erasure: the address is not returned any more and opens nothing", async () => {
    const hash = await approvedAndCharged();
    const opened = await open(hash);
    const rut = PATIENTS.approvedAfter5Days;
    expect((await eraseData(operating(), await actOf(rut))).status).toBe("erased");
    await world.bff.runDue();
    expect((await read(hash)).payment_page_url).toBeNull();
    expect((await call("readPayment", opened)).body.code).toBe("widget_token_used");
    const file = await call("makePaymentFile", { ...opened, document: "receipt" });
    expect(file).toMatchObject({ status: 410, body: { code: "widget_token_used" } });
    expect(await state(opened.widget_token)).toBe("widget_token_used");
  });
});
