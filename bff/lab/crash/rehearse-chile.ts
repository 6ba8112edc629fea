import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { access, copyFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import pg from "pg";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../../src/platform/santiago-time.ts";
import { type ChileanLife, liveInChile, type Seen } from "./chilean-life.ts";
import { startChileanParties } from "./chilean-parties.ts";
import { freePorts } from "./free-ports.ts";
import { newCrashDatabase } from "./new-database.ts";
import { type Production, rehearseProduction } from "./rehearse-production.ts";
import { installRelease, type ReleaseOptions } from "./rehearse-release.ts";
import { startShippedConsoleNginx } from "./shipped-nginx.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const TOKEN = "a-token-of-the-rehearsal-0001";
/** Next to all other checks of a machine, a start or a day's work may take long. */
const READY_WITHIN_MS = 180_000;
/** Charges run from 09:00; the payouts' run is earlier. */
const HOUR = 11;

const COMMERCE = {
  TRANSBANK_MALL_CODE: "597055555541",
  TRANSBANK_SHOP_CODE: "597055555542",
  /** The stand-in's own key, not Transbank's public one. */
  TRANSBANK_API_KEY: "clave-de-prueba-del-comercio",
};
/** The connector's own, also for its commands. */
const SEAL_KEY = "clave-que-cifra-cada-tbk-user-0001";
const FINTOC = { FINTOC_SECRET_KEY: "sk_test_de-prueba", FINTOC_ACCOUNT_ID: "acc_de-prueba" };

export interface ChileOutcome {
  readonly days: number;
  readonly mails: number;
  readonly wrong: readonly string[];
}

/**
 * The whole product in Chile from a release, with each program in a separate process: the service, its console, and all
 * connectors in front of stand-ins. Claims are filed by hand. All follow one clock, which moves by days. The sandbox's
 * connector plays the lender.
 */
export async function rehearseChile({ folder, databaseUrl, node, say }: ReleaseOptions): Promise<ChileOutcome> {
  const { installation, place } = await installRelease({ folder, node, say });
  const clock = await startClock(folder, databaseUrl);
  const programs = await startPrograms({ folder, home: installation.home, node, variables: clock.variables });
  const [consolePort = 0, consoleFront = 0, probes = 0] = await freePorts(3);
  const consoleUrl = `https://127.0.0.1:${consoleFront}`;
  try {
    const { wrong, mails } = await rehearseProduction({
      ...{ folder: place, databaseUrl, installation, say },
      variables: {
        ...clock.variables,
        ...programs.variables,
        INSURER: "by-hand",
        OPERATIONS_PORT: String(consolePort),
        OPERATIONS_PUBLIC_URL: consoleUrl,
      },
      values: { CARD_CHALLENGE_ORIGIN: programs.pages, ...programs.messaging },
      async live(production) {
        await production.start({ FACES: "operations", WORKERS: "off" }, probes);
        const nginx = await startShippedConsoleNginx({
          folder: join(place, "console"),
          certificate: {
            certPath: join(place, "certificate.pem"),
            keyPath: join(place, "certificate-key.pem"),
          },
          front: consoleFront,
          behind: consolePort,
        });
        try {
          return await liveInChile(lifeOf({ production, consoleUrl, clock, programs, say }));
        } finally {
          await nginx.stop();
        }
      },
    });
    return { days: clock.days(), mails, wrong };
  } finally {
    await programs.stop();
  }
}

interface RehearsalClock {
  /** Give them to each process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly now: () => Date;
  readonly days: () => number;
  readonly nextDay: () => Promise<void>;
}

/** Begins at eleven o'clock of tomorrow, in Santiago. The service follows its database, all others their machine. */
async function startClock(folder: string, databaseUrl: string): Promise<RehearsalClock> {
  const [file, program] = [join(folder, "clock"), join(folder, "moved-clock.mjs")];
  await copyFile(new URL("plants/moved-clock.mjs", import.meta.url), program);
  let [movedMs, days] = [0, 0];
  const now = () => new Date(Date.now() + movedMs);
  const nextDay = async () => {
    if (days > 0) await untilIdle(databaseUrl);
    // Later each day, because new operators approve nothing for 24 hours.
    const morning = santiagoMoment(addCalendarDays(santiagoDay(now()), 1), HOUR + days);
    movedMs += morning.getTime() - now().getTime();
    days += 1;
    await moveTo(movedMs, { file, databaseUrl });
  };
  await nextDay();
  const variables = { NODE_OPTIONS: `--import=${program}`, REHEARSAL_CLOCK: file };
  return { variables, now, nextDay, days: () => days };
}

/**
 * Moves the database and the processes almost at once: the service measures the difference between the two, and would
 * take a moment between them for its own clock's error. A session finds this function before PostgreSQL's own.
 */
async function moveTo(
  movedMs: number,
  { file, databaseUrl }: { readonly file: string; readonly databaseUrl: string },
): Promise<void> {
  await writeFile(`${file}.next`, String(movedMs));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(`
      create schema if not exists rehearsal;
      create or replace function rehearsal.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() + interval '${movedMs} milliseconds' $$;
      do $$ begin
        execute format('alter database %I set search_path = public, rehearsal, pg_catalog', current_database());
      end $$`);
    await rename(`${file}.next`, file);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** Waits until the service has done all work that is due, as it has at the end of a real day. */
async function untilIdle(databaseUrl: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const { rows } = await inDatabase(databaseUrl, DUE);
    if (rows.length === 0) return;
    const kinds = rows.map(({ kind }: { readonly kind: string }) => kind).join(", ");
    if (performance.now() > deadline) throw new Error(`Timed out waiting for the due work: ${kinds}.`);
    await pause(200);
  }
}

const DUE = "select distinct kind from timers where done_at is null and due_at <= rehearsal.clock_timestamp()";

async function inDatabase(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Programs {
  /** Where the service finds the connectors. */
  readonly variables: Readonly<Record<string, string>>;
  /** Where it finds the gateway for messages, in place of the written address. */
  readonly messaging: Readonly<Record<string, string>>;
  readonly pages: string;
  /** The variables that replace Fintoc by files. */
  readonly fileBank: Readonly<Record<string, string>>;
  /** Runs a command of a connector. */
  readonly command: (party: "transbank" | "bank-file" | "whatsapp", ...given: readonly string[]) => Promise<void>;
  readonly seen: () => Promise<Seen>;
  readonly transbankDatabaseUrl: string;
  readonly stop: () => Promise<void>;
}

/** The connectors of the release, and their stand-ins, which no release has. */
async function startPrograms({
  folder,
  home,
  node,
  variables,
}: {
  readonly folder: string;
  readonly home: string;
  readonly node: string;
  readonly variables: Readonly<Record<string, string>>;
}): Promise<Programs> {
  const [transbank = 0, fintoc = 0, webpay = 0, bank = 0, files = 0] = await freePorts(5);
  const [cards, payouts, byFile] = await Promise.all([newCrashDatabase(), newCrashDatabase(), newCrashDatabase()]);
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const log = createWriteStream(join(folder, "connectors.log"));
  log.setMaxListeners(0);
  const spawned = (program: string, own: Readonly<Record<string, string>>) => {
    const child = spawn(node, program.split(" "), { env: { ...variables, ...own }, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  };
  const standIn = (party: string) => join(REPOSITORY, `bff/dist/connectors/${party}/stand-in/main.js`);
  const connector = (party: string) => join(home, `bff/dist/connectors/${party}/main.js`);
  const pages = `http://127.0.0.1:${transbank}`;
  const ofTransbank = {
    ...COMMERCE,
    CONNECTOR_PORT: String(transbank),
    CONNECTOR_TOKEN: TOKEN,
    CONNECTOR_DATABASE_URL: cards.url,
    TRANSBANK_ENVIRONMENT: "integration",
    TRANSBANK_BASE_URL: `http://127.0.0.1:${webpay}`,
    TRANSBANK_EMAIL: "pagos@operadora.example",
    TRANSBANK_PAGE_ORIGIN: pages,
    TRANSBANK_SEAL_KEYS: SEAL_KEY,
    TRANSBANK_CHARGE_MAX: "500000",
  };
  const ofFiles = { CONNECTOR_PORT: String(files), CONNECTOR_TOKEN: TOKEN, CONNECTOR_DATABASE_URL: byFile.url };
  const parties = await startChileanParties({
    token: TOKEN,
    standIn: (party, own) => spawned(standIn(party), own),
    connector: (party, own) => spawned(connector(party), own),
  });
  const children = [
    ...parties.children,
    spawned(connector("bank-file"), ofFiles),
    spawned(standIn("transbank"), { ...COMMERCE, STAND_IN_PORT: String(webpay) }),
    spawned(standIn("fintoc"), {
      ...FINTOC,
      STAND_IN_PORT: String(bank),
      STAND_IN_PUBLIC_KEY: keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
    }),
    spawned(connector("transbank"), ofTransbank),
    spawned(connector("fintoc"), {
      ...FINTOC,
      CONNECTOR_PORT: String(fintoc),
      CONNECTOR_TOKEN: TOKEN,
      CONNECTOR_DATABASE_URL: payouts.url,
      FINTOC_JWS_PRIVATE_KEY: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      FINTOC_BASE_URL: `http://127.0.0.1:${bank}`,
    }),
  ];
  for (const port of [transbank, fintoc, files, ...parties.ports]) await untilReady(port);
  const environments = { transbank: ofTransbank, "bank-file": ofFiles, whatsapp: parties.whatsapp };
  const command: Programs["command"] = async (party, ...given) => {
    const [code] = await once(spawned([connector(party), ...given].join(" "), environments[party]), "exit");
    if (code !== 0) throw new Error(`The command ${given[0]} of ${party} ended with ${code}.`);
  };
  await command("whatsapp", "submit-templates");
  return {
    ...{ pages, command, messaging: parties.messaging, seen: parties.seen },
    transbankDatabaseUrl: cards.url,
    variables: {
      CARD_PROCESSOR_CONNECTOR_URL: `${pages}/connector/v1`,
      CARD_PROCESSOR_CONNECTOR_TOKEN: TOKEN,
      BANK_CONNECTOR_URL: `http://127.0.0.1:${fintoc}/connector/v1`,
      BANK_CONNECTOR_TOKEN: TOKEN,
      ...parties.variables,
    },
    fileBank: { BANK_CONNECTOR_URL: `http://127.0.0.1:${files}/connector/v1` },
    async stop() {
      await Promise.all(children.map(end));
      log.end();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function untilReady(port: number): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    if (performance.now() > deadline) throw new Error("A connector was not ready in time.");
    await pause(50);
  }
}

function lifeOf({
  production,
  consoleUrl,
  clock,
  programs,
  say,
}: {
  readonly production: Production;
  readonly consoleUrl: string;
  readonly clock: RehearsalClock;
  readonly programs: Programs;
  readonly say: (line: string) => void;
}): ChileanLife {
  const payments = join(production.folder, "..", "pagos.csv");
  return {
    ...{ production, consoleUrl, say },
    seen: programs.seen,
    nextDay: clock.nextDay,
    today: () => santiagoDay(clock.now()),
    async importSettlement() {
      const file = join(production.folder, "..", "abonos.csv");
      await writeFile(file, await depositOf(programs.transbankDatabaseUrl));
      await programs.command("transbank", "import-settlements", file);
    },
    payByFile: () => production.restart(programs.fileBank),
    async writeFile() {
      await programs.command("bank-file", "write", payments, "--by", "camila");
      return access(payments).then(
        () => true,
        () => false,
      );
    },
    async reportFile() {
      const transfers: { id: string }[] = parse(await readFile(payments, "utf8"), { columns: true });
      const reported = join(production.folder, "..", "pagados.csv");
      await writeFile(reported, ["id,outcome", ...transfers.map(({ id }) => `${id},paid`), ""].join("\n"));
      await programs.command("bank-file", "report", reported, "--by", "camila");
    },
  };
}

/** A deposit of all that was charged and returned, as an operator saves it from Transbank's portal. */
async function depositOf(databaseUrl: string): Promise<string> {
  const { rows } = await inDatabase(
    databaseUrl,
    `select concat_ws(',', 'D-1', kind, name, amount, 0, 0) as line from (
      select 'charge' as kind, id as name, amount from charges
      union all select 'return', charge_id, amount from returns) as moved`,
  );
  const lines = rows.map(({ line }: { readonly line: string }) => line);
  return ["deposit,kind,order,amount,fee,fee_vat", ...lines, ""].join("\n");
}
