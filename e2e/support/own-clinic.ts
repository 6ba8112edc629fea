import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { webhookEndpoints } from "bff/contract/webhook-endpoints";
import { readConfig } from "host-demo/backend/config";
import { startClinic } from "host-demo/backend/start-clinic";
import { createTenant, productUrls, type Tenant } from "./tenant.ts";

const PAGE_DIR = fileURLToPath(new URL("../../host-demo/dist/page", import.meta.url));

/**
 * A free port below those that Linux and macOS hand out to connections and to `listen(0)`, which could take it before
 * the caller does.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const probe = createServer().listen(port);
  try {
    await once(probe, "listening");
  } catch {
    return freePort();
  }
  probe.close();
  await once(probe, "close");
  return port;
}

/** Registers the receiver of a tenant's events. Returns the endpoint's secret. */
export async function registerWebhook({ credentials }: Tenant, url: string): Promise<string> {
  const response = await fetch(new URL("/api/webhook_endpoints", productUrls().spotApiUrl), {
    method: "POST",
    headers: { "content-type": "application/json", "x-secret-key": credentials.secret_key },
    body: JSON.stringify({ url }),
  });
  if (!response.ok) throw new Error(`POST /api/webhook_endpoints answered ${response.status}`);
  return webhookEndpoints.createWebhookEndpoint.success[201].parse(await response.json()).secret;
}

export interface OwnClinic {
  /** The address of its page. */
  readonly origin: string;
  readonly providerId: Tenant["providerId"];
  readonly credentials: Tenant["credentials"];
  readonly aapd: Tenant["aapd"];
  stop(): Promise<void>;
}

/**
 * Starts the demo's clinic for a new tenant, so that no other test moves its clock or uses its patients. Its page,
 * backend and webhooks are the demo's. It runs in the test's process, which is faster than starting another.
 */
export async function startOwnClinic(agreed: Parameters<typeof createTenant>[2] = {}): Promise<OwnClinic> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const tenant = await createTenant([origin], [], { known_patients: true, ...agreed });
  const webhookSecret = await registerWebhook(tenant, `${origin}/webhooks/aapd`);
  const folder = await mkdtemp(join(tmpdir(), "aapd-clinic-"));
  const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
  const config = readConfig({
    DEMO_PORT: String(port),
    DEMO_DATA_DIR: folder,
    DEMO_PAGE_DIR: PAGE_DIR,
    ORDER_API_URL: orderApiUrl,
    SPOT_API_URL: spotApiUrl,
    WIDGET_HOST_URL: widgetHostUrl,
    AAPD_CLIENT_SECRET: tenant.credentials.client_secret,
    AAPD_PUBLIC_KEY: tenant.credentials.public_key,
    AAPD_WEBHOOK_SECRET: webhookSecret,
    AAPD_SECRET_KEY: tenant.credentials.secret_key,
  });
  const stopClinic = await startClinic(config, () => undefined);
  const stop = async () => {
    await stopClinic();
    await rm(folder, { recursive: true, force: true });
  };
  return { origin, ...tenant, stop };
}
