import { TAKEN_RETURN_DAYS_MAX } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import type { PendingReturn } from "./card-processor.ts";
import { type AttemptCall, type GatewayCall, inquiryAt, type NotFound, type Unknown } from "./gateway-call.ts";

/*
 * The only way to make a gateway call that must happen exactly once, such as moving money or filing a claim. The
 * attempt is stored before its call. If the call may have been made before, the gateway is first asked for its outcome.
 * An answer is stored in one transaction; without an answer, the inquiry is repeated at growing intervals
 * (`docs/decisions/0020-one-machine-for-gateway-calls.md`).
 */

/** A call and the inquiry about its outcome, with the same key. */
export interface KeyedCall<Answer> {
  readonly under: AttemptCall;
  readonly call: (under: GatewayCall) => Promise<Answer | Unknown>;
  readonly inquire: (under: GatewayCall) => Promise<Answer | Unknown | NotFound>;
  /** Absent for a call that is harmless when a gateway that has forgotten its key performs it again. */
  readonly listed?: ListedCall<Answer>;
}

/** The call's entry in the gateway's list, which the gateway keeps even if it has forgotten the key or the answer. */
export interface ListedCall<Answer> {
  /** When the call may first have been made, in the provider's time. */
  readonly since: Date;
  /** `not_found`: the list does not have it. `unknown`: the list is unavailable. */
  readonly find: () => Promise<Answer | Unknown | NotFound>;
}

/** Real processors keep keys for a day. After that "never arrived" may mean "forgotten". */
const KEY_TRUSTED_MS = DAY_MS;

/** The call with its answers translated by `read`. */
export function readingAnswers<Answer extends object, Meaning>(
  { under, call, inquire, listed }: KeyedCall<Answer>,
  read: (answer: Answer) => Meaning,
): KeyedCall<Meaning> {
  const known = async (pending: Promise<Answer | Unknown | NotFound>) => {
    const answer = await pending;
    return hasOutcome(answer, "unknown") || hasOutcome(answer, "not_found") ? answer : read(answer);
  };
  return {
    under,
    call: async () => {
      const answer = await call(under);
      return hasOutcome(answer, "unknown") ? answer : read(answer);
    },
    inquire: () => known(inquire(under)),
    ...(listed !== undefined && { listed: { since: listed.since, find: () => known(listed.find()) } }),
  };
}

/**
 * The decision about a call that never arrived: make it, inquire again later, or nothing because the attempt has ended.
 */
export type RetryDecision<Attempt> = "call" | "inquire_later" | { readonly ended: Attempt };

/** The feature's part. `Attempt` is its stored state, which each answer changes. */
export type AttemptCalls<Attempt, Answer extends object> = CallsOfAttempt<Attempt, Answer> & Settling<Attempt, Answer>;

interface CallsOfAttempt<Attempt, Answer extends object> {
  /** The next call; `null` if the attempt has ended or is waiting for something else. */
  readonly nextCall: (attempt: Attempt) => KeyedCall<Answer> | null;
  /**
   * Decides whether to make a call that, according to the inquiry, never arrived. If it is not defined, the call is
   * made.
   */
  readonly retryDecision?: (attempt: Attempt, under: GatewayCall) => Promise<RetryDecision<Attempt>>;
  /** For a call that the gateway may accept now and complete days later. Default: that never happens. */
  readonly accepts?: AcceptedCalls<Attempt, Answer>;
  /** Whether this answer changes nothing, so that it counts as no answer. */
  readonly isNoProgress?: (attempt: Attempt, answer: Answer) => boolean;
  /**
   * Releases an attempt without an answer, and counts the inquiry. Returns how many earlier inquiries gave no answer:
   * after 0, the next one follows at the shortest interval. A call that directly followed an answered one was not
   * inquired about yet.
   */
  readonly release: (attempt: Attempt, lost: { readonly wasInquired: boolean }) => Promise<number>;
}

/**
 * Stores the effects of an answer. Returns `null`, with nothing stored, if another worker has changed the attempt.
 * `settle` gets a transaction; `settleAlone` opens one only for the answers that need more than one statement.
 */
type Settling<Attempt, Answer> =
  | { readonly settle: (tx: Transaction, attempt: Attempt, answer: Answer) => Promise<Attempt | null> }
  | { readonly settleAlone: (db: Database, attempt: Attempt, answer: Answer) => Promise<Attempt | null> };

/**
 * A gateway that has accepted a call completes it later, and inquiries report the end. `settle` stores the acceptance.
 * From then on the call is never repeated, even if the gateway no longer knows it, and inquiries are further apart.
 */
export interface AcceptedCalls<Attempt, Answer> {
  /** Whether this answer only confirms that the call was accepted. */
  readonly isTaken: (answer: Answer) => boolean;
  /** Whether the next call is already stored as accepted. */
  readonly wasTaken: (attempt: Attempt) => boolean;
}

export interface BegunAttempt<Attempt> {
  readonly attempt: Attempt;
  /** Whether another worker may have made the next call already, so that an inquiry comes first. */
  readonly mayHaveArrived: boolean;
}

/** The result of running an attempt. */
export type RanAttempt<Attempt> =
  /** No further call can be made now. */
  | { readonly outcome: "ran"; readonly attempt: Attempt }
  /** The outcome of its call is unknown. */
  | { readonly outcome: "unanswered"; readonly attempt: Attempt; readonly waited: number }
  /** The gateway has accepted its call, and reports its end later. */
  | { readonly outcome: "taken"; readonly attempt: Attempt; readonly waited: number }
  /** Another worker has taken over the attempt, and inquires about the outcome of this worker's call. */
  | { readonly outcome: "lost"; readonly attempt: Attempt };

/**
 * Makes the attempt's calls until none is left or one has no answer. Each answer is stored before the next call is
 * made.
 */
export async function runCall<Attempt, Answer extends object>(
  db: Database,
  calls: AttemptCalls<Attempt, Answer>,
  begun: BegunAttempt<Attempt>,
): Promise<RanAttempt<Attempt>> {
  let { attempt, mayHaveArrived } = begun;
  for (;;) {
    const next = calls.nextCall(attempt);
    if (next === null) return { outcome: "ran", attempt };
    const wasTaken = calls.accepts?.wasTaken(attempt) === true;
    const wasInquired = mayHaveArrived || wasTaken;
    const known = wasInquired ? await inquire(calls, attempt, next) : "call";
    if (typeof known === "object" && "ended" in known) return { outcome: "ran", attempt: known.ended };
    const answer = known === "call" ? knownAnswer(await next.call(next.under)) : known.answer;
    if (answer === null || isNoProgress(calls, attempt, answer)) {
      // Without an answer it is inquired about again soon, even if the gateway has accepted it.
      const isWaiting = wasTaken && (answer !== null || (typeof known === "object" && known.isForgotten === true));
      const waited = await calls.release(attempt, { wasInquired });
      return { outcome: isWaiting ? "taken" : "unanswered", attempt, waited };
    }
    const settled = await settle(db, calls, attempt, answer);
    if (settled === null) return { outcome: "lost", attempt };
    attempt = settled;
    if (calls.accepts?.isTaken(answer) === true) return { outcome: "taken", attempt, waited: 0 };
    mayHaveArrived = false;
  }
}

function isNoProgress<Attempt, Answer extends object>(
  { isNoProgress: isNone, accepts }: AttemptCalls<Attempt, Answer>,
  attempt: Attempt,
  answer: Answer,
): boolean {
  if (isNone?.(attempt, answer) === true) return true;
  return accepts?.wasTaken(attempt) === true && accepts.isTaken(answer);
}

/** The outcome of a call that may have been made. If it never arrived, `retryDecision` decides. */
async function inquire<Attempt, Answer extends object>(
  { retryDecision, accepts }: AttemptCalls<Attempt, Answer>,
  attempt: Attempt,
  next: KeyedCall<Answer>,
): Promise<{ readonly answer: Answer | null; readonly isForgotten?: boolean } | "call" | { readonly ended: Attempt }> {
  const { under } = next;
  const answer = await answerOrListed(next);
  if (!hasOutcome(answer, "not_found")) return { answer: knownAnswer(answer) };
  // The gateway has accepted the call before: repeating it might move money twice.
  if (accepts?.wasTaken(attempt) === true) return { answer: null, isForgotten: true };
  const decided = retryDecision === undefined ? "call" : await retryDecision(attempt, under);
  return decided === "inquire_later" ? { answer: null } : decided;
}

/**
 * The gateway's answer to the inquiry. If the call is so old that the gateway may have forgotten it, an inconclusive
 * answer is checked against the gateway's list. Without the list the outcome stays unknown.
 */
async function answerOrListed<Answer extends object>({
  under,
  inquire: inquireCall,
  listed,
}: KeyedCall<Answer>): Promise<Answer | Unknown | NotFound> {
  const answer = await inquireCall(under);
  if (!hasOutcome(answer, "not_found") && !hasOutcome(answer, "unknown")) return answer;
  if (listed === undefined || under.at.getTime() - listed.since.getTime() < KEY_TRUSTED_MS) return answer;
  const found = await listed.find();
  return hasOutcome(found, "not_found") ? answer : found;
}

function settle<Attempt, Answer extends object>(
  db: Database,
  calls: AttemptCalls<Attempt, Answer>,
  attempt: Attempt,
  answer: Answer,
): Promise<Attempt | null> {
  if ("settleAlone" in calls) return calls.settleAlone(db, attempt, answer);
  return inTransaction(db, (tx) => calls.settle(tx, attempt, answer));
}

function knownAnswer<Answer extends object>(answer: Answer | Unknown): Answer | null {
  return hasOutcome(answer, "unknown") ? null : answer;
}

function hasOutcome<Outcome extends string>(answer: object, outcome: Outcome): answer is { readonly outcome: Outcome } {
  return "outcome" in answer && answer.outcome === outcome;
}

/**
 * When the timer of an attempt runs again, in real time. If another worker has taken the attempt over, the timer runs
 * again to check that it ends.
 */
export function timerOutcomeOf(ran: RanAttempt<unknown>, realNow: Date): TimerOutcome {
  if (ran.outcome === "ran") return "done";
  const inquiries = ran.outcome === "lost" ? 0 : ran.waited;
  return { again: inquiryAt(realNow, { inquiries, isTaken: ran.outcome === "taken" }) };
}

/**
 * When the timer of an attempt that another worker has leased runs again, in real time. It does not wait for the
 * lease's end: the running call may lose its answer, and its attempt be released, long before. It takes nothing over
 * while the lease lasts. `busyUntil` is the lease's end; null if the attempt has ended.
 */
export function timerOutcomeOfLeased(busyUntil: Date | null, realNow: Date): TimerOutcome {
  if (busyUntil === null) return "done";
  const first = inquiryAt(realNow);
  return { again: busyUntil < first ? busyUntil : first };
}

/** A return that the processor has accepted, as stored with the returned payment. */
export interface AcceptedReturn {
  readonly returnId: string;
  readonly takenAt: Date;
  /** The time until which the service waits for the end, before it lists an exception. */
  readonly endsBy: Date;
}

/** Converts the processor's answer for storage. Its announced end is trusted for a limited number of days. */
export function acceptedReturn({ returnId, endsBy }: PendingReturn, takenAt: Date): AcceptedReturn {
  return { returnId, takenAt, endsBy: acceptedEnd({ endsBy }, takenAt) };
}

/** The announced end of an accepted call, at most 30 days ahead. */
export function acceptedEnd({ endsBy }: { readonly endsBy: Date }, takenAt: Date): Date {
  const latest = takenAt.getTime() + TAKEN_RETURN_DAYS_MAX * DAY_MS;
  return new Date(Math.min(latest, Math.max(takenAt.getTime(), endsBy.getTime())));
}
