import { INSURERS, type Insurer, type InsurerAccessToSeal } from "bff/contract/onboarding";
import { type CardToSeal, payOrderResponseSchema } from "bff/contract/orders";
import { type SealingKey, type WidgetSession, widgetSessionSchema } from "bff/contract/widget-tokens";
import { SCENARIOS } from "host-demo/scenarios/catalogue";
import type { ScenarioCard } from "host-demo/scenarios/magic-values";
import { type Act, patientOf, type Scenario, type Sight, type Step } from "host-demo/scenarios/scenario";
import { CompactEncrypt } from "jose";
import { newPatient, type Patient } from "../kit/patients.ts";
import { productUrls } from "./tenant.ts";

type DoneBy<Kind extends Act["do"]> = Extract<Act, { do: Kind }>;

/** How a scenario begins: the patient's actions before a page is opened, as calls of the widget. */
export interface Beginning {
  readonly register: DoneBy<"register">;
  readonly identity: DoneBy<"prove_identity">;
  /** The card that pays; null if the page opens at the card step. */
  readonly paidWith: DoneBy<"add_card"> | null;
  /** The remaining actions and expectations on the page. */
  readonly left: readonly Step[];
}

/**
 * The usual beginning of a scenario: up to the identity, or up to the payment if it succeeds at once and something
 * happens after it. Null if the scenario begins otherwise.
 */
export function beginningOf({ steps }: Scenario): Beginning | null {
  const [accept, register, identity, ...left] = steps;
  if (!isAct(accept, "accept_summary") || !isAct(register, "register") || !isAct(identity, "prove_identity"))
    return null;
  const [card, pay, done, paid, ...after] = left;
  if (!isAct(card, "add_card")) return null;
  // A returning patient does this on the page of the first purchase.
  if (left.some((step) => isAct(step, "come_back"))) return null;
  const isPaid = isAct(pay, "pay") && isSightOf(done, "screen") && isSightOf(paid, "order");
  return isPaid && after.length > 0
    ? { register, identity, paidWith: card, left: [paid, ...after] }
    : { register, identity, paidWith: null, left };
}

function isAct<Kind extends Act["do"]>(step: Step | undefined, kind: Kind): step is DoneBy<Kind> {
  return step !== undefined && "do" in step && step.do === kind;
}

function isSightOf<Kind extends Sight["see"]>(
  step: Step | undefined,
  kind: Kind,
): step is Extract<Sight, { see: Kind }> {
  return step !== undefined && "see" in step && step.see === kind;
}

/**
 * Buys at a clinic and completes the first steps without a browser. Returns the purchase's id. Other tests cover the
 * screens of these steps.
 */
export async function beginByApi(
  clinicOrigin: string,
  scenario: Scenario,
  { register, identity, paidWith }: Beginning,
): Promise<string> {
  const patient = patientOf(scenario, () => newPatient().rut);
  const bought = await post(`${clinicOrigin}/api/purchases`, { ...patient, serviceId: scenario.serviceId });
  const { id, url }: { id: string; url: string } = await bought.json();
  const widgetToken = new URL(url).searchParams.get("widget_token") ?? "";

  await stepsByApi(widgetToken, patient, { register, identity, paidWith });
  return id;
}

/** A new patient of the clinic pays, and has the card saved. */
export async function payWithToken(widgetToken: string, patient: Patient, card: ScenarioCard): Promise<void> {
  const scenario = SCENARIOS.find(({ id }) => id === "pago-aprobado");
  const beginning = scenario === undefined ? null : beginningOf(scenario);
  if (!beginning?.paidWith) throw new Error("No scenario is a plain payment.");
  await stepsByApi(widgetToken, patient, { ...beginning, paidWith: { ...beginning.paidWith, card } }, "saved_card");
}

/** `saved_card`: the optional consent of the card step is given too. */
async function stepsByApi(
  widgetToken: string,
  patient: Omit<Patient, "documentSerial">,
  { register, identity, paidWith }: Omit<Beginning, "left">,
  optional?: "saved_card",
): Promise<void> {
  const { widgetHostUrl } = productUrls();
  const page = await fetch(`${widgetHostUrl}/api/spot/widget/${widgetToken}`);
  const session = widgetSessionSchema.parse(await page.json());
  const iat = Math.floor(new Date(session.server_time).getTime() / 1_000);
  const insurer = insurerNamed(register.insurer);
  const { rut } = patient;
  // Without this key, operators file the claims, and no password is wanted.
  const accessKey = session.sealing_keys.insurer_access;
  const access =
    register.portalPassword === null || accessKey === null
      ? {}
      : {
          sealed_insurer_access: await seal({ insurer, rut, password: register.portalPassword, iat }, accessKey),
        };
  await post(`${widgetHostUrl}/api/spot/user?public_key=${session.public_key}`, {
    widget_token: widgetToken,
    rut,
    first_name: patient.firstName,
    last_name: patient.lastName,
    email: patient.email,
    phone_number: patient.phone,
    insurer,
    ...access,
    consents: consentsTo("onboarding", session),
  });

  const { order_token: orderToken, client_id: clientId } = session;
  if (orderToken === null) throw new Error("The clinic's token is for no order.");
  const step = (name: string, body: object) => post(`${widgetHostUrl}/orders/${orderToken}/${name}`, body, clientId);
  await step("validate_customer_identity", { document_serial: identity.serial });
  if (paidWith === null) return;
  const { number, expiry, cvc, holder } = paidWith.card;
  const [month, year] = expiry.split("/").map(Number);
  const typed = { number: number.replaceAll(" ", ""), exp_month: month ?? 0, exp_year: 2000 + (year ?? 0), cvc };
  const sealed = { ...typed, holder_name: holder, order_token: orderToken, iat };
  const consents = optional === undefined ? [] : consentsTo("card", session, optional);
  await step("add_payment_method", { sealed_card: await seal(sealed, session.sealing_keys.card), consents });
  const paid = await step("payment", { consents: consentsTo("payment", session) });
  const { payment } = payOrderResponseSchema.parse(await paid.json());
  if (payment.status !== "succeeded") throw new Error(`The payment is ${payment.status}.`);
}

/**
 * Buys at a clinic and pays as a scenario of the catalogue does, or with another card. Returns the purchase's id. For
 * tests of later steps.
 */
export function payByApi(clinicOrigin: string, id = "pago-aprobado", card?: ScenarioCard): Promise<string> {
  const scenario = SCENARIOS.find((one) => one.id === id);
  const beginning = scenario === undefined ? null : beginningOf(scenario);
  if (scenario === undefined || !beginning?.paidWith) throw new Error(`No scenario ${id} continues after its payment.`);
  const paidWith = card === undefined ? beginning.paidWith : { ...beginning.paidWith, card };
  return beginByApi(clinicOrigin, scenario, { ...beginning, paidWith });
}

async function post(url: string, body: object, bearer?: string): Promise<Response> {
  const headers = new Headers({ "content-type": "application/json", "idempotency-key": crypto.randomUUID() });
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  throw new Error(`POST ${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
}

/** The required consents of a step. The one for the isapre's password is required if a password is typed. */
function consentsTo(step: "onboarding" | "card" | "payment", { consents }: WidgetSession, optional = "insurer_access") {
  return consents
    .filter((consent) => consent.step === step && (consent.required || consent.purpose === optional))
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
}

function seal(value: CardToSeal | InsurerAccessToSeal, key: SealingKey | null): Promise<string> {
  if (key === null) throw new Error("There is no key to seal with.");
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt({ ...key });
}

function insurerNamed(label: string): Insurer {
  const found = (Object.keys(INSURERS) as Insurer[]).find((insurer) => INSURERS[insurer] === label);
  if (found === undefined) throw new Error(`${label} is no isapre that we know.`);
  return found;
}
