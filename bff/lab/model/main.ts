/**
 * Checks the model of an order (`order.qnt`): its invariants hold in random traces, and each planted mistake violates
 * one.
 *
 *     pnpm model [--seed N] [--traces N]
 *
 * The default seed comes from the clock and is printed. See lab/README.md.
 */
import { parseArgs } from "node:util";
import { FAULTS, holds, INVARIANTS } from "./quint.ts";

const SEEDS = 1_000_000_000;
const STEPS = 20;
/** Traces within which a planted mistake must be found. */
const FAULT_SAMPLES = 5_000;

const { values } = parseArgs({
  options: { seed: { type: "string" }, traces: { type: "string", default: "100" } },
});
const seed = Number(values.seed ?? Date.now() % SEEDS);
const samples = Number(values.traces);
process.stdout.write(`seed ${seed}\n`);

let isSound = await holds({ module: "sound", invariants: INVARIANTS, seed, samples, steps: STEPS });
process.stdout.write(
  `${samples} traces of the model: ${isSound ? "all invariants hold" : "an invariant is violated"}\n`,
);
for (const [module, invariant] of Object.entries(FAULTS)) {
  const isFound = !(await holds({ module, invariants: [invariant], seed, samples: FAULT_SAMPLES, steps: STEPS }));
  process.stdout.write(`${module}: ${isFound ? "found by" : "NOT FOUND by"} ${invariant}\n`);
  isSound &&= isFound;
}
process.exitCode = isSound ? 0 : 1;
