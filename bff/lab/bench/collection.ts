/**
 * The cost of many waiting collections, on PostgreSQL. It compares one idle poll of a worker with 1,000 and with
 * 100,000 orders whose timers are spread over 45 days. It also measures how fast the worker catches up when 45 days
 * pass at once.
 *
 *     pnpm bench collection [--json] [--quick]
 *
 * The sandbox's card processor is in the same database, so its own work is part of the rate.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { createSandboxGateways } from "../../sandbox/sandbox-gateways.ts";
import { collectionTimerHandlers } from "../../src/collection/work.ts";
import { movableClock } from "../../src/platform/clock.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createTimerWorker } from "../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../src/platform/tracing/tracing.ts";
import { settlementTimerHandlers } from "../../src/settlement/work.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { openTestDatabase } from "../../test/database.ts";
import { benchOptions } from "./options.ts";
import { printRow } from "./print-row.ts";

const { isQuick } = benchOptions(import.meta.filename);
const FEW = 1_000;
const MANY = isQuick ? 5_000 : 100_000;
const LOOKS = isQuick ? 50 : 400;
const CATCH_UP_MS = isQuick ? 5_000 : 60_000;
const CONCURRENCY = 20;
const DAYS = 45;

const now = new Date("2026-11-21T15:00:00Z");
const clock = movableClock(now);
const database = await openTestDatabase();
const { db } = database;
const keyring = createKeyring({ keys: [{ id: "bench", secret: Buffer.alloc(32, 1) }], environment: "staging" });
const parties = createSandboxGateways({
  db,
  ids: systemIds,
  clock,
  challengeOrigin: "http://x.test",
  kill: () => undefined,
});
const dependencies = {
  ...parties,
  connectors: {
    cardProcessor: "bench",
    financingProvider: "bench",
    insurer: "bench",
    bank: "bench",
    taxDocuments: "bench",
  },
  db,
  clock,
  ids: systemIds,
  keyring,
  logger: silentLogger,
  widgetHostUrl: "http://widget.test",
  paymentPage: async () => null,
  consultationDay: async () => null,
  returnUrl: () => "http://widget.test/return/x",
  defaultAccount: null,
};
const { provider } = await createProvider(
  { db, clock, ids: systemIds, keyring, environment: "staging" },
  {
    name: "Clínica",
    rut: "76.900.001-1",
    commissionPercentage: 7,
    commissionTax: { regime: "interest" },
    supportEmail: "a@example.com",
  },
);

/** Orders that were paid over the last 45 days, with all rows that their collections need. */
async function seed(from: number, to: number): Promise<void> {
  const { id } = provider;
  const days = sql`${now}::timestamptz - (n % ${DAYS * 24 * 60}) * interval '1 minute'`;
  const card = sql`jsonb_build_object('id', 'card-' || n, 'brand', 'visa', 'last4', '6623', 'expMonth', 12, 'expYear', 2030,
    'holderName', 'CAMILA ROJAS', 'kind', 'credit')`;
  const orderId = sql`md5('order' || n)::uuid`;
  const numbers = sql`generate_series(${from}::int, ${to - 1}::int) as n`;
  await sql`
    insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part, commission_basis_points,
      customer_rut, customer_first_name, customer_last_name, customer_email, customer_phone, card, loan_id, paid_at, created_by,
      created_at, updated_at)
    select ${id}, ${orderId}, 'staging', 'r' || n, 'paid', 40000, 12000, 28000, 700, '40100000-3', 'Camila', 'Rojas',
      'camila@example.com', '+56912345678', ${card}, 'loan-' || n, ${days}, ${id}, ${days}, ${days} from ${numbers}`.execute(
    db,
  );
  await sql`
    insert into sandbox_cards (id, provider_id, order_hash, brand, last4, exp_month, exp_year, holder_name, kind, behaviour,
      charges_captured, registered_at)
    select 'card-' || n, ${id}, ${orderId}::text, 'visa', '6623', 12, 2030, 'CAMILA ROJAS', 'credit', 'approved', 1, ${days}
    from ${numbers}`.execute(db);
  await sql`
    insert into collections (provider_id, order_id, state, paid_at, due_at, announced_for, updated_at)
    select ${id}, ${orderId}, 'scheduled', ${days}, ${days} + interval '45 days',
      (((${days}) at time zone 'America/Santiago')::date + ${DAYS}::int + time '09:00') at time zone 'America/Santiago', ${days}
    from ${numbers}`.execute(db);
  // Each is announced, because the charge of day 45 needs an announcement three days before.
  await sql`
    insert into timers (kind, key, provider_id, due_at, payload)
    select 'collection.deadline', ${orderId}::text, ${id}, ${days} + ${DAYS}::int * interval '1 day' + interval '1 hour',
      jsonb_build_object('order_id', ${orderId}) from ${numbers}`.execute(db);
  await sql`update timers set done_at = ${now}::timestamptz where due_at <= ${now}::timestamptz + interval '1 hour' and done_at is null`.execute(
    db,
  );
  await sql`analyze`.execute(db);
}

function createWorker() {
  const handlers = { ...collectionTimerHandlers(dependencies), ...settlementTimerHandlers(dependencies) };
  const worker = { db, clock, ids: systemIds, logger: silentLogger, handlers };
  return createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    ...worker,
    switchOf: {},
    environment: "staging",
    concurrency: CONCURRENCY,
    leaseMs: 60_000,
    pollMs: 50,
  });
}

/** Milliseconds of one poll when nothing is due: the median of many polls. */
async function idleLook(): Promise<number> {
  const worker = createWorker();
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const begun = performance.now();
    const ran = await worker.runDue();
    times.push(performance.now() - begun);
    if (ran > 0) throw new Error("Something was due at an idle moment.");
  }
  return times.toSorted((a, b) => a - b)[Math.floor(LOOKS / 2)] ?? Number.NaN;
}

/** Transactions per second with one read and one write each, at the worker's concurrency. */
async function bareTransactions(): Promise<number> {
  const until = performance.now() + CATCH_UP_MS / 10;
  let count = 0;
  const loop = async (number: number) => {
    while (performance.now() < until) {
      const key = { id: `card-${(number * 31 + count) % FEW}` };
      await inTransaction(db, async (tx) => {
        await tx.selectFrom("sandbox_cards").select("id").where("id", "=", key.id).execute();
        await tx.updateTable("sandbox_cards").set({ calls_lost: 0 }).where("id", "=", key.id).execute();
      });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_unused, number) => loop(number)));
  return count / (CATCH_UP_MS / 10_000);
}

async function collected(): Promise<number> {
  const { count } = await db
    .selectFrom("collections")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("state", "=", "collected")
    .executeTakeFirstOrThrow();
  return count;
}

await seed(0, FEW);
const idleWithFew = await idleLook();
await seed(FEW, MANY);
const idleWithMany = await idleLook();
printRow({ name: "collection_idle_look_few", value: idleWithFew, unit: `ms with ${FEW} orders` });
printRow({ name: "collection_idle_look_many", value: idleWithMany, unit: `ms with ${MANY} orders` });
const ratio = idleWithMany / idleWithFew;
printRow({
  name: "collection_idle_look_ratio",
  value: ratio,
  // This ratio must not grow with the number of future timers.
  unit: "x",
  limit: { atMost: 1.5 },
});

const bare = await bareTransactions();
clock.set(new Date(now.getTime() + (DAYS + 1) * 24 * 60 * 60 * 1_000));
const worker = createWorker();
const begun = performance.now();
worker.start();
await wait(CATCH_UP_MS);
await worker.stop({ deadlineMs: 30_000 });
const seconds = (performance.now() - begun) / 1_000;
const [charges, done] = [
  await collected(),
  await db
    .selectFrom("timers")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("done_at", "is not", null)
    .where("done_at", ">", now)
    .executeTakeFirstOrThrow(),
];
printRow({ name: "collection_catch_up_timers", value: done.count / seconds, unit: "timers/s" });
printRow({ name: "collection_catch_up_charges", value: charges / seconds, unit: "charges/s" });
printRow({
  name: "collection_timer_cost_in_bare_transactions",
  value: bare / (done.count / seconds),
  unit: "x a transaction of one read and one write",
});
const listed = await parties.cardProcessor.listMovements(provider.id, now, new Date("2100-01-01"));
if (listed.length !== charges) throw new Error(`${listed.length} charges at the processor, ${charges} in the books.`);
await database.close();
