import { INSURERS, type Insurer } from "bff/contract/onboarding";
import { type Act, patientOf, type Scenario, type Step } from "host-demo/scenarios/scenario";
import { createCheckoutApi } from "../../widget/src/api/checkout-api.ts";
import { valueOrThrow } from "../../widget/src/api/problem.ts";
import { seal } from "../../widget/src/api/seal.ts";
import { givenConsents } from "../../widget/src/checkout/given-consents.ts";
import { credentialsOf } from "../../widget/src/checkout/server-state.ts";
import { digitsOf, readExpiry } from "../../widget/src/steps/card/card-text.ts";
import { newPatient } from "../kit/patients.ts";
import { productUrls } from "./tenant.ts";

const ANSWER_WITHIN_MS = 60_000;

type DoneBy<Kind extends Act["do"]> = Extract<Act, { do: Kind }>;

/** What a patient does up to the payment, as far as a scenario says how, and what comes after it. */
export interface PaidFirst {
  readonly register: DoneBy<"register">;
  readonly identity: DoneBy<"prove_identity">;
  readonly card: DoneBy<"add_card">;
  readonly after: readonly Step[];
}

/** Splits a scenario whose payment goes through at once, and in which something happens after it; null for any other. */
export function paidFirst({ steps }: Scenario): PaidFirst | null {
  const [accept, register, identity, card, pay, done, paid, ...after] = steps;
  if (!isAct(accept, "accept_summary") || !isAct(register, "register") || !isAct(identity, "prove_identity"))
    return null;
  if (!isAct(card, "add_card") || !isAct(pay, "pay") || done === undefined || paid === undefined) return null;
  const isPaid = "see" in done && done.see === "screen" && "see" in paid && paid.see === "order";
  return isPaid && after.length > 0 ? { register, identity, card, after: [paid, ...after] } : null;
}

function isAct<Kind extends Act["do"]>(step: Step | undefined, kind: Kind): step is DoneBy<Kind> {
  return step !== undefined && "do" in step && step.do === kind;
}

/**
 * Buys at a clinic and pays with the calls that the widget makes, without a browser. Returns the purchase's id. What the
 * screens do on this way is for the tests that are about it.
 */
export async function payByApi(clinicOrigin: string, scenario: Scenario, paying: PaidFirst): Promise<string> {
  const patient = patientOf(scenario, () => newPatient().rut);
  const bought = await fetch(`${clinicOrigin}/api/purchases`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...patient, serviceId: scenario.serviceId }),
  });
  if (bought.status !== 201) throw new Error(`The clinic answered a purchase with ${bought.status}.`);
  const { id, url }: { id: string; url: string } = await bought.json();
  const widgetToken = new URL(url).searchParams.get("widget_token") ?? "";

  const api = createCheckoutApi({
    fetch: (path, init) => fetch(new URL(String(path), productUrls().widgetHostUrl), init),
    isOnline: () => true,
    timeoutMs: ANSWER_WITHIN_MS,
  });
  const session = valueOrThrow(await api.readSession(widgetToken));
  const { order_token: orderToken, sealing_keys } = session;
  if (orderToken === null) throw new Error("The clinic's token is for no order.");
  const credentials = credentialsOf(session);
  // The box for the isapre's password is required once one is typed.
  const given = session.consents.filter(({ required, purpose }) => required || purpose === "insurer_access");
  const purposes = given.map(({ purpose }) => purpose);
  const consentsTo = (step: "onboarding" | "payment") => givenConsents(session.consents, step, purposes);
  const iat = Math.floor(new Date(session.server_time).getTime() / 1_000);

  const insurer = insurerNamed(paying.register.insurer);
  const password = paying.register.portalPassword;
  const rut = patient.rut;
  const access = password === null ? null : await seal({ insurer, rut, password, iat }, sealing_keys.insurer_access);
  const registration = {
    widget_token: widgetToken,
    rut,
    first_name: patient.firstName,
    last_name: patient.lastName,
    email: patient.email,
    phone_number: patient.phone,
    insurer,
    ...(access === null ? {} : { sealed_insurer_access: access }),
    consents: consentsTo("onboarding"),
  };
  valueOrThrow(await api.registerPatient(credentials, registration));

  const document = { document_serial: paying.identity.serial };
  valueOrThrow(await api.validateIdentity(credentials, orderToken, document, crypto.randomUUID()));

  const { number, expiry, cvc, holder } = paying.card.card;
  const { month = 0, year = 0 } = readExpiry(expiry) ?? {};
  const card = { number: digitsOf(number), exp_month: month, exp_year: year, cvc, holder_name: holder };
  const sealedCard = await seal({ ...card, order_token: orderToken, iat }, sealing_keys.card);
  valueOrThrow(await api.addCard(credentials, orderToken, { sealed_card: sealedCard }));

  const body = { consents: consentsTo("payment") };
  const { payment } = valueOrThrow(await api.pay(credentials, orderToken, body, crypto.randomUUID()));
  if (payment.status !== "succeeded") throw new Error(`The payment is ${payment.status}.`);
  return id;
}

function insurerNamed(label: string): Insurer {
  const found = Object.entries(INSURERS).find(([, name]) => name === label);
  if (found === undefined) throw new Error(`${label} is no isapre that we know.`);
  return found[0] as Insurer;
}
