import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { RECOGNISED_MINUTES } from "../../../src/contract/terms.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { changeProvider } from "../../../src/tenants/manage-provider.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { DAY_MS, type KnownPatients, knownPatientsOf, MINUTE_MS, toKeep } from "./known-patients-world.ts";
import { CARDS, present } from "./orders-world.ts";

/*
 * Every event that ends trust in a known patient. Before it, one order was made ready by recognition, and the code of
 * another is on its way. Afterwards recognition fails, or asks for the missing proof.
 */

const NOT_VALID = "100000002";
const NEW_MAILBOX = "nueva@example.com";
const NEW_TELEPHONE = "+56 9 8765 4321";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let at: KnownPatients;
beforeEach(async () => {
  await bff.forgetTimers();
  at = await knownPatientsOf(bff);
});

const problemOf = ({ body }: TestAnswer): string | undefined => body.code;
const readinessOf = ({ body }: TestAnswer) => body.order.readiness;
const change = (changed: Parameters<typeof changeProvider>[2]) =>
  changeProvider({ db: at.db, clock: bff.clock, ids: systemIds }, at.clinic.provider.id, changed);

/** One order made ready by recognition, and one whose code is on its way. */
async function underWay() {
  const { hash: ready } = await at.recognised();
  const open = await at.checkout.newOrder();
  return { ready, open, code: present(await at.codeFor(open)) };
}

/** The patient pays an order without recognition. */
async function ordinaryWay(hash: string): Promise<void> {
  expect((await at.checkout.identify(hash)).status).toBe(200);
  expect((await at.addCard(hash, [], CARDS.debit)).status).toBe(200);
  expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
}

async function askAPerson(request: object): Promise<void> {
  expect((await at.inData("makeRightsRequest", await at.openData(), { request })).status).toBe(200);
}

interface End {
  readonly before?: (paid: string) => Promise<unknown>;
  readonly happens: (paid: string) => Promise<unknown>;
  /** The e-mail address of later orders. */
  readonly email?: string;
}

const ENDS_RECOGNITION: Readonly<Record<string, End>> = {
  "a proven change of mailbox": { happens: () => at.moveMailbox(NEW_MAILBOX), email: NEW_MAILBOX },
  "a proven change of telephone": {
    before: () => askAPerson({ kind: "rectification", field: "phone_number", words: NEW_TELEPHONE }),
    happens: () => at.resolve("grant_request"),
  },
  "an objection to a change of mailbox": {
    happens: async () => at.object(await at.moveMailbox(NEW_MAILBOX)),
  },
  "a lost chargeback": {
    async before(order_hash) {
      const answer = await bff.callOrderApi(sandboxEndpoints.chargeBackInSandbox, {
        as: at.clinic,
        body: { order_hash },
      });
      expect(answer.status).toBe(201);
      await bff.advance(2 * DAY_MS);
    },
    happens: () => at.resolve("chargeback_lost"),
  },
  "an erasure that waits": {
    async happens() {
      expect((await at.inData("eraseData", await at.openData())).body.status).toBe("waiting");
    },
  },
  "data that is blocked": { happens: () => askAPerson({ kind: "blocking", words: "Algo no es mío." }) },
  "the clinic's setting": { happens: () => change({ knownPatients: false }) },
};

describe("recognition ends after", () => {
  it.each(Object.keys(ENDS_RECOGNITION))("%s, and the checkout works without it", async (name) => {
    const { before, happens, email } = present(ENDS_RECOGNITION[name]);
    const paid = await at.paidAndKept();
    await before?.(paid);
    const { ready, open, code } = await underWay();
    await happens(paid);
    expect(problemOf(await at.checkout.pay(ready))).toBe("processor_customer_identity_not_validated");
    expect((await at.checkout.read(ready)).readiness).toMatchObject({ identity_validated: false });
    expect((await at.verify(open, code)).status).toBe(410);
    const next = await at.checkout.newOrder(email === undefined ? {} : { customer: { email } });
    expect(await at.codeFor(next)).toBeNull();
    await ordinaryWay(next);
  });

  it("an erasure, which also deletes everything", async () => {
    const paid = await at.paidAndKept();
    expect((await at.checkout.refund(paid)).status).toBe(200);
    await bff.runDue();
    expect((await at.inData("eraseData", await at.openData())).body.status).toBe("erased");
    const next = await at.checkout.newOrder();
    expect(await at.codeFor(next)).toBeNull();
    expect([await at.rows(), await at.kept()]).toEqual([[], []]);
    await ordinaryWay(next);
  });
});

it("a patient's new mailbox and cards are trusted after seven days", async () => {
  await at.paidAndKept();
  await at.moveMailbox(NEW_MAILBOX);
  at.pass(7 * DAY_MS - MINUTE_MS);
  const customer = { email: NEW_MAILBOX };
  expect(await at.codeFor(await at.checkout.newOrder({ customer }))).toBeNull();
  at.pass(MINUTE_MS);
  const hash = await at.checkout.newOrder({ customer });
  expect(readinessOf(await at.verify(hash, present(await at.codeFor(hash))))).toEqual({
    identity_validated: true,
    payment_method_added: true,
  });
});

const WITHOUT_IDENTITY: Readonly<Record<string, End>> = {
  "the registry says that a document is not valid any more": {
    async happens() {
      const answer = await at.checkout.identify(await at.checkout.newOrder(), NOT_VALID);
      expect(problemOf(answer)).toBe("identity_document_not_valid");
    },
  },
  "the registry says it of a document in a recovery": {
    async happens() {
      await expect(at.moveMailbox(NEW_MAILBOX, NOT_VALID)).rejects.toThrow();
    },
  },
  "the clinic has a shorter time set": {
    before: async () => at.pass(2 * DAY_MS),
    happens: () => change({ identityTrustedDays: 1 }),
  },
};

describe("the document is requested, and saved cards are offered, if", () => {
  it.each(Object.keys(WITHOUT_IDENTITY))("%s", async (name) => {
    const { before, happens } = present(WITHOUT_IDENTITY[name]);
    const paid = await at.paidAndKept();
    await before?.(paid);
    const { ready, open, code } = await underWay();
    await happens(paid);
    expect(problemOf(await at.checkout.pay(ready))).toBe("processor_customer_identity_not_validated");
    const answer = await at.verify(open, code);
    expect(readinessOf(answer)).toEqual({ identity_validated: false, payment_method_added: false });
    expect(answer.body.cards).toHaveLength(1);
    expect((await at.checkout.identify(open)).status).toBe(200);
    expect((await at.useCard(open, answer.body.cards[0].id)).status).toBe(200);
    expect((await at.checkout.pay(open)).body.payment.status).toBe("succeeded");
  });

  it("half a year has passed since the registry's answer, even if the patient was recognised meanwhile", async () => {
    await at.paidAndKept();
    at.pass(100 * DAY_MS);
    const { hash } = await at.recognised();
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    at.pass(81 * DAY_MS);
    const unmatched = await at.recognised();
    expect(unmatched.body.order.readiness.identity_validated).toBe(false);
    // The registry's next answer counts for another half year.
    expect((await at.checkout.identify(unmatched.hash)).status).toBe(200);
    expect((await at.recognised()).body.order.readiness.identity_validated).toBe(true);
  });
});

const WITHOUT_CARD: Readonly<Record<string, End>> = {
  "the patient has removed it": {
    async happens() {
      const [card] = await at.rows();
      await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
    },
  },
  "the patient has withdrawn the consent": {
    async happens() {
      const { status } = await at.inData("withdrawConsent", await at.openData(), { purpose: "saved_card" });
      expect(status).toBe(200);
    },
  },
};

describe("a card is requested, and the document is not, if", () => {
  it.each(Object.keys(WITHOUT_CARD))("%s", async (name) => {
    const paid = await at.paidAndKept();
    const { ready, open, code } = await underWay();
    await present(WITHOUT_CARD[name]).happens(paid);
    expect(problemOf(await at.checkout.pay(ready))).toBe("processor_payment_method_not_found");
    const answer = await at.verify(open, code);
    expect([answer.body.cards, readinessOf(answer)]).toEqual([
      [],
      { identity_validated: true, payment_method_added: false },
    ]);
    for (const hash of [ready, open]) {
      expect((await at.addCard(hash, [])).status).toBe(200);
      expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    }
    await bff.runDue();
    expect(await at.kept()).toEqual([]);
  });

  it("it expires before the last charge; its replacement is offered with the issuer's new data", async () => {
    const other = await knownPatientsOf(bff);
    await other.paidAndKept();
    const othersCard = await other.rows();
    await at.paidAndKept();
    const issued = (row: { brand?: "mastercard"; exp_month?: number; exp_year?: number; last4?: string }) =>
      at.db.updateTable("sandbox_cards").set(row).where("provider_id", "=", at.clinic.provider.id).execute();
    await issued({ exp_month: 12, exp_year: 2026 });
    expect((await at.recognised()).body).toMatchObject({
      cards: [],
      order: { readiness: { identity_validated: true, payment_method_added: false } },
    });
    await issued({ brand: "mastercard", exp_month: 6, exp_year: 2031, last4: "0042" });
    const { hash, body } = await at.recognised();
    expect(body.cards).toMatchObject([{ last4: "0042", exp_month: 6, exp_year: 2031 }]);
    // The message contained the old digits. To the patient this is another card, which needs a separate code.
    expect(body.order.payment_method).toBeNull();
    const chosen = await at.chooseCard(hash, body.cards[0].id);
    expect(chosen.body.order.payment_method).toMatchObject({ last4: "0042" });
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    const { saved_cards } = (await at.inData("readPatientData", await at.openData())).body;
    expect(saved_cards).toMatchObject([{ brand: "mastercard", last4: "0042", exp_month: 6, exp_year: 2031 }]);
    expect(await other.rows()).toEqual(othersCard);
  });
});

describe("a recognition", () => {
  it("counts for one order and half an hour: an order left open cannot be paid with it later", async () => {
    await at.paidAndKept();
    const otherOrder = await at.checkout.newOrder();
    const before = await rowsOfOrder(at.db, otherOrder);
    const { hash } = await at.recognised();
    expect(await rowsOfOrder(at.db, otherOrder)).toEqual(before);
    at.pass(RECOGNISED_MINUTES * MINUTE_MS);
    expect(problemOf(await at.checkout.pay(hash))).toBe("processor_customer_identity_not_validated");
    expect((await at.verify(hash, present(await at.codeFor(hash)))).status).toBe(200);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("does not replace an identity already proved by document", async () => {
    await at.paidAndKept();
    const hash = await at.checkout.newOrder();
    const code = present(await at.codeFor(hash));
    expect((await at.checkout.identify(hash)).status).toBe(200);
    expect((await at.verify(hash, code)).status).toBe(200);
    at.pass(RECOGNISED_MINUTES * MINUTE_MS);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("is superseded when the patient validates a document anyway", async () => {
    await at.paidAndKept();
    const { hash } = await at.recognised();
    expect(problemOf(await at.checkout.identify(hash, "100000001"))).toBe("identity_rejected");
    expect((await at.checkout.identify(hash)).status).toBe(200);
    at.pass(RECOGNISED_MINUTES * MINUTE_MS);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });
});

/** Starts to pay with a saved card whose issuer challenges its holder. Returns the issuer's page. */
async function atTheIssuer(hash: string): Promise<string> {
  const { payment } = (await at.checkout.pay(hash)).body;
  expect(payment).toMatchObject({ status: "requires_action" });
  return payment.action.url;
}

describe("a payment with a saved card whose issuer challenges", () => {
  it.each([
    ["approve", "succeeded"],
    ["reject", "card_declined"],
  ] as const)("has the same result as with any card: %s", async (choice, outcome) => {
    await at.paidAndKept(CARDS.challenge);
    const { hash } = await at.recognised();
    await at.checkout.press(await atTheIssuer(hash), choice);
    const { body } = await at.checkout.pay(hash);
    expect(body.payment?.status ?? body.code).toBe(outcome);
  });
});

describe("a saved card that is removed during its payment", () => {
  it.each([
    ["immediately", false],
    ["after the processor has removed it", true],
  ])("is not offered for a second attempt: declined %s", async (_, isForgotten) => {
    await at.paidAndKept(CARDS.challenge);
    const { hash } = await at.recognised();
    const page = await atTheIssuer(hash);
    const [card] = await at.rows();
    await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
    if (isForgotten) await bff.runDue();
    expect(await at.rows()).toHaveLength(isForgotten ? 0 : 1);
    await at.checkout.press(page, "reject");
    expect(problemOf(await at.checkout.pay(hash))).toBe("card_declined");
    expect((await at.checkout.read(hash)).readiness).toEqual({ identity_validated: true, payment_method_added: false });
    expect(problemOf(await at.checkout.pay(hash))).toBe("processor_payment_method_not_found");
    await bff.runDue();
    const removals = at.db.selectFrom("card_removals").select("state");
    const ofClinic = removals.where("provider_id", "=", at.clinic.provider.id);
    expect(await ofClinic.execute()).toEqual([{ state: "removed" }]);
    // A card that the patient adds afterwards stays on the order, even if it is declined too.
    expect((await at.addCard(hash, [], CARDS.declined)).status).toBe(200);
    expect(problemOf(await at.checkout.pay(hash))).toBe("card_declined");
    expect((await at.checkout.read(hash)).readiness).toMatchObject({ payment_method_added: true });
    expect(await ofClinic.execute()).toEqual([{ state: "removed" }]);
    expect((await at.addCard(hash, [])).status).toBe(200);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("pays the order if its holder confirms the payment", async () => {
    await at.paidAndKept(CARDS.challenge);
    const { hash } = await at.recognised();
    const page = await atTheIssuer(hash);
    const [card] = await at.rows();
    await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
    await at.checkout.press(page, "approve");
    expect((await at.checkout.pay(hash)).body).toMatchObject({
      payment: { status: "succeeded" },
      order: { payment_method: { last4: present(card).last4 } },
    });
    await bff.runDue();
    expect([await at.rows(), await at.kept()]).toEqual([[], []]);
  });

  it("stays on an order that the decline does not concern, and can pay it", async () => {
    await at.paidAndKept(CARDS.challenge);
    const declined = (await at.recognised()).hash;
    const otherOrder = (await at.recognised()).hash;
    const [page, otherPage] = [await atTheIssuer(declined), await atTheIssuer(otherOrder)];
    const [card] = await at.rows();
    await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
    await at.checkout.press(page, "reject");
    const before = await rowsOfOrder(at.db, otherOrder);
    expect(problemOf(await at.checkout.pay(declined))).toBe("card_declined");
    expect(await rowsOfOrder(at.db, otherOrder)).toEqual(before);
    await at.checkout.press(otherPage, "approve");
    expect((await at.checkout.pay(otherOrder)).body.payment.status).toBe("succeeded");
  });

  it("is not offered for a second attempt after an objection, even if a document proved the identity", async () => {
    await at.paidAndKept(CARDS.challenge);
    const { hash } = await at.recognised();
    expect((await at.checkout.identify(hash)).status).toBe(200);
    const page = await atTheIssuer(hash);
    await at.object(await at.moveMailbox(NEW_MAILBOX));
    await at.checkout.press(page, "reject");
    expect(problemOf(await at.checkout.pay(hash))).toBe("card_declined");
    expect(problemOf(await at.checkout.pay(hash))).toBe("processor_payment_method_not_found");
  });
});

describe("a removal at the processor", () => {
  it.each(["fail_before", "fail_after", "slow"] as const)(
    "is repeated until confirmed, after any failure (%s); meanwhile an operator sees it and the card pays nothing",
    async (kind) => {
      await at.paidAndKept();
      const { ready } = await underWay();
      await at.fault("forgetCard", kind, 4);
      const [card] = await at.rows();
      await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
      await bff.runDue();
      expect(await at.rows()).toMatchObject([{ state: "removing" }]);
      expect(problemOf(await at.checkout.pay(ready))).toBe("processor_payment_method_not_found");
      await bff.advance(DAY_MS);
      expect([await at.rows(), await at.kept()]).toEqual([[], []]);
    },
  );

  it("lists exactly its card for an operator while the processor is silent", async () => {
    const other = await knownPatientsOf(bff);
    await other.paidAndKept();
    const othersCard = await other.rows();
    await at.paidAndKept();
    await at.fault("forgetCard", "fail_before", 100);
    const [card] = await at.rows();
    await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
    await bff.advance(DAY_MS);
    expect(await at.rows()).toMatchObject([{ state: "removing" }]);
    expect(await at.exceptions()).toMatchObject([{ kind: "outcome_unknown", facts: { of: "saved_card" } }]);
    expect(await other.rows()).toEqual(othersCard);
    expect((await at.recognised()).body.cards).toEqual([]);
    await at.fault("forgetCard", "fail_before", 0);
    await at.resolve("ask_again");
    await bff.runDue();
    expect([await at.rows(), await at.kept(), await at.exceptions()]).toEqual([[], [], []]);
  });
});

it("a processor that was not yet called is not listed as silent", async () => {
  await at.paidAndKept();
  const [card] = await at.rows();
  await at.inData("removeSavedCard", await at.openData(), { saved_card: present(card).id });
  at.pass(2 * DAY_MS);
  expect([await at.rows(), await at.exceptions()]).toMatchObject([[{ state: "removing" }], []]);
});

it("the request to save a card is dropped if the order's e-mail address differs from the record's", async () => {
  const hash = await at.checkout.newOrder({ customer: { email: "otra@example.com" } });
  await at.checkout.identify(hash);
  expect((await at.addCard(hash, toKeep)).status).toBe(200);
  expect(problemOf(await at.checkout.pay(hash))).toBe("RUT_OTHER_EMAIL");
  await bff.runDue();
  expect(await at.kept()).toEqual([]);
});
