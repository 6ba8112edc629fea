import { setTimeout as pause } from "node:timers/promises";
import type { Credential } from "../../src/contract/endpoint.ts";
import { readOrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { eventLogSchema } from "../../src/contract/webhooks.ts";
import { type WidgetSession, widgetSessionSchema } from "../../src/contract/widget-tokens.ts";
import { AapdError } from "../../src/partner-client/errors.ts";
import { createPartnerClient, type PartnerClient } from "../../src/partner-client/partner-client.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { cardFor, seal } from "../../test/http/gateways/start-gateways.ts";

/** The address of the service, or of the proxy in front of it. */
export type ProductionUrls = Readonly<Record<"order" | "spot" | "widget", string>>;

const TOTAL = 45_952;
const FIRST = 13_786;
const EVENT_WITHIN_MS = 30_000;

export interface Purchase {
  readonly hash: string;
  /** The token with which the patient's page was opened. */
  readonly widgetToken: string;
  /** The failures of the purchase. */
  readonly wrong: readonly string[];
}

/** A credential in the output of `aapd provider create`. */
export function issuedCredential(issued: string, kind: Credential): string {
  return new RegExp(`^ *${kind} +(\\S+)$`, "m").exec(issued)?.[1] ?? "";
}

/** The client of a clinic's back end. `issued` is the output of `aapd provider create`. */
export function clinicAt(urls: ProductionUrls, issued: string): PartnerClient {
  return createPartnerClient({
    orderApiUrl: urls.order,
    spotApiUrl: urls.spot,
    clientSecret: issuedCredential(issued, "client_secret"),
    publicKey: issuedCredential(issued, "public_key"),
    secretKey: issuedCredential(issued, "secret_key"),
  });
}

/** The status of a clinic's refused call; 0 without an answer. */
export function statusOfRefusal(error: unknown): number {
  return error instanceof AapdError ? error.status : 0;
}

/** The client of a clinic's back end. `issued` is the output of `aapd provider create`. */
export async function buyOnce(
  urls: ProductionUrls,
  issued: string,
  {
    reference = "ensayo-1",
    email = "camila@example.com",
  }: { readonly reference?: string; readonly email?: string } = {},
): Promise<Purchase> {
  const wrong: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) wrong.push(`${what}: ${String(found)} instead of ${String(wanted)}`);
  };
  const publicKey = issuedCredential(issued, "public_key");
  const clinic = clinicAt(urls, issued);
  const { hash } = await clinic.createOrder({
    reference,
    total_amount: TOTAL,
    customer: {
      rut: "11.111.111-1",
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email,
      phone_number: "+56912345678",
    },
  });
  const { widget_token: token } = await clinic.mintWidgetToken({ order_token: hash });

  const page = await fetch(`${urls.widget}/?widget_token=${token}&public_key=${publicKey}&order_token=${hash}`);
  expect("the page", page.status, 200);
  expect("the page's amount", (await page.text()).includes("13.786"), true);
  const patient = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${issuedCredential(issued, "client_id")}`,
      "content-type": "application/json",
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${urls.widget}${path}`, { method, headers, ...sent });
    return { status: response.status, body: await response.json() };
  };
  const session = widgetSessionSchema.parse((await patient("GET", `/api/spot/widget/${token}`)).body);
  const identity = { document_serial: "123456789" };
  expect("the identity", (await patient("POST", `/orders/${hash}/validate_customer_identity`, identity)).status, 200);
  const card = { sealed_card: await sealedCard(hash, session) };
  expect("the card", (await patient("POST", `/orders/${hash}/add_payment_method`, card)).status, 200);
  const paid = await patient("POST", `/orders/${hash}/payment`, agreed(session));
  expect("the payment", JSON.stringify(paid.body?.payment?.status ?? paid.body), '"succeeded"');

  const order = await clinic.getOrder(hash);
  expect("the order", order.status, "paid");
  expect("what the card paid", order.captured_amount, FIRST);
  expect("events that say paid", await paidEvents(urls, issued, hash), 1);
  return { hash, widgetToken: token, wrong };
}

/** The number of events that report the order as paid; 0 if none arrives in time. */
async function paidEvents({ spot }: ProductionUrls, issued: string, hash: string): Promise<number> {
  const deadline = performance.now() + EVENT_WITHIN_MS;
  for (;;) {
    const listed = await fetch(`${spot}/api/events?public_key=${issuedCredential(issued, "public_key")}`, {
      headers: { "x-secret-key": issuedCredential(issued, "secret_key") },
    });
    const { events } = eventLogSchema.parse(await listed.json());
    const found = events.filter(({ event, order_hash: of }) => event === "order.paid" && of === hash);
    if (found.length > 0 || performance.now() > deadline) return found.length;
    await pause(100);
  }
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers is compared, and not trusted
  readonly body: any;
}

async function sealedCard(hash: string, { sealing_keys: keys }: WidgetSession): Promise<string> {
  const orderId = readOrderId(hash);
  if (orderId === null || keys.card === null) throw new Error("The page has an order and a key to seal its card with.");
  return seal(keys.card, cardFor(orderId, systemClock.now()));
}

function agreed({ consents, quote }: WidgetSession): object {
  const given = consents.filter(({ step, required }) => step === "payment" && required);
  return {
    consents: given.map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 })),
    ...(quote === null ? {} : { quote_sha256: quote.sha256 }),
  };
}
