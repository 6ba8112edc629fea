import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { freePort } from "./own-clinic.ts";
import { portsFrom, startProduct } from "./product.ts";

/** Takes seconds on an idle machine, and more than half a minute next to thirty other processes. */
const START_WITHIN_MS = 240_000;
const CONNECTOR_TOKEN = "token-del-conector-de-prueba";
const COMMERCE = {
  TRANSBANK_MALL_CODE: "597055555541",
  TRANSBANK_SHOP_CODE: "597055555542",
  /** The stand-in's own key, not Transbank's public one. */
  TRANSBANK_API_KEY: "clave-de-prueba-del-comercio",
};

/** The product with the Transbank connector as its card processor; the sandbox's connector serves the other parties. */
export interface TransbankProduct {
  /** The address of the clinic's page. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts each program as an operator does, in a separate process, and a stand-in of Transbank. */
export async function startTransbankProduct(): Promise<TransbankProduct> {
  const folder = await mkdtemp(join(tmpdir(), "aapd-transbank-"));
  const [standInPort, transbankPort, partiesPort] = [await freePort(), await freePort(), await freePort()];
  const pages = `http://127.0.0.1:${transbankPort}`;
  const programs = [
    startProgram("connectors/transbank/stand-in/main.js", { ...COMMERCE, STAND_IN_PORT: String(standInPort) }),
    startProgram("connectors/transbank/main.js", {
      ...COMMERCE,
      CONNECTOR_PORT: String(transbankPort),
      CONNECTOR_TOKEN,
      CONNECTOR_DATABASE_URL: join(folder, "transbank"),
      TRANSBANK_ENVIRONMENT: "integration",
      TRANSBANK_BASE_URL: `http://127.0.0.1:${standInPort}`,
      TRANSBANK_EMAIL: "pagos@operadora.example",
      TRANSBANK_PAGE_ORIGIN: pages,
    }),
    startProgram("sandbox/connector.js", {
      CONNECTOR_PORT: String(partiesPort),
      CONNECTOR_TOKEN,
      CONNECTOR_DATABASE_URL: join(folder, "parties"),
      CARD_CHALLENGE_ORIGIN: `http://127.0.0.1:${partiesPort}`,
    }),
  ];
  const proxy = await startProxy((path) =>
    path.startsWith("/connector/v1/card-processor/") ? transbankPort : partiesPort,
  );
  for (const connector of [transbankPort, partiesPort]) await untilOpen(connector);
  const names = Object.keys(portsFrom(0));
  const ports: [string, string][] = [];
  for (const name of names) ports.push([name, String(await freePort())]);
  const product = startProduct({
    ...Object.fromEntries(ports),
    PRODUCT_DATA_DIR: join(folder, "product"),
    CONNECTOR_URL: `${proxy.url}/connector/v1`,
    CONNECTOR_TOKEN,
    CARD_CHALLENGE_ORIGIN: pages,
    FINANCING_PROVIDER_NAME: "Financiera de prueba SpA",
    MESSAGING_URL: `${proxy.url}/connector/v1`,
    MESSAGING_TOKEN: CONNECTOR_TOKEN,
    // No mail server: the mails of these visits wait.
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "no-reply@operadora.example",
  });
  await product.says("Everything runs");
  return {
    origin: `http://127.0.0.1:${Object.fromEntries(ports).DEMO_PORT}`,
    async stop() {
      product.interrupt();
      await product.ended;
      await Promise.all(programs.map(endProgram));
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startProgram(path: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const program = fileURLToPath(new URL(`../../bff/dist/${path}`, import.meta.url));
  return spawn(process.execPath, [program], { env: environment, stdio: ["ignore", "ignore", "inherit"] });
}

/** Waits until a program answers at all. */
async function untilOpen(port: number): Promise<void> {
  const isOpen = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen, { timeout: START_WITHIN_MS }).toBe(true);
}

async function endProgram(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null ? once(child, "exit") : null;
  child.kill("SIGTERM");
  await ended;
}

/** The operator's proxy, which passes each party's path to its connector. */
async function startProxy(portOf: (path: string) => number) {
  const server = createServer((incoming, answer) => {
    const { method, headers, url: path = "/" } = incoming;
    const passed = request({ host: "127.0.0.1", port: portOf(path), method, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
