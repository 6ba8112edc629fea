import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { CompactEncrypt, importJWK } from "jose";
import type { PayOrderResponse } from "../../../../src/contract/orders.ts";
import type * as contract from "../../../../src/contract/widget-tokens.ts";
import type { Open } from "../../../../src/partner-client/answers.ts";
import { call, type DevCall } from "./call.ts";

type WidgetSession = Open<contract.WidgetSession>;
type SealingKey = Open<contract.SealingKey>;

/* Does the checkout's work without a browser, for tests. Works with the sandbox's test values only. */

export interface TestPatient {
  readonly rut: string;
  /** The serial number of the identity card. */
  readonly serial: string;
  readonly card: string;
  /** The address for the sign-up, unless the clinic gave one. Default: one for each RUT. */
  readonly email?: string;
  /** Their answer on the bank's page, if the card's bank asks. Default: approve. */
  readonly bank?: "approve" | "reject";
}

const POLL_MS = 1_000;
const POLLS_MAX = 60;

/** The checkout, by the answer of `mintWidgetToken`. */
export interface OpenedCheckout {
  readonly widgetHost: string;
  readonly clientId: string;
  readonly hash: string;
  readonly widgetToken: string;
}

/** The registered address: one for each patient, because the sandbox's mailbox is searched by it. */
export function emailOf(rut: string): string {
  return `camila.${rut.replaceAll(/\D/g, "")}@example.com`;
}

/**
 * Signs up with an isapre, proves the identity, adds a card and pays. A credit under review is left to the lender.
 * Throws `AapdError` if a step is refused.
 */
export async function payAsPatient(checkout: OpenedCheckout, patient: TestPatient) {
  const { widgetHost, clientId, hash, widgetToken } = checkout;
  const headers = { authorization: `Bearer ${clientId}` };
  const post = <Answer extends object>(path: string, body: object, ...answerHas: DevCall<Answer>["answerHas"]) =>
    call<Answer>({ method: "POST", url: new URL(path, widgetHost), headers, body, answerHas });
  const session = await call<WidgetSession>({
    method: "GET",
    url: new URL(`/api/spot/widget/${widgetToken}`, widgetHost),
    headers,
    answerHas: ["public_key", "sealing_keys", "consents"],
  });
  const key = `public_key=${session.public_key}`;
  await post(`/api/spot/user?${key}`, await signUp(session, widgetToken, patient));
  await post(`/orders/${hash}/validate_customer_identity`, { document_serial: patient.serial });
  await post(`/orders/${hash}/add_payment_method`, { sealed_card: await sealCard(session, hash, patient) });
  const { quote } = session;
  const payment = {
    consents: givenAt(session, "payment"),
    ...(quote === null ? {} : { quote_sha256: quote.sha256 }),
  };
  const url = new URL(`/orders/${hash}/payment`, widgetHost);
  // One attempt: a repeat under the same key inquires and charges nothing again.
  const keyed = { ...headers, "idempotency-key": randomUUID() };
  const pay = () =>
    call<Open<PayOrderResponse>>({ method: "POST", url, headers: keyed, body: payment, answerHas: ["payment"] });
  return finishPayment(pay, patient.bank);
}

async function finishPayment(pay: () => Promise<Open<PayOrderResponse>>, bank: TestPatient["bank"] = "approve") {
  let { payment } = await pay();
  if (payment.action !== undefined) {
    await fetch(payment.action.url, { method: "POST", body: new URLSearchParams({ choice: bank }) });
    ({ payment } = await pay());
  }
  for (let polls = 0; payment.status !== "succeeded" && payment.waits_for !== "lender"; polls += 1) {
    if (polls === POLLS_MAX) break;
    await pause(POLL_MS);
    ({ payment } = await pay());
  }
  return payment.status;
}

async function signUp(
  session: WidgetSession,
  widgetToken: string,
  { rut, email = emailOf(rut) }: TestPatient,
): Promise<object> {
  const insurer = "colmena";
  const { server_time: now, sealing_keys: keys, user_data: known } = session;
  const access = { insurer, rut, password: "clave-de-prueba", iat: secondsOf(now) };
  return {
    widget_token: widgetToken,
    rut,
    first_name: known.name ?? "Camila",
    last_name: known.surname ?? "Rojas Fuentes",
    email: known.email ?? email,
    phone_number: known.phone_number ?? "+56912345678",
    insurer,
    ...(keys.insurer_access === null ? {} : { sealed_insurer_access: await seal(keys.insurer_access, access) }),
    consents: givenAt(session, "onboarding"),
  };
}

async function sealCard({ sealing_keys: keys, server_time: now }: WidgetSession, hash: string, { card }: TestPatient) {
  if (keys.card === null) throw new Error("The sandbox's card processor has published no key to seal the card with.");
  return seal(keys.card, {
    number: card,
    exp_month: 12,
    exp_year: new Date(now).getUTCFullYear() + 4,
    cvc: card.length === 15 ? "1234" : "123",
    holder_name: "CAMILA ROJAS",
    order_token: hash,
    iat: secondsOf(now),
  });
}

async function seal(key: SealingKey, value: object): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt(await importJWK({ ...key }, key.alg));
}

/**
 * The consents that a step requires, as shown: all required ones, and the one for storing the password of the isapre's
 * portal.
 */
function givenAt({ consents }: WidgetSession, step: string): object[] {
  return consents
    .filter((consent) => consent.step === step && (consent.required || consent.purpose === "insurer_access"))
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}

function secondsOf(moment: string): number {
  return Math.floor(new Date(moment).getTime() / 1_000);
}
