/**
 * Checks the model of an order (`order.qnt`): its invariants hold in random traces, and each planted mistake violates
 * one.
 *
 *     pnpm model [--seed N] [--traces N]
 *
 * The default seed comes from the clock and is printed. See lab/README.md.
 */
import { readCommandLine, seedFrom, wholeNumber } from "../command-line.ts";
import { FAULTS, holds, INVARIANTS } from "./quint.ts";

const STEPS = 20;
/** The number of traces within which a planted mistake must be found. */
const FAULT_SAMPLES = 5_000;

const { values } = readCommandLine(import.meta.filename, {
  options: { seed: { type: "string" }, traces: { type: "string" } },
});
const seed = seedFrom(values.seed);
const samples = wholeNumber("--traces", values.traces, 100);
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
