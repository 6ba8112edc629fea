/**
 * How many bytes a paid order adds to PostgreSQL, by table and index, and how many remain after a year:
 *
 *     pnpm bench growth [--json] [--quick]
 *
 * Every order has a new patient, who opens the clinic's page, registers, proves their identity, pays, and is notified.
 * The clinic sends the receipt and receives every event at one endpoint. The insurer approves after five days, the rest
 * is charged, and the clinic is paid.
 *
 * Tables and indexes are measured after `vacuum full`; a live database adds a tenth to tables and up to a third to
 * indexes. The sandbox's own tables are left out, because production has none.
 */
import { sql } from "kysely";
import { createSandboxGateways, type SandboxGateways } from "../../sandbox/sandbox-gateways.ts";
import { purgeOutdated } from "../../src/app/purge-outdated.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { cardFor, seal } from "../../test/http/gateways/start-gateways.ts";
import { expenseForm, pdf } from "../../test/http/spot/expense-forms.ts";
import { given } from "../../test/http/spot/people.ts";
import { startBff, type TestBff } from "../../test/start-bff.ts";
import { startReceiver } from "../../test/webhook-receiver.ts";
import { countingRuts } from "./counting-ruts.ts";
import { benchOptions } from "./options.ts";
import { printRow } from "./print-row.ts";

const ORDERS = benchOptions(import.meta.filename).isQuick ? 20 : 200;
const AT_ONCE = 4;
/** The days until the clinic has been paid for every order. */
const LIFE_DAYS = 60;
const YEAR_DAYS = 365;
/** Smaller tables count only in the sum. */
const SHOWN_BYTES = 20;

const nextRut = countingRuts();

/** The body of an answer. Throws on an error, because a benchmark of refused requests measures nothing. */
// biome-ignore lint/suspicious/noExplicitAny: only what the service has just answered is looked into.
async function send(url: string, init: RequestInit): Promise<any> {
  const response = await fetch(url, { method: "POST", ...init });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const json = (headers: Readonly<Record<string, string>>, body: unknown) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** One order, from the clinic's call to the receipt that it sends. The patient's calls are those of the widget. */
async function buy(
  { clinic, orderApi, spotApi, clock }: TestBff,
  { cardProcessor, insurer }: SandboxGateways,
): Promise<void> {
  const rut = nextRut();
  const person = {
    rut,
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: `camila.rojas.${rut}@example.com`,
    phone_number: "+56 9 1234 5678",
  };
  const { client_secret, client_id, public_key } = clinic.credentials;
  const key = () => ({ "idempotency-key": systemIds.uuid() });
  const asClinic = { authorization: `Bearer ${client_secret}`, ...key() };
  const order = await send(
    `${orderApi}/orders`,
    json(asClinic, { reference: systemIds.uuid(), total_amount: 45_952, customer: person }),
  );
  const { widget_token: token } = await send(
    `${spotApi}/api/spot/widget?public_key=${public_key}`,
    json({}, { order_token: order.hash }),
  );
  await send(`${spotApi}/api/spot/widget/${token}`, { method: "GET" });
  const iat = Math.floor(clock.now().getTime() / 1_000);
  const access = { insurer: "colmena", rut, password: "clave-de-prueba", iat };
  const registration = {
    ...person,
    insurer: "colmena",
    widget_token: token,
    consents: given("onboarding", "insurer_access"),
    sealed_insurer_access: await seal(await insurer.sealingKey(), access),
  };
  await send(`${spotApi}/api/spot/user?public_key=${public_key}`, json({}, registration));
  const asWidget = { authorization: `Bearer ${client_id}` };
  const steps = `${orderApi}/orders/${order.hash}`;
  await send(
    `${steps}/validate_customer_identity`,
    json({ ...asWidget, ...key() }, { document_serial: "123.456.789" }),
  );
  const card = cardFor(order.hash, clock.now());
  await send(
    `${steps}/add_payment_method`,
    json(asWidget, { sealed_card: await seal(await cardProcessor.sealingKey(), card) }),
  );
  const paid = await send(`${steps}/payment`, json({ ...asWidget, ...key() }, { consents: given("payment") }));
  if (paid.payment.status !== "succeeded") throw new Error("A payment did not succeed.");
  const body = expenseForm([pdf(500, rut)], { skip_pay_order_id: order.hash });
  await send(`${spotApi}/api/spot/gastos?public_key=${public_key}&rut=${rut}`, { body });
}

interface Relation {
  readonly name: string;
  readonly of: string;
  readonly bytes: number;
}

/** Every table with its out-of-line values, and every index, compacted. */
async function relations(db: Database): Promise<Relation[]> {
  await sql`vacuum full`.execute(db);
  const { rows } = await sql<Relation>`
    select c.relname as name, coalesce(t.relname, c.relname) as of,
      (case c.relkind when 'i' then pg_relation_size(c.oid) else pg_table_size(c.oid) end)::int as bytes
    from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')
      and coalesce(t.relname, c.relname) not like 'sandbox%'`.execute(db);
  return rows;
}

interface Growth extends Relation {
  readonly perOrder: number;
}

function growthOf(before: readonly Relation[], after: readonly Relation[]): Growth[] {
  const bytesBefore = new Map(before.map(({ name, bytes }) => [name, bytes]));
  return after
    .map((one) => ({ ...one, perOrder: (one.bytes - (bytesBefore.get(one.name) ?? 0)) / ORDERS }))
    .toSorted((a, b) => b.perOrder - a.perOrder);
}

function print(when: string, growth: readonly Growth[]): void {
  const tables = [...new Set(growth.map(({ of }) => of))].map((table) => {
    const own = growth.filter(({ of }) => of === table);
    return { table, own, sum: own.reduce((total, { perOrder }) => total + perOrder, 0) };
  });
  for (const { table, own, sum } of tables.toSorted((a, b) => b.sum - a.sum)) {
    if (sum < SHOWN_BYTES) continue;
    printRow({ name: `growth_${when}_${table}`, value: sum, unit: "bytes an order" });
    for (const { name, perOrder } of own)
      if (perOrder >= SHOWN_BYTES)
        printRow({
          name: `  growth_${when}_${table}.${name === table ? "rows" : name}`,
          value: perOrder,
          unit: "bytes an order",
        });
  }
  const total = growth.reduce((sum, { perOrder }) => sum + perOrder, 0);
  printRow({ name: `growth_${when}`, value: total, unit: "bytes an order" });
}

const bff = await startBff({ now: new Date("2026-11-21T15:00:00Z") });
const receiver = await startReceiver(bff.clock);
const { db } = bff.database;
const sandbox = createSandboxGateways({
  ...bff.context,
  db,
  challengeOrigin: bff.sandboxGateways,
  kill: () => undefined,
});
const { public_key, secret_key } = bff.clinic.credentials;
await send(
  `${bff.spotApi}/api/webhook_endpoints?public_key=${public_key}`,
  json({ "x-secret-key": secret_key }, { url: receiver.url }),
);
const purge = async () => purgeOutdated({ ...bff.context, db, environment: bff.context.config.environment });
const empty = await relations(db);
for (let done = 0; done < ORDERS; done += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => buy(bff, sandbox)));
  await bff.runDue();
}
print("paid", growthOf(empty, await relations(db)));
await bff.advance(LIFE_DAYS * DAY_MS);
await purge();
print("settled", growthOf(empty, await relations(db)));
await bff.advance((YEAR_DAYS - LIFE_DAYS) * DAY_MS);
await purge();
print("after_a_year", growthOf(empty, await relations(db)));
await receiver.close();
await bff.close();
