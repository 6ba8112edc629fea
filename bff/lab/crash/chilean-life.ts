import { setTimeout as pause } from "node:timers/promises";
import type { ReconciliationResponse } from "../../src/contract/reconciliation.ts";
import type { WidgetSession } from "../../src/contract/widget-tokens.ts";
import { widgetSessionSchema } from "../../src/contract/widget-tokens.ts";
import type { PartnerClient } from "../../src/partner-client/partner-client.ts";
import { type ConsoleBrowser, consoleBrowser } from "../../test/http/console/console-browser.ts";
import { enrolOn, VISA } from "../../test/http/gateways/start-transbank.ts";
import { pdf } from "../../test/http/spot/expense-forms.ts";
import { clinicAt, issuedCredential } from "./buy-once.ts";
import type { Production } from "./rehearse-production.ts";

/*
 * An order in Chile from its payment to its payout, through the doors that a patient, a clinic and an operator use.
 */

const CLINIC_RUT = "76.900.001-1";
/** Soyio's sandbox fails the usual RUT of examples. */
const PATIENT = {
  rut: "12.345.678-5",
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56912345678",
} as const;
const TOTAL = 45_952;
/** 30 % of it. */
const FIRST = 13_786;
const REIMBURSED = 31_000;
/** More than the reimbursement leaves: part of it returns to the card. */
const REFUNDED = 5_000;
/** Next to all other checks of a machine, a day's work may take long. */
const WITHIN_MS = 180_000;

/** The clinic's fee and account. */
const TERMS = [
  ...["--fee", "3", "--fee-regime", "taxed_service", "--bank", "Banco de Chile", "--account-type", "checking"],
  ...["--account-number", "12345678", "--holder-name", "Clínica Ejemplo SpA", "--holder-rut", CLINIC_RUT],
];

/** What the other parties' stand-ins and connectors have. */
export interface Seen {
  /** Identity checks at Soyio. */
  readonly checks: number;
  /** Messages that arrived by WhatsApp. */
  readonly messages: number;
  /** The kinds of the documents that LibreDTE has issued, oldest first. */
  readonly documents: readonly string[];
}

/** What the life of an order needs besides the service. */
export interface ChileanLife {
  readonly production: Production;
  /** The operators' console, behind its proxy. */
  readonly consoleUrl: string;
  /** Moves the time of all processes to this hour of the next day, in Santiago. */
  readonly nextDay: () => Promise<void>;
  /** The present day in the processes' time, such as 2026-12-03. */
  readonly today: () => string;
  /** Imports a file as the operator of the Transbank connector. Its lines are what Transbank charged and returned. */
  readonly importSettlement: () => Promise<void>;
  /** Replaces Fintoc by files for a bank's portal. */
  readonly payByFile: () => Promise<void>;
  /** Writes the next file. False: there is nothing to pay yet. */
  readonly writeFile: () => Promise<boolean>;
  /** Reports every transfer of that file as paid. */
  readonly reportFile: () => Promise<void>;
  readonly seen: () => Promise<Seen>;
  readonly say: (line: string) => void;
}

/** One order from the checkout to the clinic's account. Returns what went wrong. */
export async function liveInChile(life: ChileanLife): Promise<readonly string[]> {
  const { production, nextDay, say } = life;
  const clinic = clinicAt(production.urls, production.issued);
  await production.aapd("camila", "payouts", "set-terms", CLINIC_RUT, ...TERMS);
  const hash = await payWithTransbank(production, clinic);
  say("a patient has been checked by Soyio, has enrolled a card at Transbank and paid");
  await fileByHand(life, clinic, hash);
  say("an operator has filed the claim by hand, and the rest is collected");
  await refund(clinic, hash);
  say("a part is refunded");
  await untilSeen(life);
  say("the patient has messages by WhatsApp, and the boleta with its nota de crédito by LibreDTE");
  await life.importSettlement();
  await nextDay();
  await untilSettled(life);
  say("the settlement of Transbank is imported and booked");
  await confirmAccount(life);
  await nextDay();
  await untilOnItsWay(life);
  // The service inquires about a pending transfer at growing intervals.
  await nextDay();
  await untilPaidOut(life, 1);
  say("the clinic is paid through Fintoc");
  await nextDay();
  const throughFintoc = await reconcile(life, daysBefore(life.today(), 20));
  // Each bank's connector lists only the transfers that it made.
  const changedOn = life.today();
  await life.payByFile();
  await payWithTransbank(production, clinic, "chile-2");
  await nextDay();
  await until("the payout waits for the operator", async () => life.writeFile());
  await untilOnItsWay(life);
  await life.reportFile();
  await nextDay();
  await untilPaidOut(life, 2);
  say("the clinic is paid by a file for a bank's portal");
  return [...throughFintoc, ...(await reconcile(life, changedOn))];
}

/** The patient's page: identity, registration, a card enrolled on Webpay, and the payment. */
async function payWithTransbank(
  { urls, issued }: Production,
  clinic: PartnerClient,
  reference = "chile-1",
): Promise<string> {
  const { hash } = await clinic.createOrder({ reference, total_amount: TOTAL, customer: PATIENT });
  const { widget_token: token } = await clinic.mintWidgetToken({ order_token: hash });
  const publicKey = issuedCredential(issued, "public_key");
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${urls.widget}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${issuedCredential(issued, "client_id")}`,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const session = widgetSessionSchema.parse(await call("GET", `/api/spot/widget/${token}`));
  await call("POST", `/api/spot/user?public_key=${publicKey}`, {
    ...PATIENT,
    insurer: "colmena",
    widget_token: token,
    consents: consentsOf(session, "onboarding"),
  });
  await call("POST", `/orders/${hash}/validate_customer_identity`, { document_serial: "123456789" });
  const opened = await call("POST", `/orders/${hash}/card_page`, { inquire: false });
  await enrolOn(textAt(opened, "page", "url"), { number: VISA });
  const added = await call("POST", `/orders/${hash}/card_page`, { inquire: true });
  requireEqual("the card", textAt(added, "status"), "added");
  const quoted = session.quote === null ? {} : { quote_sha256: session.quote.sha256 };
  const paid = await call("POST", `/orders/${hash}/payment`, { consents: consentsOf(session, "payment"), ...quoted });
  requireEqual("the payment", textAt(paid, "payment", "status"), "succeeded");
  const order = await clinic.getOrder(hash);
  requireEqual("what the card paid", order.captured_amount, FIRST);
  return hash;
}

function consentsOf({ consents }: WidgetSession, wanted: WidgetSession["consents"][number]["step"]) {
  return consents
    .filter(({ step, required }) => step === wanted && required)
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}

/** The clinic sends the receipt; an operator files the claim on the isapre's portal, and enters its approval. */
async function fileByHand(life: ChileanLife, clinic: PartnerClient, hash: string): Promise<void> {
  const receipt = { name: "boleta.pdf", type: "application/pdf", bytes: new Uint8Array(pdf()) } as const;
  await clinic.submitExpense({ rut: PATIENT.rut, orderHash: hash, files: [receipt] });
  const browser = await signIn(life);
  const waiting = await exceptionOf(browser, "claim_to_file");
  await resolve(browser, waiting, { resolution: "filed_by_hand", note: "2026-778812" });
  const filed = await exceptionOf(browser, "claim_to_answer");
  const approved = { resolution: "isapre_approved", note: "portal", amount: String(REIMBURSED), day: life.today() };
  await resolve(browser, filed, approved);
  await until("the rest is collected", async () => (await clinic.getOrder(hash)).collection?.status === "collected");
}

async function signIn({ production, consoleUrl }: ChileanLife): Promise<ConsoleBrowser> {
  const link = await production.aapd("camila", "operator", "sign-in");
  const secret = /\/sign-in\/link\/(\S+)/.exec(link)?.[1] ?? "";
  const browser = consoleBrowser({ operatorConsole: consoleUrl });
  requireEqual("signing in", (await browser.send("/sign-in/link", { secret })).status, 303);
  return browser;
}

/** The name of the only exception of a kind, once there is one. */
async function exceptionOf(browser: ConsoleBrowser, kind: string): Promise<string> {
  const listed = async () => (await browser.read(`/exceptions?kind=${kind}`)).exceptions;
  await until(`the exception ${kind} waits`, async () => (await listed()).length > 0);
  const [{ exception }] = await listed();
  return exception;
}

async function resolve(browser: ConsoleBrowser, exception: string, form: Record<string, string>): Promise<void> {
  const path = `/exceptions/${encodeURIComponent(exception)}/resolve`;
  const { status, text } = await browser.send(path, form, { accept: "application/json" });
  if (status !== 200) throw new Error(`Resolving ${exception} answered ${status} to ${JSON.stringify(form)}: ${text}`);
}

async function refund(clinic: PartnerClient, hash: string): Promise<void> {
  await clinic.refundOrder(hash, { amount: REFUNDED, refund_reference: "devolucion-1" });
  await until("the refund succeeds", async () => {
    const [made] = (await clinic.listRefunds(hash)).refunds;
    return made?.status === "succeeded";
  });
}

/** The parties that the service calls in the background. */
async function untilSeen({ seen }: ChileanLife): Promise<void> {
  await until("messages and tax documents have arrived", async () => {
    const { checks, messages, documents } = await seen();
    return checks === 1 && messages >= 3 && documents.join() === "boleta,credit_note";
  });
}

async function untilSettled(life: ChileanLife): Promise<void> {
  await until("the settlement is booked", async () => (await listLately(life, "settlements")).includes("D-1,"));
}

/** What the command line lists of the clinic in the last weeks. */
async function listLately({ production, today }: ChileanLife, what: "settlements" | "payouts"): Promise<string> {
  const months = new Set([daysBefore(today(), 20), today()].map((day) => day.slice(0, 7)));
  const listed = [...months].map((month) => production.aapd("camila", what, "list", CLINIC_RUT, "--month", month));
  return (await Promise.all(listed)).join("");
}

/** Two operators confirm the clinic's new account, after a call to the clinic. */
async function confirmAccount(life: ChileanLife): Promise<void> {
  const exception = await exceptionOf(await signIn(life), "payee_account_changed");
  for (const operator of ["camila", "diego"] as const)
    await life.production.aapd(
      operator,
      "exceptions",
      "resolve",
      exception,
      "confirm_account",
      "--note",
      "por teléfono",
    );
}

async function untilOnItsWay(life: ChileanLife): Promise<void> {
  await until("the transfer is on its way", async () => (await listLately(life, "payouts")).includes(",pending,"));
}

async function untilPaidOut(life: ChileanLife, payouts: number): Promise<void> {
  await until(`the clinic has ${payouts} payouts`, async () => {
    const paid = (await listLately(life, "payouts")).match(/,paid,/g) ?? [];
    return paid.length === payouts;
  });
}

/** The books against the lists of Transbank, the bank and LibreDTE, from a day until today. */
async function reconcile({ production, today }: ChileanLife, from: string): Promise<readonly string[]> {
  const { urls, issued } = production;
  const query = `from=${from}&to=${today()}&public_key=${issuedCredential(issued, "public_key")}`;
  const response = await fetch(`${urls.spot}/api/reconciliation?${query}`, {
    headers: { "x-secret-key": issuedCredential(issued, "secret_key") },
  });
  if (!response.ok) throw new Error(`The reconciliation answered ${response.status}.`);
  const answer = (await response.json()) as ReconciliationResponse;
  const { card_movements: movements, bank_transfers: transfers } = answer.compared;
  if (answer.agrees && movements > 0 && transfers > 0) return [];
  return [`the books do not agree, or nothing was compared: ${JSON.stringify(answer)}`];
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}.`);
    await pause(200);
  }
}

function requireEqual(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}.`);
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
  if (typeof found !== "string") throw new Error(`The answer has no text ${path.join(".")}.`);
  return found;
}
