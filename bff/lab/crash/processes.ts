import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { makeCertificate, trust } from "./certificate.ts";
import type { FaceUrls } from "./crowd.ts";
import { freePorts } from "./free-ports.ts";
import type { Ground } from "./ground.ts";
import { createService, type Service } from "./service.ts";
import { startShippedNginx } from "./shipped-nginx.ts";

export interface ProcessesOptions {
  /** The folder for everything that they write. */
  readonly folder: string;
  /** Two run behind nginx, as in the shipped files; a single one is reached directly. */
  readonly each: readonly ProcessOptions[];
  /** How long a process keeps serving after it was asked to stop. */
  readonly drainSeconds?: number;
}

export interface ProcessOptions {
  readonly databaseUrl: string;
  /** The file in `plants/`, without its extension, that it loads first; null for none. */
  readonly plant: string | null;
}

export interface Processes {
  /** The processes, by their names in `deploy/compose.yaml`. */
  readonly services: readonly Service[];
  /** The addresses for customers. */
  readonly urls: FaceUrls;
}

interface Ports {
  readonly order: number;
  readonly spot: number;
  readonly widget: number;
  readonly probes: number;
}

/** Starts processes of the built service on one database. */
export async function startProcesses(options: ProcessesOptions, closing: (() => unknown)[]): Promise<Processes> {
  const { folder, each } = options;
  const count = each.length;
  const [order = 0, spot = 0, widget = 0, ...free] = await freePorts(3 + 4 * count);
  const all = Array.from({ length: count }, (_, number): Ports => {
    const [order = 0, spot = 0, widget = 0, probes = 0] = free.slice(4 * number);
    return { order, spot, widget, probes };
  });
  const log = createWriteStream(join(folder, "service.log"));
  const services = each.map((process, number) => {
    const ports = all[number];
    if (ports === undefined) throw new Error("Every process has its ports.");
    const url = `http://127.0.0.1:${ports.probes}`;
    const environment = environmentOf(options, process, ports);
    return createService({ name: `aapd-${number + 1}`, environment, url, log });
  });
  closing.push(() => Promise.all(services.map((service) => service.stop())));
  await Promise.all(services.map((service) => service.start()));
  const [only] = all;
  if (count === 1 && only !== undefined) return { services, urls: urlsOf("http", only) };
  const certificate = await makeCertificate(folder);
  trust(certificate);
  const behind = all.map(({ order, spot, widget }) => [order, spot, widget]);
  const nginx = await startShippedNginx({ folder, certificate, fronts: [order, spot, widget], behind });
  closing.push(() => nginx.stop());
  return { services, urls: { ...urlsOf("https", { order, spot }), ca: certificate.cert } };
}

function environmentOf(
  { folder, drainSeconds = 0 }: ProcessesOptions,
  { databaseUrl, plant }: ProcessOptions,
  { order, spot, probes }: Ports,
): Readonly<Record<string, string>> {
  return {
    ENVIRONMENT: "staging",
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, "bff"),
    FACES: "order,spot",
    ORDER_API_PORT: String(order),
    SPOT_API_PORT: String(spot),
    PROBES_PORT: String(probes),
    WEBHOOKS_ALLOW_LOOPBACK: "true",
    TRUSTED_PROXIES: "1",
    LOG_LEVEL: "warn",
    DRAIN_SECONDS: String(drainSeconds),
    ...(plant !== null && { NODE_OPTIONS: `--import=${new URL(`./plants/${plant}.mjs`, import.meta.url).href}` }),
  };
}

function urlsOf(scheme: "http" | "https", { order, spot }: Pick<Ports, "order" | "spot">): FaceUrls {
  return { order: `${scheme}://127.0.0.1:${order}`, spot: `${scheme}://127.0.0.1:${spot}` };
}

/** Registers the partners' webhook receivers. */
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
