import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import type { GatewayCall, NotFound, Unknown } from "../../src/gateways/gateway-call.ts";
import { GatewayUnavailable } from "../../src/gateways/gateway-unavailable.ts";
import { type Database, inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import { type FaultyGateway, SLOW_SECONDS } from "./faults.ts";
import {
  type CallName,
  claimCall,
  findCall,
  forgetCall,
  missCall,
  recordAnswer,
  takeFault,
} from "./gateway-call-store.ts";

/** What every party of the sandbox needs. It commits by itself, so that it takes the database and never a transaction. */
export interface SandboxDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Ends our own process at once (`SIGKILL`), for `kill_after`. */
  readonly kill: () => void;
}

/** One call that changes something at a party of the sandbox. */
export interface SandboxCall<Answer> {
  readonly party: FaultyGateway;
  /** The method of the port. */
  readonly operation: string;
  readonly call: GatewayCall;
  /** What the call asks for; another input under the same key has no effect and gets no answer. */
  readonly input: unknown;
  /** Reads a remembered answer back. */
  readonly answer: z.ZodMiniType<Answer>;
}

/**
 * What became of a call: answered; it took effect but its answer is lost (`untold`); it was answered that nothing can be
 * done now (`passing`), which is not remembered; or it never arrived (`lost`). After the last two an inquiry finds nothing.
 */
export type Effect<Answer> =
  | { readonly told: Answer }
  | { readonly untold: Answer }
  | { readonly passing: Answer }
  | { readonly lost: true };

export const UNKNOWN: Unknown = { outcome: "unknown" };

/**
 * Does what a call asks for, once by its idempotency key: effect and answer are committed together, and a repeat gets
 * the remembered answer. Misbehaves as the tenant asked for.
 */
export async function callOnce<Answer>(
  dependencies: SandboxDependencies,
  sandboxCall: SandboxCall<Answer>,
  act: (tx: Transaction) => Promise<Effect<Answer>>,
): Promise<Answer | Unknown> {
  const { db, kill } = dependencies;
  const { party, operation, call } = sandboxCall;
  const fault = await takeFault(db, { providerId: call.providerId, party, method: operation });
  if (fault === "fail_before") return UNKNOWN;
  const answerFrom = fault === "slow" ? new Date(call.at.getTime() + SLOW_SECONDS * 1000) : call.at;
  if (fault === "twice") await perform(db, sandboxCall, answerFrom, act);
  const answer = await perform(db, sandboxCall, answerFrom, act);
  if (fault === "kill_after") kill();
  return fault === "slow" || fault === "fail_after" || fault === "kill_after" ? UNKNOWN : answer;
}

async function perform<Answer>(
  db: Database,
  sandboxCall: SandboxCall<Answer>,
  answerFrom: Date,
  act: (tx: Transaction) => Promise<Effect<Answer>>,
): Promise<Answer | Unknown> {
  const { call } = sandboxCall;
  const name = nameOf(sandboxCall);
  const inputSha256 = createHash("sha256").update(JSON.stringify(sandboxCall.input)).digest("hex");
  return inTransaction(db, async (tx) => {
    if (!(await claimCall(tx, name, { inputSha256, at: call.at, answerFrom }))) {
      const known = await findCall(tx, name);
      if (known === undefined || known.inputSha256 !== inputSha256 || call.at < known.answerFrom) return UNKNOWN;
      return sandboxCall.answer.parse(known.answer);
    }
    const effect = await act(tx);
    if ("lost" in effect || "passing" in effect) {
      await forgetCall(tx, name);
      return "lost" in effect ? UNKNOWN : effect.passing;
    }
    await recordAnswer(tx, name, "told" in effect ? effect.told : effect.untold);
    return "told" in effect ? effect.told : UNKNOWN;
  });
}

/**
 * What became of a call, asked by its key: its remembered answer, or that it never arrived; then what was sent before the
 * question has no effect any more. `method` is the inquiry's.
 */
export async function inquire<Answer>(
  { db }: SandboxDependencies,
  sandboxCall: Omit<SandboxCall<Answer>, "input"> & { readonly method: string },
): Promise<Answer | Unknown | NotFound> {
  const { party, call, method } = sandboxCall;
  const fault = await takeFault(db, { providerId: call.providerId, party, method });
  if (fault !== null && fault !== "twice") return UNKNOWN;
  const name = nameOf(sandboxCall);
  let known = await findCall(db, name);
  if (known === undefined) {
    await missCall(db, name, call.at);
    // What came in between has taken effect.
    known = await findCall(db, name);
  }
  if (known === undefined) return { outcome: "not_found" };
  return call.at < known.answerFrom ? UNKNOWN : sandboxCall.answer.parse(known.answer);
}

/** Reads a gateway's list. Throws `GatewayUnavailable` where the tenant asked for a list that cannot be had. */
export async function readListed<List>(
  { db }: Pick<SandboxDependencies, "db">,
  { party, method, providerId }: { party: FaultyGateway; method: string; providerId: string },
  read: () => Promise<List>,
): Promise<List> {
  const fault = await takeFault(db, { providerId, party, method });
  // A list that is read twice is the same list.
  if (fault !== null && fault !== "twice") throw new GatewayUnavailable(`The sandbox's ${party} lists nothing now.`);
  return read();
}

function nameOf<Answer>({ party, operation, call }: Omit<SandboxCall<Answer>, "input">): CallName {
  return { providerId: call.providerId, party, operation, idempotencyKey: call.idempotencyKey };
}
