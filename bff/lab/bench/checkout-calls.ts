import { randomUUID } from "node:crypto";
import { PRELOAD_PARAMETER } from "../../src/contract/widget-page.ts";
import { consentTexts } from "../../src/patients/consent-texts.ts";

/** The credentials of the provider whose checkout is paid. */
export interface Buyer {
  readonly clientSecret: string;
  readonly clientId: string;
  readonly publicKey: string;
}

/** A request of a checkout. */
export interface CheckoutCall {
  /** The endpoint, without ids. */
  readonly route: string;
  readonly face: "order" | "spot" | "widget";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly expected: number;
}

/** Sends a request and returns the body of its answer. Throws if the status is not the expected one. */
export type SendCall = (call: CheckoutCall) => Promise<string>;

export const PATIENT = {
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56 9 1234 5678",
};

/** As long as a sealed card. The simulated parties never open it. */
const SEALED = ["a".repeat(86), "b".repeat(342), "c".repeat(16), "d".repeat(200), "e".repeat(22)].join(".");

/**
 * An order and its patient's checkout, with the calls of the clinic, the widget and its host. The page is preloaded,
 * and the session is read again when it is shown.
 */
export async function payOneOrder(
  { clientSecret, clientId, publicKey }: Buyer,
  rut: string,
  send: SendCall,
): Promise<{ readonly hash: string; readonly widgetToken: string }> {
  const hash = await createOrder(clientSecret, rut, send);
  const asProvider = `?public_key=${publicKey}`;
  const minted = await send({
    ...{ route: "POST /api/spot/widget", face: "spot", expected: 201 },
    path: `/api/spot/widget${asProvider}`,
    body: { order_token: hash },
  });
  const widgetToken: string = JSON.parse(minted).widget_token;
  const preloaded = `widget_token=${widgetToken}&public_key=${publicKey}&${PRELOAD_PARAMETER}=1`;
  await send({ route: "GET / (the page)", face: "widget", expected: 200, path: `/?${preloaded}` });
  const session = `/api/spot/widget/${widgetToken}`;
  await send({ route: "GET /api/spot/widget/:widget_token", face: "spot", expected: 200, path: session });
  await send({
    ...{ route: "POST /api/spot/user", face: "spot", expected: 201 },
    path: `/api/spot/user${asProvider}`,
    body: { ...PATIENT, rut, insurer: "colmena", widget_token: widgetToken, consents: consentsOf("onboarding") },
  });
  await takeSteps(clientId, hash, send);
  return { hash, widgetToken };
}

async function createOrder(clientSecret: string, rut: string, send: SendCall): Promise<string> {
  const reference = randomUUID();
  const created = await send({
    ...{ route: "POST /orders", face: "order", expected: 201, path: "/orders" },
    headers: { authorization: `Bearer ${clientSecret}`, "idempotency-key": reference },
    body: { reference, total_amount: 45_952, customer: { ...PATIENT, rut } },
  });
  return JSON.parse(created).hash;
}

/** Identity, card and payment. */
async function takeSteps(clientId: string, hash: string, send: SendCall): Promise<void> {
  const authorization = `Bearer ${clientId}`;
  const step = (name: string, body: unknown) =>
    send({
      ...{ route: `POST /orders/:hash/${name}`, face: "order", expected: 200, path: `/orders/${hash}/${name}`, body },
      headers: { authorization, ...(name === "add_payment_method" ? {} : { "idempotency-key": randomUUID() }) },
    });
  await step("validate_customer_identity", { document_serial: "123456789" });
  await step("add_payment_method", { sealed_card: SEALED });
  const paid = await step("payment", { consents: consentsOf("payment") });
  if (JSON.parse(paid).payment.status !== "succeeded") throw new Error("A payment did not succeed.");
}

const consentsOf = (step: "onboarding" | "payment") =>
  consentTexts("es-CL", step)
    .filter(({ required }) => required)
    .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
