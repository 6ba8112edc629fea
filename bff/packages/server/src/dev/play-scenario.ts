import { META_PROVIDER_SCOPE } from "../../../../src/contract/vocabulary/scopes.ts";
import type { Order } from "../../../../src/partner-client/answers.ts";
import type { ExpenseFile } from "../../../../src/partner-client/call-arguments.ts";
import { AapdError } from "../../../../src/partner-client/errors.ts";
import { createPartnerClient, type PartnerClient } from "../../../../src/partner-client/partner-client.ts";
import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";
import { newRut } from "./new-rut.ts";
import { emailOf, payAsPatient } from "./pay-as-patient.ts";
import { moveClock } from "./sandbox-clock.ts";
import type { DevScenario } from "./scenarios.ts";
import { payEarly, revokeMandate } from "./self-service-link.ts";

/** The result of a scenario. */
export interface Played {
  readonly order: Order;
  /** The error code that the scenario expects from a step of the patient; null if it expects none. */
  readonly refusal: string | null;
}

const GOOD_CARD = "4051885600446623";
const GOOD_SERIAL = "123456789";
const TOTAL = 45_952;
/** A receipt for tests, accepted in the sandbox. */
export const TEST_RECEIPT: ExpenseFile = {
  name: "boleta.pdf",
  type: "application/pdf",
  bytes: new TextEncoder().encode("%PDF-1.4\n% recibo de prueba\n%%EOF\n"),
};

export function clientOf({ credentials, addresses }: SandboxKeys): PartnerClient {
  return createPartnerClient({
    orderApiUrl: addresses.order_api,
    spotApiUrl: addresses.spot_api,
    clientSecret: credentials.client_secret,
    publicKey: credentials.public_key,
    secretKey: credentials.secret_key,
  });
}

const TEST_CENTER = { rut: "76000001-9", name: "Centro de Prueba", email: "centro@example.com" };

/** For an order of a meta-provider: its first centre, or a new one if it has none. Empty for other providers. */
async function centerFor(client: PartnerClient): Promise<{ readonly provider_rut?: string }> {
  const { scopes } = await client.readProfile();
  if (!scopes.includes(META_PROVIDER_SCOPE)) return {};
  const { centers } = await client.listCenters({ limit: 1 });
  const [known] = centers;
  if (known === undefined) await client.upsertCenters({ centers: [TEST_CENTER] });
  return { provider_rut: (known ?? TEST_CENTER).rut };
}

/** An order of a test patient, with the address of its checkout. */
export async function openOrder(client: PartnerClient, rut: string, total = TOTAL) {
  const order = await client.createOrder({
    reference: `prueba-${crypto.randomUUID()}`,
    total_amount: total,
    ...(await centerFor(client)),
    customer: {
      rut,
      first_name: "Camila",
      last_name: "Rojas Fuentes",
      email: emailOf(rut),
      phone_number: "+56912345678",
    },
  });
  const { widget_token: widgetToken, url } = await client.mintWidgetToken({ order_token: order.hash, rut });
  return { hash: order.hash, widgetToken, url };
}

/** Plays a whole life: order, patient, receipt and everything after. */
export async function playScenario(keys: SandboxKeys, scenario: DevScenario): Promise<Played> {
  const client = clientOf(keys);
  const rut = scenario.rut ?? newRut();
  const { hash, widgetToken } = await openOrder(client, rut);
  const checkout = { widgetHost: keys.addresses.widget_host, clientId: keys.credentials.client_id, hash, widgetToken };
  const { serial = GOOD_SERIAL, card = GOOD_CARD, bank } = scenario;
  const patient = { rut, serial, card, ...(bank !== undefined && { bank }) };
  const refusal = await payAsPatient(checkout, patient).then(
    () => null,
    (error: unknown) => {
      if (error instanceof AapdError && error.code !== null) return error.code;
      throw error;
    },
  );
  if (refusal === null) await goOn(keys, client, { scenario, hash, rut });
  return { order: await client.getOrder(hash), refusal };
}

async function goOn(
  keys: SandboxKeys,
  client: PartnerClient,
  { scenario, hash, rut }: { scenario: DevScenario; hash: string; rut: string },
): Promise<void> {
  if (scenario.submitsReceipt === true) await client.submitExpense({ rut, orderHash: hash, files: [TEST_RECEIPT] });
  if (scenario.afterwards === "refund") await client.refundOrder(hash);
  else if (scenario.afterwards === "chargeback") await chargeBack(keys, hash);
  else if (scenario.afterwards === "early_payment") await payEarly(keys, { rut, email: emailOf(rut) });
  else if (scenario.afterwards === "mandate_revoked") await revokeMandate(keys, { rut, email: emailOf(rut) });
  if (scenario.advance !== undefined) await moveClock(keys, scenario.advance);
}

async function chargeBack({ addresses, credentials }: SandboxKeys, hash: string): Promise<void> {
  await call({
    method: "POST",
    url: new URL("/sandbox/chargebacks", addresses.order_api),
    headers: { authorization: `Bearer ${credentials.client_secret}` },
    body: { order_hash: hash },
    answerHas: [],
  });
}
