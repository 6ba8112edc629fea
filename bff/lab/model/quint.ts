import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readTrace } from "./itf.ts";
import { type ModelStep, readStep } from "./model-state.ts";

const run = promisify(execFile);

const QUINT = createRequire(import.meta.url).resolve("@informalsystems/quint/dist/src/cli.js");
const MODEL = fileURLToPath(new URL("order.qnt", import.meta.url));
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Runs Quint's simulator over the model, with the evaluator that is part of it: another would be downloaded. */
function simulate(args: readonly string[]): Promise<{ readonly stdout: string }> {
  const all = [QUINT, "run", MODEL, "--backend", "typescript", "--verbosity", "1", ...args];
  return run(process.execPath, all, { maxBuffer: OUTPUT_BYTES_MAX });
}

export interface Wanted {
  readonly seed: number;
  readonly traces: number;
  /** The most steps of a trace. */
  readonly steps: number;
}

/** Traces of the model; the same seed gives the same. */
export async function makeTraces({ seed, traces, steps }: Wanted): Promise<readonly (readonly ModelStep[])[]> {
  const folder = await mkdtemp(join(tmpdir(), "aapd-model-"));
  try {
    const count = ["--max-samples", String(traces), "--n-traces", String(traces), "--max-steps", String(steps)];
    const out = ["--mbt", "--out-itf", join(folder, "{seq}.itf.json")];
    await simulate(["--main", "sound", "--seed", String(seed), ...count, ...out]);
    const files = await readdir(folder);
    const numbers = files.map((file) => Number.parseInt(file, 10)).toSorted((a, b) => a - b);
    return await Promise.all(
      numbers.map(async (number) => (await readTrace(join(folder, `${number}.itf.json`), "s")).map(readStep)),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What must hold in the model, by name. */
export const INVARIANTS = [
  "neverChargedTwice",
  "unpaidIsGivenBack",
  "refundsWithinWhatWasTaken",
  "deferredWithinWhatIsOwed",
  "noChargeBeforeItIsDue",
  "noChargeOfARefundedOrder",
  "chargebackStops",
  "chargesAreAnnounced",
  "nothingIsScheduledInDispute",
  "paidOnce",
  "sumsConserved",
  "terminalStays",
  "onlyKnownMoves",
] as const;

/** The mistakes that are planted into the model, each a module of its own, with an invariant that finds it. */
export const FAULTS: Readonly<Record<string, (typeof INVARIANTS)[number]>> = {
  fresh_key: "neverChargedTwice",
  kept_money: "unpaidIsGivenBack",
  unknown_is_declined: "neverChargedTwice",
  refund_unbounded: "refundsWithinWhatWasTaken",
  counted_whole: "sumsConserved",
  charged_all_the_same: "deferredWithinWhatIsOwed",
  charged_early: "noChargeBeforeItIsDue",
  ignored_chargeback: "chargebackStops",
  charged_unannounced: "chargesAreAnnounced",
  told_twice: "paidOnce",
  cancelled_while_paying: "terminalStays",
};

export interface Checked {
  readonly module: string;
  readonly invariants: readonly string[];
  readonly seed: number;
  readonly samples: number;
  readonly steps: number;
}

/** Whether the invariants hold in so many traces of a module of the model. */
export async function holds({ module, invariants, seed, samples, steps }: Checked): Promise<boolean> {
  const counts = ["--max-samples", String(samples), "--max-steps", String(steps), "--seed", String(seed)];
  try {
    await simulate(["--main", module, ...counts, "--invariant", invariants.join(" and ")]);
    return true;
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    if (output.includes("[violation]")) return false;
    throw error;
  }
}
