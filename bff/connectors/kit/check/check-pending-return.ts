import { TAKEN_RETURN_DAYS_MAX } from "../../../src/contract/terms.ts";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import type { RegisterNew } from "./card-of-order.ts";
import { readWholeList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type ChargeFor, isSameReturn, PARTS, type Return } from "./check-returns.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

const { path, outcome: schema } = protocol.returnCharge;
const EXPECTED = `pending, with an id, and an end that is announced within ${TAKEN_RETURN_DAYS_MAX} days`;
const ENDS = "by its announced end it was returned whole under its id, or refused";

type Pending = Extract<Return, { readonly outcome: "pending" }>;
interface Asked {
  readonly key: string;
  readonly input: Json & { readonly amount: number };
  readonly pending: Pending;
}

/** A return that the processor accepts and completes later. It keeps its id, and ends by the announced time. */
export async function checkPendingReturn(run: CheckRun, registerNew: RegisterNew, chargeFor: ChargeFor): Promise<void> {
  const given = run.values.pending_return_card;
  const card = given && (await registerNew(given));
  const chargeId = card && (await chargeFor(card, "charge-of-pending-return-card"));
  if (card === null || chargeId === null) {
    const reason = given === null ? "pending_return_card is null" : "pending_return_card could not be charged";
    run.noteNotChecked(path, "pending-return", EXPECTED, reason);
    return;
  }
  const amount = Math.floor(run.values.amount / PARTS);
  const input = { chargeId, amount, orderHash: card.orderHash };
  const { key, outcome: pending } = await checkOutcome(run, {
    operation: protocol.returnCharge,
    check: "pending-return",
    expected: EXPECTED,
    input,
    isExpected: (answer) => answer.outcome === "pending" && isNear(run, answer.endsBy),
  });
  if (pending?.outcome !== "pending") return;
  // It may have ended by the time the lists are read.
  run.allowInLists(key);
  await checkStays(run, { key, input, pending });
  await checkNotListed(run, key);
  run.atLast.push(() => checkEnds(run, { key, input, pending }));
}

function isNear({ clock }: CheckRun, endsBy: Date): boolean {
  const untilMs = endsBy.getTime() - clock.now().getTime();
  return untilMs >= 0 && untilMs <= TAKEN_RETURN_DAYS_MAX * DAY_MS;
}

async function checkStays(run: CheckRun, { key, input, pending }: Asked): Promise<void> {
  const replies = [await run.ask({ path, key, input }), await run.ask({ path: `${path}/inquiry`, key })];
  const faults = replies.flatMap((reply) => {
    const read = readAnswer(run, schema, reply);
    if ("fault" in read) return [read.fault];
    return isSameReturn(pending, read.answer) ? [] : [`${run.describe(reply)}, after ${JSON.stringify(pending)}`];
  });
  run.note(
    path,
    "pending-return-stays",
    "a repeat and an inquiry tell of the same return, under its id, with no later end",
    faults[0] ?? null,
  );
}

/** A list dates a return when it was returned: an earlier entry would not agree with the books of that day. */
async function checkNotListed(run: CheckRun, key: string): Promise<void> {
  const now = run.moment().getTime();
  const range = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
  const items = await readWholeList(run, protocol.movements, { providerId: run.providerId, ...range });
  const still = readAnswer(run, schema, await run.ask({ path: `${path}/inquiry`, key }));
  const isPending = "answer" in still && still.answer.outcome === "pending";
  const isListed = !("fault" in items) && items.some(({ idempotencyKey }) => idempotencyKey === key);
  run.note(
    protocol.movements.path,
    "pending-return-not-listed",
    "nothing of a return that is pending",
    isPending && isListed ? "a movement under the key of a return that is pending" : null,
  );
}

/** Waits for the end, unless that exceeds the wait allowed for the check. */
async function checkEnds(run: CheckRun, { key, input, pending }: Asked): Promise<void> {
  const waitMs = Math.max(0, pending.endsBy.getTime() - run.clock.now().getTime());
  if (waitMs > run.returnWaitMs) {
    run.noteNotChecked(path, "pending-return-ends", ENDS, `it ends by ${pending.endsBy.toISOString()} only`);
    return;
  }
  await run.wait(waitMs);
  const reply = await run.ask({ path: `${path}/inquiry`, key });
  const read = readAnswer(run, schema, reply);
  const fault = "fault" in read ? read.fault : hasEnded(read.answer, { input, pending }) ? null : run.describe(reply);
  run.note(path, "pending-return-ends", ENDS, fault);
}

function hasEnded(answer: Return, { input, pending }: Pick<Asked, "input" | "pending">): boolean {
  if (answer.outcome === "returned") return answer.returnId === pending.returnId && answer.amount === input.amount;
  return answer.outcome === "refused";
}
