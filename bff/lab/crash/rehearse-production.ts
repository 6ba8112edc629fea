import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { SMTPServer } from "smtp-server";
import { buyOnce, type ProductionUrls } from "./buy-once.ts";
import { type Certificate, makeCertificate, trust } from "./certificate.ts";
import { freePorts } from "./free-ports.ts";
import { newCrashDatabase } from "./new-database.ts";
import { readBlocks, withValues } from "./read-blocks.ts";
import { startShippedNginx } from "./shipped-nginx.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const PROCESSES = 2;
const READY_WITHIN_MS = 60_000;

export interface ProductionOptions {
  /** The folder for everything that the blocks write. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly installation: Installation;
  readonly say: (line: string) => void;
  /** Variables of every process and command, besides those of the blocks. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Other values for variables that the blocks set. */
  readonly values?: Readonly<Record<string, string>>;
  /** What happens while the processes run; by default a patient pays once. Returns what went wrong. */
  readonly live?: (production: Production) => Promise<readonly string[]>;
}

/** The running service, and its operators' command line. */
export interface Production {
  readonly folder: string;
  readonly urls: ProductionUrls;
  /** The output of `aapd provider create`. */
  readonly issued: string;
  /** Runs `aapd` as one of the two operators. Returns what it wrote. */
  readonly aapd: (operator: "camila" | "diego", ...given: readonly string[]) => Promise<string>;
  /** Runs another program of the installation until it ends. Returns what it wrote. */
  readonly run: (script: string, variables?: Readonly<Record<string, string>>) => Promise<string>;
  /** Replaces the processes by others with these variables. */
  readonly restart: (variables: Readonly<Record<string, string>>) => Promise<void>;
  /** Starts another process of the service, such as the console. */
  readonly start: (variables: Readonly<Record<string, string>>, probes: number) => Promise<void>;
}

/** Where and how a build is installed. */
export interface Installation {
  /** The folder that the blocks name `AAPD_HOME`. */
  readonly home: string;
  /** The search path of programs, with `node` first. */
  readonly path: string;
  /** The user of commands and processes; null for the current user. */
  readonly user: number | null;
}

/** The current build, unchanged. */
export const builtHere: Installation = { home: REPOSITORY, path: process.env.PATH ?? "", user: null };

export interface ProductionOutcome {
  readonly blocks: number;
  readonly mails: number;
  /** Each process's answer at `/healthz`. */
  readonly health: readonly unknown[];
  /** The memory of the largest of the processes at the end. */
  readonly residentMegabytes: number;
  readonly wrong: readonly string[];
}

/**
 * Runs the blocks of `docs/start/going-to-production.md` in order, with addresses of this machine. The sandbox's
 * connector plays the outside parties; a mail server and nginx in front of two processes complete the setup. Then a
 * patient pays. Skips the block that builds, and uses the existing build.
 */
export async function rehearseProduction(options: ProductionOptions): Promise<ProductionOutcome> {
  const { folder, databaseUrl, installation, say, variables = {}, live = buyOnceIn } = options;
  const closing: (() => unknown)[] = [];
  const log = createWriteStream(join(folder, "service.log"));
  // Each command writes to it as well.
  log.setMaxListeners(0);
  try {
    const blocks = readBlocks(
      await readFile(join(REPOSITORY, "bff/docs/start/going-to-production.md"), "utf8"),
      "Steps",
    );
    const [build = "", ...written] = blocks;
    const start = written.pop() ?? "";
    if (!build.includes("pnpm build") || !start.includes("main.js"))
      throw new Error("The first block builds, and the last one starts a process.");

    const [connectorPort = 0, ...ports] = await freePorts(4 + 4 * PROCESSES);
    const certificate = await makeCertificate(folder);
    trust(certificate);
    const mails = await startMailServer(certificate);
    closing.push(mails.close);
    const connector = await startConnector(connectorPort, { log, variables });
    closing.push(() => end(connector.child));
    const at = { folder, databaseUrl, connectorUrl: connector.url, mailPort: mails.port };
    const own = { ...valuesOf(at), ...options.values };
    const place = { folder, log, installation, variables };
    await writeTexts(folder, connector.databaseUrl);

    const script = ["set -euo pipefail", ...written.map((block) => withValues(block, own))].join("\n");
    await inShell(`${script}\n${KEEP_TOKEN}`, place);
    say(`${written.length} blocks ran`);

    const [order = 0, spot = 0, widget = 0, ...behind] = ports;
    const all = Array.from({ length: PROCESSES }, (_, number) => behind.slice(4 * number, 4 * number + 4));
    let processes: ChildProcess[] = [];
    const restart = async (more: Readonly<Record<string, string>>) => {
      await Promise.all(processes.map(end));
      processes = all.map((of) => startProcess(start, of, { ...place, variables: { ...variables, ...more } }));
      await Promise.all(processes.map((child, number) => untilReady(child, all[number]?.[3] ?? 0)));
    };
    closing.push(() => Promise.all(processes.map(end)));
    await restart({});
    const file = join(installation.home, "bff/deploy/nginx.conf");
    const nginx = await startShippedNginx({ folder, certificate, fronts: [order, spot, widget], behind: all, file });
    closing.push(() => nginx.stop());
    const front = (port: number) => `https://127.0.0.1:${port}`;
    const urls: ProductionUrls = { order: front(order), spot: front(spot), widget: front(widget) };
    const production = await productionOf({ urls, place, start, closing, restart });
    const wrong = await live(production);
    say("a patient has paid");
    await mails.until("camila@example.com");
    const health = await Promise.all(all.map(([, , , probes = 0]) => healthAt(probes)));
    const residentMegabytes = Math.max(...(await Promise.all(processes.map(residentMegabytesOf))));
    const stopped = await Promise.all(processes.map(end));
    const badly = stopped
      .filter((code) => code !== 0)
      .map((code) => `a process that was told to stop ended with ${code}`);
    return { blocks: written.length, mails: mails.count(), health, residentMegabytes, wrong: [...wrong, ...badly] };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** The token of the operator who ran the blocks, for later commands. */
const KEEP_TOKEN = `printf '%s' "$AAPD_OPERATOR_TOKEN" > camila.txt && chmod 600 camila.txt`;
const READ_TOKEN = {
  camila: "$(cat camila.txt)",
  diego: "$(sed -n 's/^AAPD_OPERATOR_TOKEN=//p' diego.txt)",
} as const;

async function buyOnceIn({ urls, issued }: Production): Promise<readonly string[]> {
  return (await buyOnce(urls, issued)).wrong;
}

async function productionOf({
  urls,
  place,
  start,
  closing,
  restart,
}: {
  readonly urls: ProductionUrls;
  readonly restart: Production["restart"];
  readonly place: Place;
  /** The block that starts a process. */
  readonly start: string;
  readonly closing: (() => unknown)[];
}): Promise<Production> {
  const run = async (script: string, variables: Readonly<Record<string, string>> = {}) => {
    const child = runBlock(`set -euo pipefail\n${script}`, place, variables);
    const [wrote, failed] = [text(child.stdout), text(child.stderr)];
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${script.slice(0, 200)} ended with ${code}: ${(await failed).trim()}`);
    return wrote;
  };
  return {
    folder: place.folder,
    urls,
    run,
    restart,
    issued: await readFile(join(place.folder, "clinica.txt"), "utf8"),
    aapd: (operator, ...given) =>
      run(
        `set -a; . ./aapd.env; set +a
export AAPD_OPERATOR_TOKEN=${READ_TOKEN[operator]}
node "$AAPD_HOME/bff/dist/src/aapd.js" ${given.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`,
      ),
    async start(variables, probes) {
      const own = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
      const script = start.replace(/^exec/m, `${own.join("\n")}\nexec`);
      const child = runBlock(script, place, { PROBES_PORT: String(probes) });
      closing.push(() => end(child));
      await untilReady(child, probes);
    },
  };
}

/** Our values for the variables that the blocks set. */
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

/** The sandbox's parties, in a separate process with a separate database. */
async function startConnector(
  port: number,
  { log, variables }: { log: WriteStream; variables: Readonly<Record<string, string>> },
) {
  const { url: databaseUrl } = await newCrashDatabase();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(REPOSITORY, "bff/dist/sandbox/connector.js")], {
    env: {
      ...variables,
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

/** The operator's own texts: here staging's samples, which the connector's database has too. */
async function writeTexts(folder: string, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ kind: string; text: string }>(
      "select kind, text from legal_texts where environment = 'staging' and locale = 'es-CL' order by set_at",
    );
    for (const { kind, text: words } of rows) await writeFile(join(folder, `${kind}.md`), words);
  } finally {
    await client.end();
  }
}

interface Place {
  readonly folder: string;
  readonly log: WriteStream;
  readonly installation: Installation;
  readonly variables: Readonly<Record<string, string>>;
}

function runBlock(
  script: string,
  { folder, log, installation, variables }: Place,
  more: Readonly<Record<string, string>> = {},
) {
  const { home, path, user } = installation;
  const child = spawn("bash", ["-c", script], {
    cwd: folder,
    env: {
      ...{ PATH: path, HOME: folder, AAPD_HOME: home, NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem") },
      ...variables,
      ...more,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(user !== null && { uid: user, gid: user }),
  });
  follow(child, log);
  return child;
}

async function inShell(script: string, place: Place): Promise<void> {
  const child = runBlock(`mkdir -p files\n${script}`, place);
  const wrote = text(child.stderr);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`A block of going-to-production.md failed: ${(await wrote).trim()}`);
}

function startProcess(script: string, ports: readonly number[], place: Place): ChildProcess {
  const [order = "", spot = "", widget = "", probes = ""] = ports.map(String);
  return runBlock(script, place, {
    ...{ ORDER_API_PORT: order, SPOT_API_PORT: spot, WIDGET_HOST_PORT: widget, PROBES_PORT: probes },
    DRAIN_SECONDS: "1",
  });
}

async function healthAt(probes: number): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${probes}/healthz`)).json();
}

/** `pid` is that of the service, because the shell block that starts it replaces its own process. */
async function residentMegabytesOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
}

function follow(child: ChildProcess, log: WriteStream): void {
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
}

const untilReady = (child: ChildProcess, probes: number) => untilAnswered(child, `http://127.0.0.1:${probes}/readyz`);

/** Waits until a process answers this address with 200. Throws if the process ends before. */
export async function untilAnswered(child: ChildProcess, url: string): Promise<void> {
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

/** Stops a process and waits. Returns its exit code. */
export async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await exit;
  return typeof code === "number" ? code : null;
}

interface MailServer {
  readonly port: number;
  readonly count: () => number;
  /** Waits for a mail to an address. */
  readonly until: (address: string) => Promise<void>;
  readonly close: () => void;
}

async function startMailServer({ key, cert }: Certificate): Promise<MailServer> {
  const mails: string[] = [];
  const server = new SMTPServer({
    secure: true,
    key,
    cert,
    authOptional: true,
    onData(stream, _session, done) {
      void text(stream).then((mail) => {
        mails.push(mail);
        done();
      });
    },
  });
  // A process may end while it connects. A mail that never comes is noticed by `until`.
  server.on("error", () => undefined);
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
