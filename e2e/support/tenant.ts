import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sandboxEndpoints } from "bff/contract/sandbox-endpoints";
import { createPartnerClient, type PartnerClient } from "bff/partner-client/partner-client";
import type { Patient } from "../kit/patients.ts";

/** The ports and the data folder of the product under test, from the environment that the configuration sets. */
function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; playwright.config.ts sets it`);
  return value;
}

export function productUrls() {
  return {
    orderApiUrl: `http://127.0.0.1:${setting("ORDER_API_PORT")}`,
    spotApiUrl: `http://127.0.0.1:${setting("SPOT_API_PORT")}`,
    widgetHostUrl: `http://localhost:${setting("WIDGET_HOST_PORT")}`,
    mailsGalleryUrl: `http://localhost:${setting("SANDBOX_PARTIES_PORT")}/mails`,
  };
}

const tenantSchema = sandboxEndpoints.createSandboxTenant.success[201];
const credentialsSchema = tenantSchema.shape.credentials;
export type Credentials = ReturnType<typeof credentialsSchema.parse>;

/** The credentials of the demo's clinic, from its file. */
export async function clinicCredentials(): Promise<Credentials> {
  const text = await readFile(join(setting("PRODUCT_DATA_DIR"), "host-demo/credentials.json"), "utf8");
  return credentialsSchema.parse(JSON.parse(text));
}

type MintWish = NonNullable<Parameters<PartnerClient["mintWidgetToken"]>[0]>;
type OrderHash = Awaited<ReturnType<PartnerClient["createOrder"]>>["hash"];

/** A provider for one test, with separate credentials, patients and clock. */
export interface Tenant {
  readonly providerId: string;
  readonly credentials: Credentials;
  readonly aapd: PartnerClient;
}

/**
 * Creates a tenant in the sandbox. `origins` are the pages that may frame its widget, `returnUrls` the addresses that
 * patients return to; `agreed` overrides other terms.
 */
export async function createTenant(
  origins: readonly string[],
  returnUrls: readonly string[] = [],
  agreed: { readonly known_patients?: boolean; readonly card_page?: boolean } = {},
): Promise<Tenant> {
  const { orderApiUrl, spotApiUrl } = productUrls();
  const response = await fetch(new URL("/sandbox/tenants", orderApiUrl), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${(await clinicCredentials()).client_secret}`,
    },
    body: JSON.stringify({ origins, return_urls: returnUrls, ...agreed }),
  });
  if (!response.ok) throw new Error(`POST /sandbox/tenants answered ${response.status}`);
  const { provider, credentials } = tenantSchema.parse(await response.json());
  const aapd = createPartnerClient({
    orderApiUrl,
    spotApiUrl,
    clientSecret: credentials.client_secret,
    publicKey: credentials.public_key,
  });
  return { providerId: provider.id, credentials, aapd };
}

/** Creates an order and mints the address of its checkout, as a partner's back end does. */
export async function createCheckoutUrl(tenant: Tenant, patient: Patient): Promise<string> {
  return mintCheckoutUrl(tenant, patient, await createOrder(tenant, patient));
}

/** Creates an order; returns its hash. */
export async function createOrder({ aapd }: Tenant, patient: Patient): Promise<OrderHash> {
  const order = await aapd.createOrder({
    reference: `E2E-${crypto.randomUUID()}`,
    total_amount: 38_990,
    customer: {
      rut: patient.rut,
      first_name: patient.firstName,
      last_name: patient.lastName,
      email: patient.email,
      phone_number: patient.phone,
    },
  });
  return order.hash;
}

/** Mints an address of an order's checkout. `wish` sets the mode. */
export async function mintCheckoutUrl(
  { aapd }: Tenant,
  patient: Patient,
  order: OrderHash,
  wish: Pick<MintWish, "return_url" | "native"> = {},
): Promise<string> {
  const { url } = await aapd.mintWidgetToken({
    ...wish,
    order_token: order,
    rut: patient.rut,
    user_data: {
      name: patient.firstName,
      surname: patient.lastName,
      email: patient.email,
      phone_number: patient.phone,
      rut: patient.rut,
    },
  });
  return url;
}
