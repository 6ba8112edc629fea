import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { FaceUrls } from "./crowd.ts";
import { freePorts } from "./free-ports.ts";
import type { Ground } from "./ground.ts";
import { startNginx } from "./nginx.ts";
import { createService, type Service } from "./service.ts";

export interface ProcessesOptions {
  /** What they write goes there. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** Several stand behind nginx. */
  readonly count: number;
  /** A file of `plants/`, without its ending, that they load first; null: they are as they are. */
  readonly plant: string | null;
  /** How long one that is told to stop serves on. */
  readonly drainSeconds?: number;
}

export interface Processes {
  readonly services: readonly Service[];
  /** Where customers reach them. */
  readonly urls: FaceUrls;
  /** Has nginx send nothing more to one of them; null: to all again. */
  leaveOut(service: Service | null): Promise<void>;
}

/** Starts processes of the built service on one database. */
export async function startProcesses(
  { folder, databaseUrl, count, plant, drainSeconds = 0 }: ProcessesOptions,
  closing: (() => unknown)[],
): Promise<Processes> {
  const [orderFront = 0, spotFront = 0, ...ports] = await freePorts(2 + 2 * count);
  const log = createWriteStream(join(folder, "service.log"));
  const all = Array.from({ length: count }, (_, number) => ({
    order: ports[2 * number] ?? 0,
    spot: ports[2 * number + 1] ?? 0,
  }));
  const services = all.map(({ order, spot }, number) => {
    const environment = {
      ENVIRONMENT: "staging",
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(folder, "bff"),
      FACES: "order,spot",
      ORDER_API_PORT: String(order),
      SPOT_API_PORT: String(spot),
      WEBHOOKS_ALLOW_LOOPBACK: "true",
      TRUSTED_PROXIES: "1",
      LOG_LEVEL: "warn",
      DRAIN_SECONDS: String(drainSeconds),
      ...(plant !== null && { NODE_OPTIONS: `--import=${new URL(`./plants/${plant}.mjs`, import.meta.url).href}` }),
    };
    return createService({ name: `bff ${number}`, environment, url: `http://127.0.0.1:${order}`, log });
  });
  closing.push(() => Promise.all(services.map((service) => service.stop())));
  await Promise.all(services.map((service) => service.start()));
  const [only] = all;
  if (count === 1 && only !== undefined) return { services, urls: urlsOf(only), leaveOut: async () => undefined };
  const nginx = await startNginx(folder, [
    { port: orderFront, among: all.map(({ order }) => order) },
    { port: spotFront, among: all.map(({ spot }) => spot) },
  ]);
  closing.push(() => nginx.stop());
  return {
    services,
    urls: urlsOf({ order: orderFront, spot: spotFront }),
    leaveOut(service) {
      const left = all[service === null ? -1 : services.indexOf(service)];
      return nginx.leaveOut(left === undefined ? [] : [left.order, left.spot]);
    },
  };
}

function urlsOf({ order, spot }: { readonly order: number; readonly spot: number }): FaceUrls {
  return { order: `http://127.0.0.1:${order}`, spot: `http://127.0.0.1:${spot}` };
}

/** Registers the partners' receivers. */
export async function tellReceivers({ partners }: Ground, urls: FaceUrls): Promise<void> {
  for (const { credentials, receiver } of partners) {
    const response = await fetch(`${urls.spot}/api/webhook_endpoints?public_key=${credentials.public_key}`, {
      method: "POST",
      headers: { "x-secret-key": credentials.secret_key, "content-type": "application/json" },
      body: JSON.stringify({ url: receiver.url }),
    });
    await response.body?.cancel();
    if (response.status !== 201) throw new Error(`A partner's endpoint was answered ${response.status}.`);
  }
}
