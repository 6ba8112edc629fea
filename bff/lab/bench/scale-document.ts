import * as z from "zod";

/* Writes docs/reference/scale.md from the lines that `pnpm bench scale --json` printed. */

const machineSchema = z.object({
  name: z.literal("scale_machine"),
  cores: z.int(),
  processor: z.string(),
  memory_gb: z.int(),
  node: z.string(),
  postgresql: z.string(),
  orders: z.int(),
  timers: z.int(),
  endpoints: z.int(),
});
const rowSchema = z.object({ name: z.string(), value: z.number().positive(), unit: z.string() });

/** Fewer orders are a short run. */
const FULL_ORDERS = 1_000_000;
const SMALL_RUN =
  "\n\nThese figures are of a short run on a busy machine. Measure a million orders on a quiet one before you plan by them.";

/** The share of a day's orders in its busiest hour, and of the measured rate that is used. */
const BUSIEST_HOUR = 0.1;
const USED = 0.5;

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const count = new Intl.NumberFormat("en");

/** The page. `features` is the table of `docs/reference/distribution.md`, which a test compares with the statements. */
export function writeScale(lines: string, features: string): string {
  const [first, ...rest] = lines.trim().split("\n");
  const machine = machineSchema.parse(JSON.parse(first ?? "{}"));
  const values = new Map(rest.map((line) => rowSchema.parse(JSON.parse(line))).map(({ name, value }) => [name, value]));
  const of = (name: string): number => {
    const value = values.get(`scale_${name}`);
    if (value === undefined) throw new Error(`No line of the benchmark has scale_${name}.`);
    return value;
  };
  return [
    INTRODUCTION,
    measured(machine),
    table(
      ["What", "Measured", "Orders a day"],
      [
        ["whole checkouts, one process", perSecond(of("checkouts_of_1")), perDay(of("checkouts_of_1"))],
        ["whole checkouts, two processes", perSecond(of("checkouts_of_2")), perDay(of("checkouts_of_2"))],
        ["new orders alone, one process", perSecond(of("orders_of_1")), perDay(of("orders_of_1"))],
        ["new orders alone, two processes", perSecond(of("orders_of_2")), perDay(of("orders_of_2"))],
      ],
    ),
    RATES,
    table(
      ["What", "Measured"],
      [
        [
          `${count.format(machine.timers)} due timers, one process`,
          `${perSecond(of("timers"))}: ${minutes(machine.timers / of("timers"))} for all`,
        ],
        [`webhooks to ${count.format(machine.endpoints)} endpoints, one process`, perSecond(of("deliveries"))],
        ["all exceptions, read by each process every minute", milliseconds(of("console_exceptions"))],
        ["all open outcomes, read by each process every ten seconds", milliseconds(of("console_open_outcomes"))],
        ["the page *Dinero*: eight days of movements", milliseconds(of("console_money"))],
      ],
    ),
    GROWING,
    table(["Engine", "Use it", "What it limits of our SQL"], engines(features)),
    LOCKS,
    table(
      ["Transactions a second, ten connections", "Advisory lock", "Row lock"],
      [
        ["one of 100 clinics, exclusive", ...pair(of, "of_100")],
        ["the same clinic, exclusive", ...pair(of, "of_one")],
        ["the same clinic, shared", ...pair(of, "shared")],
      ],
    ),
    "",
  ].join("\n\n");
}

const INTRODUCTION = `# Scale

What one process, one PostgreSQL and cells carry, and when to use which engine. This page is written from the output of
\`pnpm bench scale\`; measure again on your machines.`;

function measured({
  cores,
  processor,
  memory_gb: memory,
  node,
  postgresql,
  orders,
  timers,
  endpoints,
}: z.output<typeof machineSchema>): string {
  return `## One machine

Measured on ${cores} cores (${processor}) and ${memory} GB, which PostgreSQL ${postgresql}, the service (Node ${node})
and the clients share. The database has ${count.format(orders)} orders of a year, ${count.format(timers)} due timers and
${count.format(endpoints)} endpoints. Gateways answer at once.

Orders a day: a tenth of a day's orders come in its busiest hour, and half of the measured rate is used.${
    orders < FULL_ORDERS ? SMALL_RUN : ""
  }`;
}

const RATES = `A process uses one core, so add processes until PostgreSQL is busy. On separate machines
the service, PostgreSQL and the clients do not compete for cores.`;

const GROWING = `## Beyond one machine

1. **A larger machine, or managed PostgreSQL.** Plain PostgreSQL 15 or newer suffices: no extension, no superuser. RDS,
   Aurora PostgreSQL (not Limitless), Cloud SQL and Azure run the same engine. Keep a synchronous standby
   ([high availability](../how-to/high-availability.md)). PgBouncer works in transaction mode.
2. **Cells**, when one primary is busy: each is one more database with its processes, so that capacity grows with their
   number ([more than one database](distribution.md)). A clinic must fit into one cell.
3. **A distributed engine**, only if one clinic outgrows a cell. Each needs changes to the schema first. **None of them
   was run here.**

The last column counts the rows of [this table](distribution.md#what-of-postgresql-is-used).`;

const LOCKS = `## Advisory locks

They [stay](../decisions/0009-cells-by-provider.md#advisory-locks-stay), because shared row locks are slower.`;

const ENGINES = [
  { engine: "managed PostgreSQL", use: "always possible", sign: null },
  { engine: "Citus", use: "one clinic outgrows a cell, and its reports may be slow", sign: "Citus" },
  { engine: "Aurora Limitless", use: "the same, on AWS", sign: "Aurora" },
  { engine: "YugabyteDB", use: "writes in several regions", sign: "YugabyteDB" },
  { engine: "CockroachDB", use: "not with this schema", sign: "CockroachDB" },
] as const;

/** Each engine with the number of features that it limits, from the rows of the features' table. */
function engines(features: string): string[][] {
  const limits = [...features.matchAll(/^\| .+? \| (.*?) ?\|$/gm)].map(([, cell = ""]) => cell);
  return ENGINES.map(({ engine, use, sign }) => {
    const limited = sign === null ? 0 : limits.filter((cell) => cell.includes(sign)).length;
    return [engine, use, `${limited} features`];
  });
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), `|${columns.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function perSecond(rate: number): string {
  return `${number.format(rate)} a second`;
}

function perDay(rate: number): string {
  return number.format((rate * 3_600 * USED) / BUSIEST_HOUR);
}

function milliseconds(value: number): string {
  return `${number.format(value)} ms`;
}

function minutes(seconds: number): string {
  return seconds < 90 ? `${number.format(seconds)} s` : `${number.format(seconds / 60)} min`;
}

function pair(of: (name: string) => number, which: string): [string, string] {
  return [number.format(of(`locks_advisory_${which}`)), number.format(of(`locks_row_${which}`))];
}
