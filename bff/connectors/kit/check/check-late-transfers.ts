import { TAKEN_RETURN_DAYS_MAX } from "../../../src/contract/terms.ts";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { bankProtocol as protocol } from "../../../src/gateways/protocols/bank.ts";
import { readWholeList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

const { path, outcome: schema } = protocol.transfer;
const PENDING = `pending, with an id, and an end that is announced within ${TAKEN_RETURN_DAYS_MAX} days`;
const ENDS = "by its announced end it was sent under its id, refused or returned";
const RETURNS = "returned under its id, with the whole amount and a reason, also for a repeat";
const RETURN_LISTED = "a line of kind `return` with the key, the amount and the reason, next to the transfer's own";

interface Asked {
  readonly key: string;
  readonly input: Json & { readonly amount: number };
  readonly transferId: string;
}

type NewInput = (accountNumber: string) => Json & { readonly amount: number };

/** A transfer that the bank accepts and makes later. It keeps its id, and ends by the announced time. */
export async function checkPendingTransfer(run: CheckRun, newInput: NewInput): Promise<void> {
  const number = run.values.pending_account_number;
  if (number === null) {
    run.noteNotChecked(path, "pending-transfer", PENDING, "pending_account_number is null");
    return;
  }
  const input = newInput(number);
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.transfer,
    check: "pending-transfer",
    expected: PENDING,
    input,
    isExpected: (answer) => answer.outcome === "pending" && isNear(run, answer.endsBy),
  });
  if (outcome?.outcome !== "pending") return;
  // It may have ended by the time the lists are read.
  run.allowInLists(key);
  const asked = { key, input, transferId: outcome.transferId };
  await checkStays(run, asked, outcome.endsBy);
  await checkNotListed(run, key);
  run.atLast.push(() => checkEnds(run, asked, outcome.endsBy));
}

function isNear({ clock }: CheckRun, endsBy: Date): boolean {
  const untilMs = endsBy.getTime() - clock.now().getTime();
  return untilMs >= 0 && untilMs <= TAKEN_RETURN_DAYS_MAX * DAY_MS;
}

async function checkStays(run: CheckRun, { key, input, transferId }: Asked, endsBy: Date): Promise<void> {
  const replies = [await run.ask({ path, key, input }), await run.ask({ path: `${path}/inquiry`, key })];
  const faults = replies.flatMap((reply) => {
    const read = readAnswer(run, schema, reply);
    if ("fault" in read) return [read.fault];
    const { answer } = read;
    const isSame = answer.outcome === "refused" || answer.transferId === transferId;
    const isLater = answer.outcome === "pending" && answer.endsBy > endsBy;
    return isSame && !isLater ? [] : [`${run.describe(reply)}, after the id ${transferId}`];
  });
  run.note(
    path,
    "pending-transfer-stays",
    "a repeat and an inquiry tell of the same transfer, under its id, with no later end",
    faults[0] ?? null,
  );
}

/** A list dates a transfer when the money left: an earlier line would not agree with the books of that day. */
async function checkNotListed(run: CheckRun, key: string): Promise<void> {
  const items = await listAround(run);
  const still = readAnswer(run, schema, await run.ask({ path: `${path}/inquiry`, key }));
  const isPending = "answer" in still && still.answer.outcome === "pending";
  const isListed = !("fault" in items) && items.some(({ idempotencyKey }) => idempotencyKey === key);
  run.note(
    protocol.transfers.path,
    "pending-transfer-not-listed",
    "nothing of a transfer that is pending",
    isPending && isListed ? "a line under the key of a transfer that is pending" : null,
  );
}

function listAround(run: CheckRun, daysBefore = 1): ReturnType<typeof readWholeList> {
  const now = run.moment().getTime();
  const range = { from: new Date(now - daysBefore * DAY_MS), to: new Date(now + DAY_MS) };
  return readWholeList(run, protocol.transfers, { providerId: run.providerId, ...range });
}

/** Waits for the end, unless that exceeds the wait allowed for the check. */
async function checkEnds(run: CheckRun, { key, input, transferId }: Asked, endsBy: Date): Promise<void> {
  const waitMs = Math.max(0, endsBy.getTime() - run.clock.now().getTime());
  if (waitMs > run.returnWaitMs) {
    run.noteNotChecked(path, "pending-transfer-ends", ENDS, `it ends by ${endsBy.toISOString()} only`);
    return;
  }
  await run.wait(waitMs);
  const reply = await run.ask({ path: `${path}/inquiry`, key });
  const read = readAnswer(run, schema, reply);
  const hasEnded =
    "answer" in read &&
    (read.answer.outcome === "refused" ||
      (read.answer.outcome !== "pending" &&
        read.answer.transferId === transferId &&
        read.answer.amount === input.amount));
  run.note(path, "pending-transfer-ends", ENDS, "fault" in read ? read.fault : hasEnded ? null : run.describe(reply));
}

/** A transfer that is sent, and comes back later. */
export async function checkReturnedTransfer(run: CheckRun, newInput: NewInput): Promise<void> {
  const number = run.values.returned_account_number;
  if (number === null) {
    run.noteNotChecked(path, "returned-transfer", RETURNS, "returned_account_number is null");
    return;
  }
  const input = newInput(number);
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.transfer,
    check: "transfer-that-will-return",
    expected: "sent or pending: the bank does not know yet that the money will come back",
    input,
    isExpected: (answer) => answer.outcome === "sent" || answer.outcome === "pending",
  });
  if (outcome === null || outcome.outcome === "refused") return;
  run.allowInLists(key);
  run.atLast.push(() => checkReturns(run, { key, input, transferId: outcome.transferId }));
}

const INQUIRIES_MAX = 12;

async function checkReturns(run: CheckRun, { key, input, transferId }: Asked): Promise<void> {
  const inquire = async () => readAnswer(run, schema, await run.ask({ path: `${path}/inquiry`, key }));
  let read = await inquire();
  for (let asked = 1; asked < INQUIRIES_MAX && !isReturned(read); asked += 1) {
    await run.wait(Math.min(DAY_MS, run.returnWaitMs / INQUIRIES_MAX));
    read = await inquire();
  }
  if (!isReturned(read)) {
    const reason = "fault" in read ? read.fault : "the money did not come back within the wait";
    run.noteNotChecked(path, "returned-transfer", RETURNS, reason);
    return;
  }
  const repeat = readAnswer(run, schema, await run.ask({ path, key, input }));
  const isSame = [read, repeat].every(
    (each) =>
      "answer" in each &&
      each.answer.outcome === "returned" &&
      each.answer.transferId === transferId &&
      each.answer.amount === input.amount,
  );
  run.note(path, "returned-transfer", RETURNS, isSame ? null : "another id or amount, or a repeat that says otherwise");
  await checkReturnListed(run, { key, input, transferId });
}

function isReturned(read: ReturnType<typeof readAnswer>): boolean {
  return "answer" in read && (read.answer as { readonly outcome: string }).outcome === "returned";
}

async function checkReturnListed(run: CheckRun, { key, input }: Asked): Promise<void> {
  const listed = await listAround(run, TAKEN_RETURN_DAYS_MAX + 1);
  const lines = "fault" in listed ? [] : listed.filter(({ idempotencyKey }) => idempotencyKey === key);
  const [returned, ...more] = lines.filter(({ kind }) => kind === "return");
  const fault =
    "fault" in listed
      ? listed.fault
      : returned === undefined || more.length > 0
        ? `lines of kind return: ${more.length + (returned === undefined ? 0 : 1)}`
        : returned.amount === input.amount && returned.reason !== undefined
          ? null
          : "another amount, or no reason";
  run.note(protocol.transfers.path, "return-listed", RETURN_LISTED, fault);
}
