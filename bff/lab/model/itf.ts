import { readFile } from "node:fs/promises";
import * as z from "zod";

/*
 * Traces in the Informal Trace Format, as Quint writes them: whole numbers as `#bigint`, maps, tuples and sets as tagged
 * lists, and with `--mbt` the name of each step's action and what was picked for it.
 */

/** A value of a trace in plain terms: maps and sets become lists. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

const bigSchema = z.object({ "#bigint": z.string() });
const listedSchema = z.union([
  z.object({ "#map": z.array(z.unknown()) }),
  z.object({ "#tup": z.array(z.unknown()) }),
  z.object({ "#set": z.array(z.unknown()) }),
]);
const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Reads one value. */
export function plainOf(value: unknown): Plain {
  const big = bigSchema.safeParse(value);
  if (big.success) return Number(big.data["#bigint"]);
  const listed = listedSchema.safeParse(value);
  if (listed.success) return Object.values(listed.data).flatMap((items: readonly unknown[]) => items.map(plainOf));
  if (Array.isArray(value)) return value.map(plainOf);
  const scalar = scalarSchema.safeParse(value);
  if (scalar.success) return scalar.data;
  const record = z.record(z.string(), z.unknown()).parse(value);
  return Object.fromEntries(Object.entries(record).map(([name, inner]) => [name, plainOf(inner)]));
}

const traceSchema = z.object({ states: z.array(z.record(z.string(), z.unknown())) });
const pickSchema = z.object({ tag: z.enum(["Some", "None"]), value: z.unknown() });

export interface TracedStep {
  readonly action: string;
  /** What was picked for the step; of a pick that the action does not use, any value. */
  readonly picks: Readonly<Record<string, Plain>>;
  /** The model's variable of this name after the step. */
  readonly state: Plain;
}

/** The steps of a trace, the first of which says how it begins. `variable` is the name of the state in the model. */
export async function readTrace(file: string, variable: string): Promise<readonly TracedStep[]> {
  const { states } = traceSchema.parse(JSON.parse(await readFile(file, "utf8")));
  return states.map((state) => {
    const picks = z.record(z.string(), pickSchema).parse(state["mbt::nondetPicks"]);
    const picked = Object.entries(picks).filter(([, { tag }]) => tag === "Some");
    const ofModel = Object.entries(state).find(([name]) => name === variable || name.endsWith(`::${variable}`));
    return {
      action: z.string().parse(state["mbt::actionTaken"]),
      picks: Object.fromEntries(picked.map(([name, { value }]) => [name, plainOf(value)])),
      state: plainOf(ofModel?.[1] ?? null),
    };
  });
}
