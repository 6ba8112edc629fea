import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PartnerReceiver } from "../sim/partner-receivers.ts";
import type { ProductionUrls } from "./buy-once.ts";
import { newCrashDatabase } from "./new-database.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { openPostgresTroubles, type PostgresTroubles } from "./postgres-troubles.ts";
import { startPartnerReceiver } from "./receivers.ts";
import { createService, type Service } from "./service.ts";

const run = promisify(execFile);
const AAPD = fileURLToPath(new URL("../../dist/sandbox/aapd.js", import.meta.url));

/** One PostgreSQL server with its processes, keyring and files. It serves whole providers and knows no other cell. */
export interface Cell {
  readonly name: string;
  readonly urls: ProductionUrls;
  readonly databaseUrl: string;
  readonly services: readonly Service[];
  /** Its PostgreSQL, which can be stopped and restarted. */
  readonly postgres: PostgresTroubles;
  /** Runs the operator's command line in this cell. Returns its output. */
  aapd(...args: string[]): Promise<string>;
}

export interface CellOptions {
  readonly name: string;
  readonly urls: ProductionUrls;
  /** The folder for everything that the cell writes. */
  readonly folder: string;
  /** The ports of each process: order API, spot API, widget host. */
  readonly ports: readonly (readonly number[])[];
}

/** Starts a cell. */
export async function startCell({ name, urls, folder, ports }: CellOptions, closing: (() => unknown)[]): Promise<Cell> {
  const server = await startOwnPostgres();
  closing.push(() => server.stop());
  const postgres = await openPostgresTroubles(server.serverUrl);
  closing.push(() => postgres.close());
  const { url: databaseUrl } = await newCrashDatabase(server.serverUrl);
  await mkdir(folder, { recursive: true });
  const environment = {
    ENVIRONMENT: "staging",
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, "bff"),
    FACES: "order,spot,widget",
    ORDER_API_PUBLIC_URL: urls.order,
    SPOT_API_PUBLIC_URL: urls.spot,
    WIDGET_HOST_PUBLIC_URL: urls.widget,
    WEBHOOKS_ALLOW_LOOPBACK: "true",
    TRUSTED_PROXIES: "1",
    LOG_LEVEL: "warn",
  };
  const log = createWriteStream(join(folder, "service.log"));
  const services = ports.map(([order = 0, spot = 0, widget = 0], number) => {
    const own = { ORDER_API_PORT: `${order}`, SPOT_API_PORT: `${spot}`, WIDGET_HOST_PORT: `${widget}` };
    const url = `http://127.0.0.1:${order}`;
    return createService({ name: `${name} ${number}`, environment: { ...environment, ...own }, url, log });
  });
  closing.push(() => Promise.all(services.map((service) => service.stop())));
  // The first process migrates, and creates the keyring for the others.
  for (const service of services) await service.start();
  const aapd = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [AAPD, ...args], {
      env: { PATH: process.env.PATH, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  return { name, urls, databaseUrl, services, postgres, aapd };
}

/** A clinic of a cell: its credentials, and the receiver of its events. */
export interface Clinic {
  readonly cell: Cell;
  readonly rut: string;
  /** The output of `aapd provider create`. */
  readonly issued: string;
  readonly receiver: PartnerReceiver;
}

/** Creates a clinic in a cell, as an operator does. */
export async function openClinic(
  cell: Cell,
  { name, rut }: { readonly name: string; readonly rut: string },
  closing: (() => unknown)[],
): Promise<Clinic> {
  const receiver = await startPartnerReceiver();
  closing.push(() => receiver.close());
  const agreed = [
    "--commission",
    "7",
    "--commission-regime",
    "interest",
    "--support-email",
    "pagos@clinica.example.com",
  ];
  const page = ["--origin", "https://clinica.example.com"];
  const issued = await cell.aapd("provider", "create", "--name", name, "--rut", rut, ...agreed, ...page);
  await cell.aapd("provider", "set-webhook", rut, receiver.url);
  return { cell, rut, issued, receiver };
}
