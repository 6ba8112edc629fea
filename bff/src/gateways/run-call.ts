import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";
import { inquiryDelayMs } from "./inquiry-delay.ts";

/*
 * The one way to call a gateway for what must happen exactly once: money that moves, a claim that is filed. The attempt is
 * written down before its call. Where the call may have been made before, the gateway is asked what became of it. An answer
 * is written in one transaction; without one, the same is asked again at growing distances
 * (`docs/decisions/one-machine-for-gateway-calls.md`).
 */

/** A call and the question what became of it, both under one key. */
export interface KeyedCall<Answer> {
  readonly under: GatewayCall;
  readonly call: (under: GatewayCall) => Promise<Answer | Unknown>;
  readonly inquire: (under: GatewayCall) => Promise<Answer | Unknown | NotFound>;
}

/** The same call, whose answers mean what `read` makes of them. */
export function readingAnswers<Answer extends object, Meaning>(
  { under, call, inquire }: KeyedCall<Answer>,
  read: (answer: Answer) => Meaning,
): KeyedCall<Meaning> {
  return {
    under,
    call: async () => {
      const told = await call(under);
      return isTold(told, "unknown") ? told : read(told);
    },
    inquire: async () => {
      const told = await inquire(under);
      return isTold(told, "unknown") || isTold(told, "not_found") ? told : read(told);
    },
  };
}

/** What to do about a call that never arrived: make it, ask about it once more later, or nothing, since the attempt has ended. */
export type DecidedAgain<Attempt> = "call" | "ask_later" | { readonly ended: Attempt };

/** What a feature gives. `Attempt` is what it has written down, and what each answer makes of it. */
export interface AttemptCalls<Attempt, Answer extends object> {
  /** The call that comes next; `null`: none now, since the attempt has ended, or waits for somebody. */
  readonly nextCall: (attempt: Attempt) => KeyedCall<Answer> | null;
  /** Decides again whether a call that never arrived, as an inquiry has just told, is still right; without this it is made. */
  readonly decideAgain?: (attempt: Attempt, under: GatewayCall) => Promise<DecidedAgain<Attempt>>;
  /** Does this answer leave everything as it is? Then it counts as none. */
  readonly isNoProgress?: (attempt: Attempt, answer: Answer) => boolean;
  /** Writes what an answer means; `null`, with nothing written, where somebody else works on the attempt by now. */
  readonly settle: (tx: Transaction, attempt: Attempt, answer: Answer) => Promise<Attempt | null>;
  /** Does the same without a transaction where it is one statement; `null`: it is not. */
  readonly settleInOneStatement?: (
    db: Database,
    attempt: Attempt,
    answer: Answer,
  ) => Promise<{ readonly attempt: Attempt | null }> | null;
  /**
   * Lets go of an attempt that has no answer yet, and counts the inquiry. Returns how many of the distances between inquiries
   * are behind it: 0 lets it be asked about after the shortest.
   */
  readonly letGo: (attempt: Attempt) => Promise<number>;
}

export interface BegunAttempt<Attempt> {
  readonly attempt: Attempt;
  /** Somebody may have made the next call before, so that it is asked about first. */
  readonly mayHaveArrived: boolean;
}

/** How far an attempt went. */
export type RanAttempt<Attempt> =
  /** Nothing is left to be called now. */
  | { readonly outcome: "ran"; readonly attempt: Attempt }
  /** Nobody knows what became of its call. */
  | { readonly outcome: "unanswered"; readonly attempt: Attempt; readonly waited: number }
  /** Somebody else works on it: what was called here they find by inquiry. */
  | { readonly outcome: "lost"; readonly attempt: Attempt };

/** Takes an attempt through its calls as far as they go now; each answer is written before the next call is made. */
export async function runCall<Attempt, Answer extends object>(
  db: Database,
  calls: AttemptCalls<Attempt, Answer>,
  begun: BegunAttempt<Attempt>,
): Promise<RanAttempt<Attempt>> {
  let { attempt, mayHaveArrived } = begun;
  for (;;) {
    const next = calls.nextCall(attempt);
    if (next === null) return { outcome: "ran", attempt };
    const known = mayHaveArrived ? await inquire(calls, attempt, next) : "call";
    if (typeof known === "object" && "ended" in known) return { outcome: "ran", attempt: known.ended };
    const answer = known === "call" ? answerIn(await next.call(next.under)) : known.answer;
    if (answer === null || calls.isNoProgress?.(attempt, answer) === true)
      return { outcome: "unanswered", attempt, waited: await calls.letGo(attempt) };
    const settled = await settle(db, calls, attempt, answer);
    if (settled === null) return { outcome: "lost", attempt };
    attempt = settled;
    mayHaveArrived = false;
  }
}

/** What became of a call that may have been made; one that never arrived is decided again. */
async function inquire<Attempt, Answer extends object>(
  { decideAgain }: AttemptCalls<Attempt, Answer>,
  attempt: Attempt,
  { under, inquire: ask }: KeyedCall<Answer>,
): Promise<{ readonly answer: Answer | null } | "call" | { readonly ended: Attempt }> {
  const told = await ask(under);
  if (!isTold(told, "not_found")) return { answer: answerIn(told) };
  const decided = decideAgain === undefined ? "call" : await decideAgain(attempt, under);
  return decided === "ask_later" ? { answer: null } : decided;
}

async function settle<Attempt, Answer extends object>(
  db: Database,
  calls: AttemptCalls<Attempt, Answer>,
  attempt: Attempt,
  answer: Answer,
): Promise<Attempt | null> {
  const written = calls.settleInOneStatement?.(db, attempt, answer) ?? null;
  if (written !== null) return (await written).attempt;
  return inTransaction(db, (tx) => calls.settle(tx, attempt, answer));
}

function answerIn<Answer extends object>(told: Answer | Unknown): Answer | null {
  return isTold(told, "unknown") ? null : told;
}

function isTold<Outcome extends string>(told: object, outcome: Outcome): told is { readonly outcome: Outcome } {
  return "outcome" in told && told.outcome === outcome;
}

/** When a timer that has run an attempt comes again, in real time; one whose attempt is somebody else's looks whether they end it. */
export function timerOutcomeOf(ran: RanAttempt<unknown>, realNow: Date): TimerOutcome {
  if (ran.outcome === "ran") return "done";
  return { again: new Date(realNow.getTime() + inquiryDelayMs(ran.outcome === "unanswered" ? ran.waited : 0)) };
}
