import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const QUINT = createRequire(import.meta.url).resolve("@informalsystems/quint/dist/src/cli.js");
const MODEL = fileURLToPath(new URL("order.qnt", import.meta.url));
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Runs Quint's simulator over the model, with its built-in evaluator: another one would be downloaded. */
export function simulate(args: readonly string[]): Promise<{ readonly stdout: string }> {
  const all = [QUINT, "run", MODEL, "--backend", "typescript", "--verbosity", "1", ...args];
  return run(process.execPath, all, { maxBuffer: OUTPUT_BYTES_MAX });
}

/** The invariants of the model, by name. */
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

/** The planted mistakes of the model, each in a separate module, with the invariant that finds it. */
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

interface Checked {
  readonly module: string;
  readonly invariants: readonly string[];
  readonly seed: number;
  readonly samples: number;
  readonly steps: number;
}

/** Whether the invariants hold in this many traces of a module of the model. */
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
