import type { ModelState, ModelStep } from "./model-state.ts";
import { readSeen, takeHistory } from "./moment.ts";
import { notBySteps } from "./path-rule.ts";
import { CallMissing, playAction, readNames } from "./play-action.ts";
import { addCard, asPartner, createReplayed, pay, type Replayed, type ReplayWorld, runDue } from "./replay-world.ts";
import { differences, seenInModel, shownInModel } from "./seen.ts";

/** How far a trace went the same way in the service and in the model. */
export interface ReplayOutcome {
  readonly steps: number;
  /** What differs after the last step that was played; nothing if all was the same. */
  readonly wrong: readonly string[];
}

/** Plays a trace in the service, and looks after each step whether the service is where the model is. */
export async function replayTrace(
  replay: ReplayWorld,
  trace: readonly ModelStep[],
  number: number,
): Promise<ReplayOutcome> {
  const [first, ...steps] = trace;
  if (first === undefined) return { steps: 0, wrong: [] };
  replay.failures.length = 0;
  const { stage } = replay.world;
  stage.beginStep(`trace ${number}`);
  const replayed = await createReplayed(replay, first.state, number);
  if (first.state.order === "paid") await payUndisturbed(replay, replayed, first.state.card);
  let wrong = await lookAt(replay, replayed, first.state, "");
  let played = 0;
  for (const step of steps) {
    if (wrong.length > 0) break;
    played += 1;
    stage.beginStep(`trace ${number}, step ${played}`);
    wrong = await playStep(replay, replayed, step);
  }
  const last = trace[played];
  if (wrong.length === 0 && last !== undefined) wrong = await lookAsPartner(replayed, last.state);
  await letEverythingGo(replay);
  // Orders of earlier traces are changed too, by the daily look at chargebacks.
  const noted = (await takeHistory(replay.world.database)).filter(({ order_id: id }) => id === replayed.orderId);
  return { steps: played, wrong: [...wrong, ...notBySteps(new Map(), noted)] };
}

async function playStep(replay: ReplayWorld, replayed: Replayed, step: ModelStep): Promise<readonly string[]> {
  try {
    const answer = await playAction(replay, replayed, step);
    await replay.world.stage.quiet();
    await runDue(replay, replayed);
    return await lookAt(replay, replayed, step.state, answer);
  } catch (error) {
    return [error instanceof CallMissing ? error.message : `it could not be played: ${String(error)}`];
  }
}

async function lookAt(
  replay: ReplayWorld,
  replayed: Replayed,
  state: ModelState,
  answer: string,
): Promise<readonly string[]> {
  const product = await readSeen(replay.world.database, replayed.orderId);
  const names = await readNames(replay, replayed);
  const calls = replay.calls.all().map(({ key, isInquiry }) => {
    const kind = isInquiry ? "inquire" : "call";
    const refund = names.movements.findIndex((ids) => ids.some((id) => key.startsWith(id)));
    return `${refund >= 0 ? `refund ${refund}` : key.endsWith(":collection") ? "collection" : "payment"} ${kind}`;
  });
  return [
    ...differences(
      { ...seenInModel(state), answer: state.answer, calls: callsInModel(state).toSorted() },
      { ...product, answer, calls: calls.toSorted() },
    ),
    ...replay.failures.map((failure) => `the service failed: ${failure}`),
    ...(replay.world.stage.isEndless() ? ["what is due is done and is due again, without end"] : []),
  ];
}

/** What the interface shows is what the model has. */
async function lookAsPartner(replayed: Replayed, state: ModelState): Promise<readonly string[]> {
  const answer = await asPartner(replayed, "GET", "");
  const { status, refunded_amount, collection } = answer?.body ?? {};
  return differences(shownInModel(state), { status, refunded_amount, collection: collection?.status ?? null });
}

function callsInModel({ attempts, refunds, collection }: ModelState): readonly string[] {
  return [
    { of: "payment", live: attempts.at(-1)?.live ?? "none" },
    ...refunds.map(({ live }, number) => ({ of: `refund ${number}`, live })),
    { of: "collection", live: collection.live },
  ]
    .filter(({ live }) => live !== "none")
    .map(({ of, live }) => `${of} ${live}`);
}

/** Calls of a payment without any trouble, at most. */
const CALLS_MAX = 6;

async function payUndisturbed(replay: ReplayWorld, replayed: Replayed, card: string): Promise<void> {
  const { stage } = replay.world;
  await addCard(replay.world, replayed, card);
  void pay(replayed);
  await stage.quiet();
  for (let count = 0; count < CALLS_MAX && replay.calls.all().length > 0; count += 1) {
    for (const call of replay.calls.all()) call.answer();
    await stage.quiet();
  }
  await runDue(replay, replayed);
}

/** What a trace has left open hears nothing any more, so that the next trace has the process for itself. */
async function letEverythingGo({ world, calls }: ReplayWorld): Promise<void> {
  while (calls.all().length > 0) {
    for (const call of calls.all()) call.lose(false);
    await world.stage.quiet();
  }
}
