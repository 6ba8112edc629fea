import { expect } from "vitest";
import type { FaultKind } from "../../../sandbox/calls/faults.ts";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readMessages, readNotifications } from "../../../sandbox/read-notifications.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import type { Resolution } from "../../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { listExceptions } from "../../../src/back-office/list-exceptions.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { Beneficiary } from "../../../src/patients/beneficiary.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { registerPatient } from "../../registered-patient.ts";
import type { TestBff, TestProvider } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { CARDS, PATIENTS, present } from "./orders-world.ts";

const RUT = PATIENTS.good;
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The consent to save a card, as the card step sends it. */
export const toKeep = consentTexts("es-CL", "card").map(({ purpose, text_version, text_sha256 }) => ({
  purpose,
  text_version,
  text_sha256,
}));

/** Another code than this one. */
export const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

export interface OpenedData {
  readonly widget_token: string;
  readonly access: string;
}

/** A clinic that offers recognition, and one patient who registered there. */
export type KnownPatients = Awaited<ReturnType<typeof knownPatientsOf>>;

/** Each test has its own clinic, and therefore its own patients. */
export async function knownPatientsOf(bff: TestBff) {
  const clinic = await bff.createProvider({ knownPatients: true });
  const checkout = checkoutOf({ ...bff, clinic });
  const patient = await registerPatient({ ...bff, database: bff.database }, clinic, { rut: RUT });
  return {
    bff,
    clinic,
    checkout,
    patient,
    ...recognising(bff, checkout, clinic, patient),
    ...patientsWays(bff, clinic),
  };
}

function recognising(bff: TestBff, checkout: Checkout, clinic: TestProvider, patient: Beneficiary) {
  const { db } = bff.database;
  const pass = (milliseconds: number) => bff.clock.set(new Date(bff.clock.now().getTime() + milliseconds));

  async function addCard(hash: string, consents: readonly object[], number: string = CARDS.approved) {
    const card = cardFor(present(readOrderId(hash)), bff.clock.now(), { number });
    const sealed_card = await seal(await checkout.sandbox.cardProcessor.sealingKey(), card);
    return checkout.call("addPaymentMethod", hash, { body: { sealed_card, consents } });
  }

  /** An order paid with a card that its patient asked to save. */
  async function paidAndKept(number?: string): Promise<string> {
    const hash = await checkout.newOrder();
    await checkout.identify(hash);
    expect((await addCard(hash, toKeep, number)).status).toBe(200);
    let paid = (await checkout.pay(hash)).body.payment;
    if (paid.status === "requires_action") {
      await checkout.press(paid.action.url, "approve");
      paid = (await checkout.pay(hash)).body.payment;
    }
    expect(paid.status).toBe("succeeded");
    await bff.runDue();
    return hash;
  }

  const shownOrders = new Set<string>();

  /** Shows the page of an order to the patient, who acts on it. */
  async function show(hash: string): Promise<void> {
    if (shownOrders.has(hash)) return;
    shownOrders.add(hash);
    const as = { as: clinic };
    const body = { order_token: hash, long_term_token: true };
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...as, body });
    if (minted.status !== 201) return;
    const { widget_token } = minted.body;
    await bff.callWidgetHost(spotEndpoints.reportShown, { ...as, body: { widget_token } });
  }

  /** Requests a code on the page of an order, for this card or for one that the service chooses. */
  async function start(hash: string, stored_card?: string): Promise<TestAnswer> {
    await show(hash);
    return checkout.call("startRecognition", hash, { body: { stored_card } });
  }

  async function messages() {
    await bff.runDue();
    const texts = await readMessages(bff.database, { providerId: clinic.provider.id, to: null, limit: 50 });
    return texts.filter(({ text }) => text.includes("codigo para pagar"));
  }

  /** The codes that were sent, by message or mail. */
  async function codes(): Promise<string[]> {
    const messaged = (await messages()).map(({ text }) => present(/#(\d{6})$/.exec(text)?.[1]));
    const mails = await readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 100 });
    const mailed = mails.filter(({ subject }) => subject.startsWith("Tu código para pagar en"));
    return [...messaged, ...mailed.map(({ text }) => present(/\b\d{6}\b/.exec(text)?.[0]))];
  }

  /** Requests a code and reads it; null if none was sent. */
  async function codeFor(hash: string, storedCard?: string): Promise<string | null> {
    const before = await codes();
    expect((await start(hash, storedCard)).status).toBe(202);
    // Codes with the same timestamp have no defined order, so a comparison finds the new one.
    const after = await codes();
    for (const code of before) after.splice(after.indexOf(code), 1);
    return after[0] ?? null;
  }

  async function verify(hash: string, code: string): Promise<TestAnswer> {
    await show(hash);
    return checkout.call("verifyRecognition", hash, { body: { code } });
  }

  return {
    db,
    pass,
    addCard,
    paidAndKept,
    show,
    start,
    messages,
    codes,
    codeFor,
    verify,
    /** An order whose patient was recognised by a code, with the response. */
    async recognised(): Promise<{ readonly hash: string; readonly body: TestAnswer["body"] }> {
      const hash = await checkout.newOrder();
      const { status, body } = await verify(hash, present(await codeFor(hash)));
      expect(status).toBe(200);
      return { hash, body };
    },
    /** Answers a code for this saved card. */
    async chooseCard(hash: string, id: string): Promise<TestAnswer> {
      return verify(hash, present(await codeFor(hash, id)));
    },
    useCard: (hash: string, stored_card: string) => checkout.call("addPaymentMethod", hash, { body: { stored_card } }),
    /** The patient's current record. */
    read: async () => present(await findBeneficiary(db, { tenant: clinic.provider.id, rut: parseRut(RUT) })),
    /** The cards that the processor keeps. */
    kept: () => checkout.sandbox.cardProcessor.listKeptCards({ providerId: clinic.provider.id, customer: patient.id }),
    rows: () => db.selectFrom("saved_cards").selectAll().where("beneficiary_id", "=", patient.id).execute(),
    fault: (
      method: string,
      kind: FaultKind,
      calls = 1,
      party: "card-processor" | "identity-registry" = "card-processor",
    ) => inTransaction(db, (tx) => replaceFaults(tx, clinic.provider.id, [{ party, method, kind, calls }])),
    /** Resolves this clinic's exceptions as an operator. */
    async resolve(resolution: Resolution): Promise<void> {
      const operating = { db, clock: bff.clock, ids: systemIds, environment: "staging" as const };
      const [exception] = await listExceptions(operating, clinic.provider.id);
      const ask = (actor: string) =>
        resolveException(operating, exceptionId(present(exception)), { resolution, actor, note: "Listo." });
      if (!(await ask("operator:ana")).isDone) await ask("operator:diego");
    },
    exceptions: async () => listExceptions({ db, clock: bff.clock, environment: "staging" }, clinic.provider.id),
  };
}

/** The patient's actions on their data, and in their mailbox. */
function patientsWays(bff: TestBff, clinic: TestProvider) {
  const asClinic = { as: clinic };

  async function mails() {
    await bff.runDue();
    return readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 100 });
  }

  async function linkIn(subject: string): Promise<string> {
    const { text } = present((await mails()).find((mail) => mail.subject === subject));
    return present(new URL(present(/https?:\S+widget_token=\S+/.exec(text)?.[0])).searchParams.get("widget_token"));
  }

  async function codeIn(subject: string): Promise<string> {
    const { text } = present((await mails()).find((mail) => mail.subject === subject));
    return present(/\b\d{6}\b/.exec(text)?.[0]);
  }

  /** Opens the link that was sent for the patient's data, and answers its code. */
  async function openSentData(): Promise<OpenedData> {
    const widget_token = await linkIn("Tus datos");
    await bff.callWidgetHost(spotEndpoints.sendLinkCode, { ...asClinic, body: { widget_token } });
    const code = await codeIn("Tu código para ver tus datos");
    const { body } = await bff.callWidgetHost(spotEndpoints.answerLinkCode, {
      ...asClinic,
      body: { widget_token, code },
    });
    return { widget_token, access: body.access };
  }

  return {
    mails,
    openSentData,
    async openData(): Promise<OpenedData> {
      await bff.callSpotApi(spotEndpoints.sendDataLink, { ...asClinic, body: { rut: RUT } });
      return openSentData();
    },
    inData: (
      name: "readPatientData" | "removeSavedCard" | "withdrawConsent" | "eraseData" | "makeRightsRequest",
      opened: OpenedData,
      body: object = {},
    ) => bff.callWidgetHost(spotEndpoints[name], { ...asClinic, body: { ...opened, ...body } }),
    /** Moves the record to another mailbox with an identity document. Returns the token of the link for objecting. */
    async moveMailbox(email: string, document_serial = "123456789"): Promise<string> {
      const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...asClinic, body: {} });
      const bound = { rut: RUT, widget_token: minted.body.widget_token };
      const asked = { ...bound, way: "identity", document_serial, email };
      const started = await bff.callSpotApi(spotEndpoints.startRecovery, { ...asClinic, body: asked });
      expect(started.status).toBe(202);
      const code = await codeIn("Tu código para registrar este correo");
      const moved = await bff.callSpotApi(spotEndpoints.verifyRecovery, { ...asClinic, body: { ...bound, code } });
      expect(moved.status).toBe(200);
      return linkIn("El correo de tu cuenta cambió");
    },
    async object(widget_token: string): Promise<void> {
      const objected = await bff.callWidgetHost(spotEndpoints.objectToEmailChange, {
        ...asClinic,
        body: { widget_token },
      });
      expect(objected.status).toBe(200);
    },
  };
}
