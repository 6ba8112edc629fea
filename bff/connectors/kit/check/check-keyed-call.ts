import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { IDEMPOTENCY_HEADER, notFoundSchema } from "../../../src/gateways/connector/protocol.ts";
import type { Reply } from "../probe.ts";
import { type CheckRun, type Effect, faultOfAnswered, headersOf, type Json, readAnswer } from "./check-run.ts";

/** An operation with effects, with the inputs and expectations of its checks. */
export interface KeyedCall<Outcome> {
  readonly operation: {
    readonly path: string;
    readonly input: z.ZodMiniType<unknown>;
    readonly outcome: z.ZodMiniType<Outcome>;
  };
  /** A valid input for a new effect each time. */
  readonly newInput: () => Promise<Json>;
  /** The same input with one difference; null if the protocol does not define its meaning. */
  readonly changed: ((input: Json) => Json) | null;
  readonly expected: string;
  readonly isExpected: (outcome: Outcome, input: Json) => boolean;
  /** Whether two answers are about the same effect, which may have progressed in between. Default: they are equal. */
  readonly isSame?: (one: Outcome, other: Outcome) => boolean;
  /** Some calls have no inquiry. */
  readonly hasInquiry: boolean;
  /** What the party's list must show for the call. */
  readonly effect?: {
    readonly list: string;
    readonly of: (outcome: Outcome, input: Json) => Effect | null;
    /** Whether the list may show it later. */
    readonly mayCome?: (outcome: Outcome) => boolean;
  };
}

export interface Done<Outcome> {
  readonly key: string;
  readonly input: Json;
  readonly outcome: Outcome;
}

/** Checks one operation against every rule of the protocol; null if not even a valid call was answered. */
export async function checkKeyedCall<Outcome>(run: CheckRun, call: KeyedCall<Outcome>): Promise<Done<Outcome> | null> {
  const done = await checkGoodCall(run, call);
  if (done === null) {
    run.noteNotChecked(call.operation.path, "everything else", "…", "no good call was answered as expected");
    return null;
  }
  await checkRepeats(run, call, done);
  await checkAtOnce(run, call);
  if (call.hasInquiry) {
    await checkInquiries(run, call, done);
    await checkNotFoundBinds(run, call);
    await checkLostAnswer(run, call);
  }
  await checkTokens(run, call);
  await checkMalformed(run, call);
  run.later.push(() => checkKept(run, call, done));
  return done;
}

/** Makes a valid call for a new effect, which the list must show from now on. */
export async function makeCall<Outcome>(
  run: CheckRun,
  call: KeyedCall<Outcome>,
): Promise<Done<Outcome> | { readonly fault: string }> {
  const { path, outcome: schema } = call.operation;
  const [key, input] = [run.key(), await call.newInput()];
  const read = readAnswer(run, schema, await run.ask({ path, key, input }));
  if ("fault" in read) return read;
  expectEffect(run, call, { key, input, outcome: read.answer });
  return { key, input, outcome: read.answer };
}

function expectEffect<Outcome>(run: CheckRun, { effect }: KeyedCall<Outcome>, { key, input, outcome }: Done<Outcome>) {
  const expected = effect?.of(outcome, input) ?? null;
  if (effect !== undefined && expected !== null) run.expectInList(effect.list, key, expected);
  if (effect?.mayCome?.(outcome) === true) run.allowInLists(key);
}

async function checkGoodCall<Outcome>(run: CheckRun, call: KeyedCall<Outcome>): Promise<Done<Outcome> | null> {
  const { path } = call.operation;
  const made = await makeCall(run, call);
  const fault = "fault" in made ? made.fault : faultOf(call, made);
  run.note(path, "good-call", call.expected, fault);
  return "fault" in made || fault !== null ? null : made;
}

function faultOf<Outcome>({ isExpected }: KeyedCall<Outcome>, { outcome, input }: Done<Outcome>): string | null {
  return isExpected(outcome, input) ? null : `status 200 ${JSON.stringify(outcome)}`;
}

function isSame<Outcome>(call: KeyedCall<Outcome>, one: Outcome, other: Outcome): boolean {
  return call.isSame?.(one, other) ?? isDeepStrictEqual(one, other);
}

/** The fault of a reply that differs from the earlier answer; null if they are equal. */
function faultOfOther<Outcome>(run: CheckRun, call: KeyedCall<Outcome>, reply: Reply, known: Outcome): string | null {
  const read = readAnswer(run, call.operation.outcome, reply);
  if ("fault" in read) return read.fault;
  return isSame(call, known, read.answer) ? null : `${run.describe(reply)}, after ${JSON.stringify(known)}`;
}

async function checkRepeats<Outcome>(run: CheckRun, call: KeyedCall<Outcome>, { key, input, outcome }: Done<Outcome>) {
  const { path } = call.operation;
  const repeated = await run.ask({ path, key, input });
  run.note(
    path,
    "repeated-key",
    "a repeat under the same key is answered as the first call was",
    faultOfOther(run, call, repeated, outcome),
  );
  if (call.changed === null) return;
  const other = await run.ask({ path, key, input: call.changed(input) });
  run.note(
    path,
    "key-with-another-input",
    "the same key with another input gets no answer",
    faultOfAnswered(run, other),
  );
}

const AT_ONCE = 4;

async function checkAtOnce<Outcome>(run: CheckRun, call: KeyedCall<Outcome>) {
  const { path, outcome: schema } = call.operation;
  const [key, input, at] = [run.key(), await call.newInput(), run.moment()];
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => run.ask({ path, key, input, at })));
  // A concurrent second call may get no answer, but afterwards there must be one.
  const settled = readAnswer(run, schema, await run.ask({ path, key, input }));
  if ("answer" in settled) expectEffect(run, call, { key, input, outcome: settled.answer });
  const answered = replies.filter(({ status }) => status === 200);
  const fault =
    "fault" in settled
      ? settled.fault
      : (answered.map((reply) => faultOfOther(run, call, reply, settled.answer)).find((each) => each !== null) ?? null);
  run.note(path, "same-key-at-once", "several calls under one key at once are one call, with one answer", fault);
}

async function checkInquiries<Outcome>(run: CheckRun, call: KeyedCall<Outcome>, { key, outcome }: Done<Outcome>) {
  const path = `${call.operation.path}/inquiry`;
  const known = await run.ask({ path, key });
  run.note(
    path,
    "known-key",
    "an inquiry tells the outcome of the call with its key",
    faultOfOther(run, call, known, outcome),
  );
  const unknown = readAnswer(run, notFoundSchema, await run.ask({ path, key: run.key() }));
  run.note(
    path,
    "unknown-key",
    `{"outcome":"not_found"} for a key that no call had`,
    "fault" in unknown ? unknown.fault : null,
  );
}

const LATE_MS = 60_000;

async function checkNotFoundBinds<Outcome>(run: CheckRun, call: KeyedCall<Outcome>) {
  const { path, outcome: schema } = call.operation;
  const [key, input, before] = [run.key(), await call.newInput(), new Date(run.moment().getTime() - LATE_MS)];
  await run.ask({ path: `${path}/inquiry`, key });
  const late = await run.ask({ path, key, input, at: before });
  const still = readAnswer(run, notFoundSchema, await run.ask({ path: `${path}/inquiry`, key }));
  run.note(
    path,
    "not-found-binds",
    "a call from before an inquiry that was answered not_found has no effect and gets no answer",
    faultOfAnswered(run, late) ?? ("fault" in still ? still.fault : null),
  );
  const again = readAnswer(run, schema, await run.ask({ path, key, input }));
  if ("answer" in again) expectEffect(run, call, { key, input, outcome: again.answer });
  run.note(
    path,
    "called-after-not-found",
    "after not_found the call may be made under its key as if new",
    "fault" in again ? again.fault : faultOf(call, { key, input, outcome: again.answer }),
  );
}

const INQUIRIES_MAX = 10;
const INQUIRY_PAUSE_MS = 500;

async function checkLostAnswer<Outcome>(run: CheckRun, call: KeyedCall<Outcome>) {
  const { path, outcome: schema } = call.operation;
  const [key, input] = [run.key(), await call.newInput()];
  await run.askAndHangUp({ path, key, input });
  const either = z.union([notFoundSchema, schema]);
  let reply = await run.ask({ path: `${path}/inquiry`, key });
  for (let inquiries = 1; reply.status !== 200 && inquiries < INQUIRIES_MAX; inquiries += 1) {
    await run.wait(INQUIRY_PAUSE_MS);
    reply = await run.ask({ path: `${path}/inquiry`, key });
  }
  const inquired = readAnswer(run, either, reply);
  run.note(
    path,
    "lost-answer",
    "inquiry returns the outcome of a call whose answer was lost, or not_found",
    "fault" in inquired ? inquired.fault : null,
  );
  // The inquiry's outcome is final: a repeat agrees with it, and the list has it once.
  const again = readAnswer(run, schema, await run.ask({ path, key, input }));
  if ("answer" in again) expectEffect(run, call, { key, input, outcome: again.answer });
  run.note(
    path,
    "repeat-after-lost-answer",
    "a repeat after a lost answer is answered, without a second effect",
    "fault" in again ? again.fault : faultOf(call, { key, input, outcome: again.answer }),
  );
}

async function checkTokens<Outcome>(run: CheckRun, call: KeyedCall<Outcome>) {
  const { path } = call.operation;
  const body = async (withInput: boolean) =>
    JSON.stringify({
      provider_id: run.providerId,
      at: run.moment().toISOString(),
      ...(withInput ? { input: await call.newInput() } : {}),
    });
  await checkTokensOf(run, path, () => body(true));
  if (call.hasInquiry) await checkTokensOf(run, `${path}/inquiry`, () => body(false));
}

/** A path must refuse every request without the token. */
export async function checkTokensOf(run: CheckRun, path: string, body: () => Promise<string>): Promise<void> {
  const { authorization: _right, ...bare } = headersOf(run.token);
  const wrong: Readonly<Record<string, Record<string, string>>> = {
    "no token": {},
    "a wrong token": { authorization: `Bearer ${run.ids.uuid()}` },
    "the beginning of the token": { authorization: `Bearer ${run.token.slice(0, -1)}` },
    "the token without Bearer": { authorization: run.token },
  };
  const faults: string[] = [];
  for (const [name, headers] of Object.entries(wrong)) {
    const sent = { ...bare, ...headers, [IDEMPOTENCY_HEADER]: run.key() };
    const reply = await run.sendRaw({ path, headers: sent, body: await body() });
    if (reply.status !== 401) faults.push(`with ${name}: ${run.describe(reply)}`);
  }
  run.note(path, "wrong-token", "status 401 without the token or with another", faults.join("; ") || null);
}

async function checkMalformed<Outcome>(run: CheckRun, call: KeyedCall<Outcome>) {
  const { path } = call.operation;
  const input = await call.newInput();
  const base = { provider_id: run.providerId, at: run.moment().toISOString() };
  const bodies: [name: string, body: string][] = [
    ["half of a body", JSON.stringify({ ...base, input }).slice(0, -2)],
    ["a list", "[]"],
    ["nothing", ""],
    ["no provider_id", JSON.stringify({ at: base.at, input })],
    ["no moment", JSON.stringify({ ...base, at: "yesterday", input })],
    ["no input", JSON.stringify(base)],
    ...badInputs(call, input).map(([name, bad]): [string, string] => [name, JSON.stringify({ ...base, input: bad })]),
    // Some connectors echo the request in an error.
    ["a card's number", JSON.stringify({ ...base, at: run.values.card.number, input: run.values.insurer_password })],
  ];
  const faults: string[] = [];
  const send = async (name: string, headers: Record<string, string>, body: string) => {
    const reply = await run.sendRaw({ path, headers: { ...headersOf(run.token), ...headers }, body });
    const { status } = reply;
    if (status === null || status < 400 || status > 499) faults.push(`${name}: ${run.describe(reply)}`);
  };
  for (const [name, body] of bodies) await send(name, { [IDEMPOTENCY_HEADER]: run.key() }, body);
  const good = JSON.stringify({ ...base, input });
  await send("no key", {}, good);
  await send("a key of 256 characters", { [IDEMPOTENCY_HEADER]: "k".repeat(256) }, good);
  run.note(path, "malformed-bodies", "a status from 400 to 499, and no effect", faults.join("; ") || null);
}

/** The input with one field missing or of another type, unless the protocol allows that. */
function badInputs<Outcome>({ operation }: KeyedCall<Outcome>, input: Json): [name: string, bad: Json][] {
  const variants = Object.entries(input).flatMap(([field, value]): [string, Json][] => {
    const { [field]: _left, ...without } = input;
    const typed: [string, unknown][] =
      typeof value === "number"
        ? [
            [`${field} as text`, String(value)],
            [`${field} with a fraction`, value + 0.5],
          ]
        : [[`${field} as a number`, 7]];
    return [
      [`no ${field}`, without],
      ...typed.map(([name, bad]): [string, Json] => [name, { ...input, [field]: bad }]),
    ];
  });
  return variants.filter(([, bad]) => !operation.input.safeParse(bad).success);
}

/** Runs after everything else: keys are never forgotten. */
async function checkKept<Outcome>(run: CheckRun, call: KeyedCall<Outcome>, { key, input, outcome }: Done<Outcome>) {
  const { path } = call.operation;
  const replies = [await run.ask({ path, key, input })];
  if (call.hasInquiry) replies.push(await run.ask({ path: `${path}/inquiry`, key }));
  const faults = replies.map((reply) => faultOfOther(run, call, reply, outcome)).filter((fault) => fault !== null);
  run.note(path, "key-kept", "at the end the first key is still known, with its outcome", faults[0] ?? null);
}
