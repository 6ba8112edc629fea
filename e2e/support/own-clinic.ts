import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { webhookEndpoints } from "bff/contract/webhook-endpoints";
import { createTenant, productUrls, type Tenant } from "./tenant.ts";

const CLINIC = fileURLToPath(new URL("../../host-demo/dist/backend/main.js", import.meta.url));
const PAGE_DIR = fileURLToPath(new URL("../../host-demo/dist/page", import.meta.url));
/** A second on an idle machine. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 50;

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no port was given"));
        else resolve(address.port);
      });
    });
  });
}

/** Registers where a tenant's events go, with a secret of the endpoint's own, which is returned. */
export async function registerWebhook({ credentials }: Tenant, url: string): Promise<string> {
  const response = await fetch(new URL("/api/webhook_endpoints", productUrls().spotApiUrl), {
    method: "POST",
    headers: { "content-type": "application/json", "x-secret-key": credentials.secret_key },
    body: JSON.stringify({ url }),
  });
  if (!response.ok) throw new Error(`POST /api/webhook_endpoints answered ${response.status}`);
  return webhookEndpoints.createWebhookEndpoint.success[201].parse(await response.json()).secret;
}

async function untilHealthy(origin: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; ) {
    const answer = await fetch(`${origin}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("the clinic did not start");
}

export interface OwnClinic {
  /** The address of its page. */
  readonly origin: string;
  readonly providerId: Tenant["providerId"];
  readonly credentials: Tenant["credentials"];
  stop(): Promise<void>;
}

/**
 * Starts the demo's clinic for a tenant of its own, so that no other test moves its clock or uses its patients. Its
 * page, back end and webhooks are those of the demo.
 */
export async function startOwnClinic(agreed: Parameters<typeof createTenant>[2] = {}): Promise<OwnClinic> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const tenant = await createTenant([origin], [], { known_patients: true, ...agreed });
  const webhookSecret = await registerWebhook(tenant, `${origin}/webhooks/aapd`);
  const folder = await mkdtemp(join(tmpdir(), "aapd-clinic-"));
  const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
  const clinic = spawn(process.execPath, [CLINIC], {
    stdio: "ignore",
    env: {
      ...process.env,
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
    },
  });
  const ended = new Promise((resolve) => {
    clinic.once("exit", resolve);
  });
  const stop = async () => {
    clinic.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  await untilHealthy(origin).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { origin, providerId: tenant.providerId, credentials: tenant.credentials, stop };
}
