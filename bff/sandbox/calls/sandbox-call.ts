import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { type GatewayCall, GatewayUnavailable, type NotFound, type Unknown } from "../../src/gateways/gateway-call.ts";
import { type Database, inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import type { Ids } from "../../src/platform/ids.ts";
import { type FaultyGateway, SLOW_SECONDS } from "./faults.ts";
import {
  type CallName,
  claimCall,
  findCall,
  forgetCall,
  type KnownCall,
  missCall,
  recordAnswer,
  takeFault,
} from "./gateway-call-store.ts";

/**
 * The dependencies of every gateway of the sandbox. A gateway commits by itself, so it needs the database and not a
 * transaction.
 */
export interface SandboxDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Kills this process at once (`SIGKILL`), for the fault `kill_after`. */
  readonly kill: () => void;
  /** Absent: every call is remembered for ever, as the protocol demands. */
  readonly memory?: PartyMemory | undefined;
}

/** How long a gateway remembers calls where it breaks the protocol, as real processors do. */
export interface PartyMemory {
  /** After this time an inquiry finds nothing, and a repeated call takes effect again. */
  readonly keysMs?: number;
  /** After this time a repeated call still has no effect, but neither it nor an inquiry gets an answer. */
  readonly answersMs?: number;
}

/** A call that changes something at a gateway of the sandbox. */
export interface SandboxCall<Answer> {
  readonly party: FaultyGateway;
  /** The method of the gateway. */
  readonly operation: string;
  readonly call: GatewayCall;
  /** The call's input. Another input with the same key has no effect and gets no answer. */
  readonly input: unknown;
  /** Parses a stored answer. */
  readonly answer: z.ZodMiniType<Answer>;
}

/**
 * The effect of a call. `answered`: it took effect and is answered. `unanswered`: it took effect but the answer is
 * lost. `passing`: the gateway answers that it can do nothing now, and does not remember the call. `lost`: it never
 * arrived. After the last two an inquiry finds nothing.
 */
export type Effect<Answer> =
  | { readonly answered: Answer }
  | { readonly unanswered: Answer }
  | { readonly passing: Answer }
  | { readonly lost: true };

/** The suffix of the key under which a list shows a call that took effect again after its key was forgotten. */
export const AGAIN = ":again";

export const UNKNOWN: Unknown = { outcome: "unknown" };

/**
 * Performs a call once for its idempotency key: effect and answer are committed together, and a repeated call gets the
 * stored answer. Applies the fault that the tenant requested.
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
  if (fault === "twice") await perform(dependencies, sandboxCall, answerFrom, act);
  const answer = await perform(dependencies, sandboxCall, answerFrom, act);
  if (fault === "kill_after") kill();
  return fault === "slow" || fault === "fail_after" || fault === "kill_after" ? UNKNOWN : answer;
}

async function perform<Answer>(
  { db, memory }: SandboxDependencies,
  sandboxCall: SandboxCall<Answer>,
  answerFrom: Date,
  act: (tx: Transaction) => Promise<Effect<Answer>>,
): Promise<Answer | Unknown> {
  const { call } = sandboxCall;
  const name = nameOf(sandboxCall);
  const inputSha256 = createHash("sha256").update(JSON.stringify(sandboxCall.input)).digest("hex");
  return inTransaction(db, async (tx) => {
    await forgetOldCall(tx, name, call.at, memory);
    if (!(await claimCall(tx, name, { inputSha256, at: call.at, answerFrom }))) {
      const known = await findCall(tx, name);
      if (known?.inputSha256 !== inputSha256 || !isAnswered(known, call.at, memory)) return UNKNOWN;
      return sandboxCall.answer.parse(known.answer);
    }
    const effect = await act(tx);
    if ("lost" in effect || "passing" in effect) {
      await forgetCall(tx, name);
      return "lost" in effect ? UNKNOWN : effect.passing;
    }
    await recordAnswer(tx, name, "answered" in effect ? effect.answered : effect.unanswered);
    return "answered" in effect ? effect.answered : UNKNOWN;
  });
}

/**
 * Inquires about a call by its key: returns its stored answer, or that it never arrived. In the latter case the call
 * has no effect if it arrives afterwards. `method` is the inquiry's method.
 */
export async function inquire<Answer>(
  { db, memory }: SandboxDependencies,
  sandboxCall: Omit<SandboxCall<Answer>, "input"> & { readonly method: string },
): Promise<Answer | Unknown | NotFound> {
  const { party, call, method } = sandboxCall;
  const fault = await takeFault(db, { providerId: call.providerId, party, method });
  if (fault !== null && fault !== "twice") return UNKNOWN;
  const name = nameOf(sandboxCall);
  await forgetOldCall(db, name, call.at, memory);
  let known = await findCall(db, name);
  if (known === undefined) {
    await missCall(db, name, call.at);
    // A call that arrived in between has taken effect.
    known = await findCall(db, name);
  }
  if (known === undefined) return { outcome: "not_found" };
  return isAnswered(known, call.at, memory) ? sandboxCall.answer.parse(known.answer) : UNKNOWN;
}

async function forgetOldCall(db: Database, name: CallName, at: Date, memory: PartyMemory = {}): Promise<void> {
  const { keysMs } = memory;
  const known = keysMs === undefined ? undefined : await findCall(db, name);
  if (known !== undefined && isOlder(known, at, keysMs)) await forgetCall(db, name);
}

function isAnswered(known: KnownCall, at: Date, { answersMs }: PartyMemory = {}): boolean {
  return at >= known.answerFrom && !isOlder(known, at, answersMs);
}

function isOlder({ calledAt }: KnownCall, at: Date, limitMs: number | undefined): boolean {
  return limitMs !== undefined && at.getTime() - calledAt.getTime() >= limitMs;
}

/** Reads a gateway's list. Throws `GatewayUnavailable` if the tenant requested a fault for it. */
export async function readListed<List>(
  { db }: Pick<SandboxDependencies, "db">,
  { party, method, providerId }: { party: FaultyGateway; method: string; providerId: string },
  read: () => Promise<List>,
): Promise<List> {
  const fault = await takeFault(db, { providerId, party, method });
  // Reading a list has no effect, so these faults behave like no answer.
  if (fault !== null && fault !== "twice") throw new GatewayUnavailable(`The sandbox's ${party} lists nothing now.`);
  return read();
}

function nameOf<Answer>({ party, operation, call }: Omit<SandboxCall<Answer>, "input">): CallName {
  return { providerId: call.providerId, party, operation, idempotencyKey: call.idempotencyKey };
}
