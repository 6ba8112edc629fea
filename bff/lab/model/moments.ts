import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Moment } from "../sim/order-path.ts";
import { simulate } from "./quint.ts";

/* Converts traces of the model to states of an order, so that they can be compared with simulated lives. */

type Plain = string | number | boolean | readonly Plain[] | { readonly [name: string]: Plain };

const tagged = z.union([
  z.object({ "#map": z.array(z.unknown()) }),
  z.object({ "#tup": z.array(z.unknown()) }),
  z.object({ "#set": z.array(z.unknown()) }),
]);

/** Reads a value of the Informal Trace Format; maps, tuples and sets become lists. */
function readValue(value: unknown): Plain {
  const integer = z.object({ "#bigint": z.string() }).safeParse(value);
  if (integer.success) return Number(integer.data["#bigint"]);
  const listed = tagged.safeParse(value);
  if (listed.success) return Object.values(listed.data).flatMap((items: readonly unknown[]) => items.map(readValue));
  if (Array.isArray(value)) return value.map(readValue);
  if (typeof value !== "object") return z.union([z.string(), z.number(), z.boolean()]).parse(value);
  const record = z.record(z.string(), z.unknown()).parse(value);
  return Object.fromEntries(Object.entries(record).map(([name, inner]) => [name, readValue(inner)]));
}

const movementSchema = z.object({
  kind: z.string(),
  amount: z.number(),
  commission: z.number(),
  status: z.string(),
});
const stateSchema = z.object({
  order: z.string(),
  attempts: z.array(z.object({ state: z.string(), charge: z.boolean(), ending: z.string() })),
  refunds: z.array(
    z.object({ amount: z.number(), status: z.string(), allocated: z.boolean(), movements: z.array(movementSchema) }),
  ),
  collection: z.object({
    state: z.string(),
    failure: z.string(),
    trigger: z.string(),
    charges: z.array(z.object({ status: z.string(), price: z.number(), commission: z.number() })),
  }),
  chargebacks: z.array(z.object({ noted: z.boolean(), open: z.boolean() })),
  accepted: z.number(),
  refunded: z.number(),
  cancelled: z.number(),
  collected: z.number(),
  paidEvents: z.number(),
});
type ModelState = z.output<typeof stateSchema>;
const traceSchema = z.object({ states: z.array(z.record(z.string(), z.unknown())) });

/** The amounts with which `order.qnt` starts. */
const SUMS = { total: 100_000, deferred: 70_000 };

function momentOf({ collection, chargebacks, attempts, ...state }: ModelState): Moment {
  const { charges, ...collected } = collection;
  const noted = chargebacks.filter((one) => one.noted);
  return {
    ...SUMS,
    ...state,
    attempts: attempts.map((one) => ({ state: one.state, ending: one.ending, payment: paymentOf(one) })),
    collection: collected.state === "none" ? null : collected,
    charges,
    disputes: noted.length,
    openDisputes: noted.filter(({ open }) => open).length,
  };
}

function paymentOf({ state, charge }: ModelState["attempts"][number]): string {
  const isEnded = state === "declined" || state === "failed";
  if (isEnded) return charge ? "undone" : state;
  return charge ? "captured" : "processing";
}

/** Traces of the model with at most `steps` steps each; the same seed gives the same traces. */
export async function momentsOfTraces(seed: number, traces: number, steps: number): Promise<readonly Moment[][]> {
  const folder = await mkdtemp(join(tmpdir(), "aapd-model-"));
  try {
    const count = ["--max-samples", String(traces), "--n-traces", String(traces), "--max-steps", String(steps)];
    const out = ["--out-itf", join(folder, "{seq}.itf.json")];
    await simulate(["--main", "sound", "--seed", String(seed), ...count, ...out]);
    const files = await readdir(folder);
    return await Promise.all(files.toSorted().map((file) => readMoments(join(folder, file))));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readMoments(file: string): Promise<Moment[]> {
  const { states } = traceSchema.parse(JSON.parse(await readFile(file, "utf8")));
  return states.map((variables) => {
    const [, state] = Object.entries(variables).find(([name]) => name === "s" || name.endsWith("::s")) ?? [];
    return momentOf(stateSchema.parse(readValue(state)));
  });
}
