import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { SMTPServer } from "smtp-server";
import { buyOnce, type ProductionUrls } from "./buy-once.ts";
import { freePorts } from "./free-ports.ts";
import { newCrashDatabase } from "./new-database.ts";
import { startNginx } from "./nginx.ts";
import { readBlocks, withValues } from "./read-blocks.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const PROCESSES = 2;
const READY_WITHIN_MS = 60_000;

export interface ProductionOptions {
  /** Empty: everything that the blocks write goes there. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly say: (line: string) => void;
}

export interface ProductionOutcome {
  readonly blocks: number;
  readonly mails: number;
  readonly wrong: readonly string[];
}

/**
 * Does what "Going to production" of the README says, block by block, with addresses of its own: the sandbox's connector in
 * the place of the real parties, a mail server, and nginx in front of two processes. Then a patient pays. The block that
 * builds is left out: what runs is what was built.
 */
export async function rehearseProduction({ folder, databaseUrl, say }: ProductionOptions): Promise<ProductionOutcome> {
  const closing: (() => unknown)[] = [];
  const log = createWriteStream(join(folder, "service.log"));
  try {
    const blocks = readBlocks(await readFile(join(REPOSITORY, "README.md"), "utf8"), "Going to production");
    const [build = "", ...written] = blocks;
    const start = written.pop() ?? "";
    if (!build.includes("pnpm build") || !start.includes("main.js"))
      throw new Error("The first block builds, and the last one starts a process.");

    const [connectorPort = 0, ...ports] = await freePorts(4 + 4 * PROCESSES);
    const mails = await startMailServer(await makeCertificate(folder));
    closing.push(mails.close);
    const connector = await startConnector(connectorPort, log);
    closing.push(() => end(connector.child));
    const own = valuesOf({ folder, databaseUrl, connectorUrl: connector.url, mailPort: mails.port });
    await writeTexts(folder, connector.databaseUrl);

    const script = ["set -euo pipefail", ...written.map((block) => withValues(block, own))].join("\n");
    await inShell(script, { folder, log });
    say(`${written.length} blocks ran`);

    const [orderFront = 0, spotFront = 0, widgetFront = 0, ...behind] = ports;
    const all = Array.from({ length: PROCESSES }, (_, number) => behind.slice(4 * number, 4 * number + 4));
    const processes = all.map((of) => startProcess(start, of, { folder, log }));
    closing.push(() => Promise.all(processes.map(end)));
    await Promise.all(processes.map((child, number) => untilReady(child, all[number]?.[3] ?? 0)));
    const nginx = await startNginx(folder, [
      { port: orderFront, among: all.map(([order = 0]) => order) },
      { port: spotFront, among: all.map(([, spot = 0]) => spot) },
      { port: widgetFront, among: all.map(([, , widget = 0]) => widget) },
    ]);
    closing.push(() => nginx.stop());

    const [order, spot, widget] = [orderFront, spotFront, widgetFront].map((port) => `http://127.0.0.1:${port}`);
    const urls: ProductionUrls = { order: order ?? "", spot: spot ?? "", widget: widget ?? "" };
    const wrong = await buyOnce(urls, await readFile(join(folder, "clinica.txt"), "utf8"));
    say("a patient has paid");
    await mails.until("camila@example.com");
    const stopped = await Promise.all(processes.map(end));
    const badly = stopped
      .filter((code) => code !== 0)
      .map((code) => `a process that was told to stop ended with ${code}`);
    return { blocks: written.length, mails: mails.count(), wrong: [...wrong, ...badly] };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** The values of our own for the variables that the blocks set. */
function valuesOf(at: { folder: string; databaseUrl: string; connectorUrl: string; mailPort: number }) {
  return {
    DATABASE_URL: `'${at.databaseUrl}'`,
    FILES_DIR: join(at.folder, "files"),
    CONNECTOR_URL: `${at.connectorUrl}/connector/v1`,
    CONNECTOR_TOKEN,
    CARD_CHALLENGE_ORIGIN: at.connectorUrl,
    SMTP_URL: `smtps://127.0.0.1:${at.mailPort}`,
    MESSAGING_URL: `${at.connectorUrl}/connector/v1`,
    MESSAGING_TOKEN: CONNECTOR_TOKEN,
  };
}

const CONNECTOR_TOKEN = "a-token-of-the-rehearsal-0001";

/** The sandbox's parties, in a process and with a database of their own. */
async function startConnector(port: number, log: WriteStream) {
  const { url: databaseUrl } = await newCrashDatabase();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(REPOSITORY, "bff/dist/sandbox/connector.js")], {
    env: {
      PATH: process.env.PATH,
      CONNECTOR_PORT: String(port),
      CONNECTOR_TOKEN,
      CONNECTOR_DATABASE_URL: databaseUrl,
      CARD_CHALLENGE_ORIGIN: url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  follow(child, log);
  await untilAnswered(child, `${url}/challenge.css`);
  return { child, url, databaseUrl };
}

/** The operator's own texts: here the samples of staging, which the connector's database has too. */
async function writeTexts(folder: string, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ kind: string; text: string }>(
      "select kind, text from legal_texts where environment = 'staging' and locale = 'es-CL'",
    );
    for (const { kind, text: words } of rows) await writeFile(join(folder, `${kind}.md`), words);
  } finally {
    await client.end();
  }
}

interface Place {
  readonly folder: string;
  readonly log: WriteStream;
}

const environmentOf = (folder: string) => ({
  PATH: process.env.PATH,
  HOME: folder,
  AAPD_HOME: REPOSITORY,
  NODE_EXTRA_CA_CERTS: join(folder, CERTIFICATE),
});

async function inShell(script: string, { folder, log }: Place): Promise<void> {
  await mkdir(join(folder, "files"), { recursive: true });
  const child = spawn("bash", ["-c", script], {
    cwd: folder,
    env: environmentOf(folder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  follow(child, log);
  const wrote = text(child.stderr);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`A block of the README failed: ${(await wrote).trim()}`);
}

function startProcess(script: string, ports: readonly number[], { folder, log }: Place): ChildProcess {
  const [order, spot, widget, probes] = ports.map(String);
  const child = spawn("bash", ["-c", script], {
    cwd: folder,
    env: {
      ...environmentOf(folder),
      ORDER_API_PORT: order,
      SPOT_API_PORT: spot,
      WIDGET_HOST_PORT: widget,
      PROBES_PORT: probes,
      DRAIN_SECONDS: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  follow(child, log);
  return child;
}

function follow(child: ChildProcess, log: WriteStream): void {
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
}

const untilReady = (child: ChildProcess, probes: number) => untilAnswered(child, `http://127.0.0.1:${probes}/readyz`);

async function untilAnswered(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    if (child.exitCode !== null) throw new Error(`A process ended with ${child.exitCode} before it was ready.`);
    if (performance.now() > deadline) throw new Error("A process was not ready in time.");
    await pause(50);
  }
}

/** Tells a process to stop and waits. Returns its exit code. */
async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await exit;
  return typeof code === "number" ? code : null;
}

const CERTIFICATE = "mail.pem";

/** A certificate for this machine's mail server, which the processes are told to trust. */
async function makeCertificate(folder: string): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const [key, cert] = [join(folder, "mail.key"), join(folder, CERTIFICATE)];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  await promisify(execFile)("openssl", [...made, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]);
  return { key: await readFile(key), cert: await readFile(cert) };
}

interface MailServer {
  readonly port: number;
  readonly count: () => number;
  /** Waits for a mail to an address. */
  readonly until: (address: string) => Promise<void>;
  readonly close: () => void;
}

async function startMailServer(certificate: { readonly key: Buffer; readonly cert: Buffer }): Promise<MailServer> {
  const mails: string[] = [];
  const server = new SMTPServer({
    secure: true,
    ...certificate,
    authOptional: true,
    onData(stream, _session, done) {
      void text(stream).then((mail) => {
        mails.push(mail);
        done();
      });
    },
  });
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("A server on the loopback has a port.");
  return {
    port: address.port,
    count: () => mails.length,
    async until(to) {
      const deadline = performance.now() + READY_WITHIN_MS;
      while (!mails.some((mail) => /^to:.*$/im.exec(mail)?.[0].includes(to))) {
        if (performance.now() > deadline) throw new Error(`No mail came to ${to}.`);
        await pause(50);
      }
    },
    close: () => server.close(),
  };
}
