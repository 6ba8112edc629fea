/**
 * Replays traces of the model (`order.qnt`) in the service, and compares after each step.
 *
 *     pnpm model [--seed N] [--traces N] [--steps N] [--minutes N] [--trace N] [--json]
 *     pnpm model --check [--seed N] [--traces N]
 *
 * Without a seed, from one of this moment, which is printed. With `--trace` only this one of the seed's traces is replayed, and
 * its steps are printed. With `--check` nothing is replayed: what must hold is looked for in traces of the model itself, and
 * in those of its modules with a mistake, each of which must be found. See lab/README.md.
 */
import { parseArgs } from "node:util";
import { openGround } from "../sim/world.ts";
import type { ModelStep } from "./model-state.ts";
import { FAULTS, holds, INVARIANTS, makeTraces } from "./quint.ts";
import { replayTrace } from "./replay-trace.ts";
import { openReplayWorld, parkTimers, type ReplayWorld } from "./replay-world.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    traces: { type: "string", default: "100" },
    steps: { type: "string", default: "14" },
    minutes: { type: "string" },
    trace: { type: "string" },
    check: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const SEEDS = 1_000_000_000;
/** Traces that one process of Quint makes: to begin takes it as long as 450 of them. The n-th trace of a seed depends on it. */
const BATCH = 500;
/** Steps of the traces in which the model is checked, and traces within which a mistake must be found. */
const CHECKED_STEPS = 20;
const FAULT_SAMPLES = 5_000;
/** Traces that share a world, whose tables grow with each, and whose clock goes on by 45 days with many. */
const PER_WORLD = 100;

const say = (text: string) => {
  if (!values.json) process.stdout.write(`${text}\n`);
};

const seed = Number(values.seed ?? Date.now() % SEEDS);
const only = values.trace === undefined ? null : Number(values.trace);
const tracesMax = Number(values.traces);
const steps = Number(values.steps);
const endsAt =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;
say(`seed ${seed}`);
if (values.check) process.exit((await checkModel()) ? 0 : 1);

const ground = await openGround();
await parkTimers(ground);
const counts = { traces: 0, steps: 0, violations: 0 };
const actions = new Map<string, number>();
const began = performance.now();
for (let first = 0; first < tracesMax && performance.now() < endsAt; first += BATCH) {
  if (only !== null && (only < first || only >= first + BATCH)) continue;
  const wanted = { seed: seed + first, traces: Math.min(BATCH, tracesMax - first), steps };
  await replayBatch(await makeTraces(wanted), first);
}
const seconds = Math.round((performance.now() - began) / 1_000);
say([...actions].map(([action, count]) => `${action} ${count}`).join(", "));
say(`${counts.traces} traces replayed, ${counts.steps} steps, ${counts.violations} failed, ${seconds} s`);
if (values.json) process.stdout.write(`${JSON.stringify({ seed, ...counts, seconds })}\n`);
process.exit(counts.violations === 0 ? 0 : 1);

async function replayBatch(traces: readonly (readonly ModelStep[])[], first: number): Promise<void> {
  let world: ReplayWorld | null = null;
  for (const [index, trace] of traces.entries()) {
    const number = first + index;
    if (performance.now() >= endsAt || (only !== null && number !== only)) continue;
    const inWorld = number % PER_WORLD;
    if (world === null || inWorld === 0) world = await openReplayWorld(ground, seed + number - inWorld);
    const { steps: played, wrong } = await replayTrace(world, trace, number);
    counts.traces += 1;
    counts.steps += played;
    for (const { action } of trace.slice(1, played + 1)) actions.set(action, (actions.get(action) ?? 0) + 1);
    if (wrong.length === 0) continue;
    counts.violations += 1;
    say(
      `trace ${number}: ${trace
        .slice(0, played + 1)
        .map(describe)
        .join("; ")}`,
    );
    say(`  ${wrong.join("\n  ")}`);
    say(`  pnpm model --seed ${seed} --traces ${tracesMax} --steps ${steps} --trace ${number}`);
  }
}

function describe({ action, picks, state }: ModelStep): string {
  const { card, asked, reason, i, luck, lost, pressed } = picks;
  const picked: Readonly<Record<string, unknown>> = {
    init: `${state.order} ${state.captureFirst ? "captures first" : ""} ${state.lender} ${state.card}`,
    addCard: card,
    press: pressed,
    refund: asked,
    trigger: reason,
    refundTimer: i,
    refundCalls: `${String(i)} ${String(luck)}`,
    paymentCalls: luck,
    collectionCalls: luck,
    refundInquires: `${String(i)} ${lost === 0 ? "lost" : ""}`,
    paymentInquires: lost === 0 ? "lost" : "",
    collectionInquires: lost === 0 ? "lost" : "",
  };
  return `${action} ${String(picked[action] ?? "")}`.trim();
}

/** Says whether the model keeps what must hold, and each of its mistakes is found. */
async function checkModel(): Promise<boolean> {
  const samples = { seed, samples: tracesMax, steps: CHECKED_STEPS };
  let isRight = await holds({ ...samples, module: "sound", invariants: INVARIANTS });
  say(`${tracesMax} traces of the model: ${isRight ? "all holds" : "something does not hold"}`);
  for (const [module, invariant] of Object.entries(FAULTS)) {
    const isFound = !(await holds({ ...samples, samples: FAULT_SAMPLES, module, invariants: [invariant] }));
    say(`${module}: ${isFound ? "found by" : "NOT FOUND by"} ${invariant}`);
    isRight &&= isFound;
  }
  return isRight;
}
