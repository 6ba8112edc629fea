import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { GatewayCall, NotFound, Unknown } from "../../src/gateways/gateway-call.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import type { Logger } from "../../src/platform/logger.ts";
import {
  type CallName,
  deleteCall,
  findCall,
  insertCall,
  insertMissedCall,
  isMissed,
  lockCall,
  recordAnswer,
} from "./kept-call-store.ts";

export const UNKNOWN: Unknown = { outcome: "unknown" };
export const NOT_FOUND: NotFound = { outcome: "not_found" };

/**
 * How a call is made, decided in the transaction that claims its key. `answer`: without the party. `send`: the request,
 * stored before it is sent. `later`: not now, and nothing is stored.
 */
export type Decision<Outcome, Plan> = { readonly answer: Outcome } | { readonly send: Plan } | { readonly later: true };

/** One operation of a party. Its answers are kept for ever. */
export interface KeptOperation<Outcome, Plan> {
  readonly operation: string;
  readonly outcome: z.ZodMiniType<Outcome>;
  readonly plan: z.ZodMiniType<Plan>;
  /** Sends the request, at most once. If it throws, the outcome is unknown. */
  send(plan: Plan): Promise<Outcome | Unknown>;
  /**
   * Asks the party for the outcome of a request that may have been sent. `not_found` only where it provably had no
   * effect and can have none any more.
   */
  recover(plan: Plan, begunAt: Date): Promise<Outcome | Unknown | NotFound>;
  /** Whether it is certain that a key without a row never reached the party. Default: yes. */
  isNew?(call: GatewayCall): Promise<boolean>;
  /** Writes the connector's own rows in the transaction that stores the outcome. */
  settle?(
    tx: Transaction,
    call: GatewayCall,
    settled: { readonly plan: Plan; readonly outcome: Outcome },
  ): Promise<void>;
}

/** An operation that the connector answers by itself: it stores an answer, and sends nothing. */
export function localOperation<Outcome>(
  operation: string,
  outcome: z.ZodMiniType<Outcome>,
): KeptOperation<Outcome, undefined> {
  const neverSent = async () => UNKNOWN;
  return { operation, outcome, plan: z.undefined(), send: neverSent, recover: neverSent };
}

export interface KeptCalls {
  /** Makes a call once for its key. A repeat gets the stored answer; another input under the key gets none. */
  perform<Outcome, Plan>(
    kept: KeptOperation<Outcome, Plan>,
    call: GatewayCall,
    input: unknown,
    decide: (tx: Transaction) => Promise<Decision<NoInfer<Outcome>, NoInfer<Plan>>>,
  ): Promise<Outcome | Unknown>;
  inquire<Outcome, Plan>(kept: KeptOperation<Outcome, Plan>, call: GatewayCall): Promise<Outcome | Unknown | NotFound>;
  /**
   * Stores what an operator read in the party's portal. Returns false if there is no such call, or it has an answer.
   */
  settleByHand<Outcome, Plan>(
    kept: KeptOperation<Outcome, Plan>,
    name: CallName,
    settled: { readonly outcome: (plan: Plan) => Outcome; readonly by: string; readonly because: string },
  ): Promise<boolean>;
}

interface Dependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createKeptCalls({ db, clock, logger }: Dependencies): KeptCalls {
  /** Requests that this process waits for. It does not inquire about them. */
  const running = new Set<string>();

  async function settle<Outcome, Plan>(
    kept: KeptOperation<Outcome, Plan>,
    call: GatewayCall,
    { plan, outcome }: { readonly plan: Plan; readonly outcome: Outcome },
  ): Promise<Outcome> {
    const name = nameOf(kept, call);
    return inTransaction(db, async (tx) => {
      await lockCall(tx, name);
      const known = await findCall(tx, name);
      // Another process was faster, and its answer is final.
      if (known?.answer != null) return kept.outcome.parse(known.answer);
      await kept.settle?.(tx, call, { plan, outcome });
      await recordAnswer(tx, name, { answer: outcome, at: clock.now() });
      return outcome;
    });
  }

  async function attempt<Outcome>(
    kept: { readonly operation: string },
    call: GatewayCall,
    ask: () => Promise<Outcome | Unknown>,
  ): Promise<Outcome | Unknown> {
    try {
      return await ask();
    } catch (error) {
      const { idempotencyKey, providerId } = call;
      logger.warn("connector.party_unanswered", {
        operation: kept.operation,
        call: idempotencyKey,
        provider_id: providerId,
        error,
      });
      return UNKNOWN;
    }
  }

  async function recover<Outcome, Plan>(
    kept: KeptOperation<Outcome, Plan>,
    call: GatewayCall,
    known: { readonly plan: unknown; readonly begunAt: Date },
  ): Promise<Outcome | Unknown | NotFound> {
    if (running.has(runningKey(nameOf(kept, call)))) return UNKNOWN;
    const plan = kept.plan.parse(known.plan);
    const found = await attempt<Outcome | NotFound>(kept, call, () => kept.recover(plan, known.begunAt));
    if (isOutcome(found, "unknown")) return UNKNOWN;
    if (isOutcome(found, "not_found")) return forget(kept, call);
    return settle(kept, call, { plan, outcome: found as Outcome });
  }

  /** Closes the key: an earlier call has no effect any more. */
  async function forget<Outcome, Plan>(
    kept: KeptOperation<Outcome, Plan>,
    call: GatewayCall,
  ): Promise<Outcome | NotFound> {
    const name = nameOf(kept, call);
    return inTransaction(db, async (tx) => {
      await lockCall(tx, name);
      const known = await findCall(tx, name);
      if (known?.answer != null) return kept.outcome.parse(known.answer);
      await deleteCall(tx, name);
      await insertMissedCall(tx, name, call.at);
      return NOT_FOUND;
    });
  }

  return {
    async perform(kept, call, input, decide) {
      const name = nameOf(kept, call);
      const inputSha256 = createHash("sha256").update(JSON.stringify(input)).digest("hex");
      const key = runningKey(name);
      const claimed = await inTransaction(db, async (tx) => {
        await lockCall(tx, name);
        const known = await findCall(tx, name);
        if (known !== undefined) return { known };
        if (await isMissed(tx, name, call.at)) return { later: true } as const;
        const decision = await decide(tx);
        if ("later" in decision) return decision;
        const plan = "send" in decision ? decision.send : undefined;
        await insertCall(tx, name, { inputSha256, calledAt: call.at, begunAt: clock.now(), plan });
        if ("answer" in decision) await recordAnswer(tx, name, { answer: decision.answer, at: clock.now() });
        return decision;
      });
      if ("later" in claimed) return UNKNOWN;
      if ("answer" in claimed) return claimed.answer;
      if ("known" in claimed) {
        const { known } = claimed;
        if (known.inputSha256 !== inputSha256) return UNKNOWN;
        if (known.answer !== null) return kept.outcome.parse(known.answer);
        const found = await recover(kept, call, known);
        return isOutcome(found, "not_found") ? UNKNOWN : found;
      }
      running.add(key);
      try {
        const outcome = await attempt(kept, call, () => kept.send(claimed.send));
        if (isOutcome(outcome, "unknown")) return UNKNOWN;
        return await settle(kept, call, { plan: claimed.send, outcome: outcome as never });
      } finally {
        running.delete(key);
      }
    },
    async inquire(kept, call) {
      const name = nameOf(kept, call);
      const known = await findCall(db, name);
      if (known !== undefined) {
        return known.answer === null ? recover(kept, call, known) : kept.outcome.parse(known.answer);
      }
      const isNew = await attempt<{ readonly outcome: "new" }>(kept, call, async () =>
        (await kept.isNew?.(call)) === false ? UNKNOWN : { outcome: "new" },
      );
      if (isNew.outcome === "unknown") return UNKNOWN;
      const missed = await inTransaction(db, async (tx) => {
        await lockCall(tx, name);
        const arrived = await findCall(tx, name);
        if (arrived === undefined) await insertMissedCall(tx, name, call.at);
        return arrived ?? NOT_FOUND;
      });
      if ("outcome" in missed) return missed;
      return missed.answer === null ? UNKNOWN : kept.outcome.parse(missed.answer);
    },
    async settleByHand(kept, name, { outcome, by, because }) {
      return inTransaction(db, async (tx) => {
        await lockCall(tx, name);
        const known = await findCall(tx, name);
        if (known === undefined || known.answer !== null) return false;
        const plan = kept.plan.parse(known.plan);
        const answer = outcome(plan);
        await kept.settle?.(tx, { ...name, at: known.calledAt }, { plan, outcome: answer });
        await recordAnswer(tx, name, { answer, at: clock.now(), settled: { by, because } });
        return true;
      });
    },
  };
}

function nameOf({ operation }: { readonly operation: string }, { providerId, idempotencyKey }: GatewayCall): CallName {
  return { operation, providerId, idempotencyKey };
}

function runningKey({ operation, providerId, idempotencyKey }: CallName): string {
  return JSON.stringify([operation, providerId, idempotencyKey]);
}

function isOutcome<Name extends string>(answer: unknown, name: Name): answer is { readonly outcome: Name } {
  return typeof answer === "object" && answer !== null && "outcome" in answer && answer.outcome === name;
}
