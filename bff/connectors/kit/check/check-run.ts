import type * as z from "zod/mini";
import { withoutCardNumber } from "../../../src/contract/vocabulary/card-number.ts";
import { IDEMPOTENCY_HEADER } from "../../../src/gateways/connector/protocol.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import type { Probe, ProbeRequest, Reply } from "../probe.ts";
import type { Finding } from "./finding.ts";
import type { TestCard, TestValues } from "./test-values.ts";

/** The input of a call, as it is sent. */
export type Json = Readonly<Record<string, unknown>>;

/** The fields that a list must show under a key. */
export interface Effect {
  readonly amount: number;
  readonly kind?: string;
  /** The fields of the answer that a list must repeat unchanged if it has them. */
  readonly voucher?: Json;
}

/** One call or inquiry. */
export interface Asked {
  readonly path: string;
  readonly key: string;
  /** Default: now. */
  readonly at?: Date;
  /** Without it, the request is an inquiry. */
  readonly input?: unknown;
  /** Default: the provider of the run. */
  readonly providerId?: string;
}

export interface CheckDependencies {
  readonly probe: Probe;
  readonly token: string;
  readonly values: TestValues;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** The longest wait for the end of a return that takes time. */
  readonly returnWaitMs: number;
  /** Has a person enter a card on the processor's own page; null without a person. */
  readonly giveCard: ((url: string, card: TestCard) => Promise<void>) | null;
}

/** What the lists must show according to the answered calls. */
interface Expectations {
  expectInList(list: string, key: string, effect: Effect): void;
  expected(list: string): ReadonlyMap<string, Effect>;
  /** Lets the connector decide whether its lists show a key. */
  allowInLists(key: string): void;
  isAllowed(key: string): boolean;
}

/** Shared by the checks of one connector: sends requests, notes findings, and collects what the lists must show. */
export interface CheckRun extends CheckDependencies, Expectations {
  readonly providerId: string;
  readonly otherProviderId: string;
  readonly findings: readonly Finding[];
  /** Now, and later than any moment before. */
  moment(): Date;
  key(): string;
  order(): string;
  /** Sends a raw request, with the token unless the caller sets another. */
  sendRaw(asked: ProbeRequest): Promise<Reply>;
  ask(asked: Asked): Promise<Reply>;
  askAndHangUp(asked: Asked): Promise<void>;
  read(path: string, input: Json): Promise<Reply>;
  /** Notes a check. `fault` describes the actual answer; null if it is the expected one. */
  note(operation: string, check: string, expected: string, fault: string | null): void;
  noteNotChecked(operation: string, check: string, expected: string, reason: string): void;
  /** A reply in words, without secrets. */
  describe(reply: Reply): string;
  isOurs(item: Json): boolean;
  /** Checks that repeat inquiries at the end, when everything else has happened. */
  readonly later: (() => Promise<void>)[];
  /** Waits that run after those checks. */
  readonly atLast: (() => Promise<void>)[];
}

export function startRun(dependencies: CheckDependencies): CheckRun {
  const { probe, token, values, clock, ids } = dependencies;
  const findings: Finding[] = [];
  const replies: { readonly path: string; readonly reply: Reply }[] = [];
  const own = new Set<unknown>();
  const providerId = values.provider_id ?? ids.uuid();
  let last = 0;
  const moment = () => {
    last = Math.max(last + 1, clock.now().getTime());
    return new Date(last);
  };
  const made = () => {
    const id = ids.uuid();
    own.add(id);
    return id;
  };
  const secrets = secretsOf(values, token);
  const sendRaw = async (asked: ProbeRequest) => {
    const reply = await probe.send(asked);
    replies.push({ path: asked.path, reply });
    noteReply(run, asked.path, reply, secrets);
    return reply;
  };
  const requestOf = ({ path, key, at = moment(), input, providerId: as = providerId }: Asked): ProbeRequest => ({
    path,
    headers: { ...headersOf(token), [IDEMPOTENCY_HEADER]: key },
    body: JSON.stringify({ provider_id: as, at: at.toISOString(), ...(input === undefined ? {} : { input }) }),
  });
  const run: CheckRun = {
    ...dependencies,
    ...createExpectations(),
    providerId,
    otherProviderId: ids.uuid(),
    findings,
    later: [],
    atLast: [],
    moment,
    key: made,
    order: made,
    sendRaw,
    ask: (asked) => sendRaw(requestOf(asked)),
    askAndHangUp: (asked) => probe.sendAndHangUp(requestOf(asked)),
    read: (path, input) => sendRaw({ path, headers: headersOf(token), body: JSON.stringify(input) }),
    note(operation, check, expected, fault) {
      const result = fault === null ? "passed" : "failed";
      // A fault also quotes the earlier reply.
      const came = fault === null ? "as expected" : withoutSecrets(fault, secrets);
      findings.push({ operation, check, expected, came, result });
    },
    noteNotChecked(operation, check, expected, reason) {
      findings.push({ operation, check, expected, came: reason, result: "not_checked" });
    },
    describe: (reply) => withoutSecrets(describeReply(reply), secrets),
    // The provider is new, so nothing else happened for it.
    isOurs: (item) => values.provider_id === undefined || own.has(item.idempotencyKey) || own.has(item.orderHash),
  };
  return run;
}

function createExpectations(): Expectations {
  const lists = new Map<string, Map<string, Effect>>();
  const allowed = new Set<string>();
  return {
    expectInList(list, key, effect) {
      lists.set(list, (lists.get(list) ?? new Map<string, Effect>()).set(key, effect));
    },
    expected: (list) => lists.get(list) ?? new Map<string, Effect>(),
    allowInLists: (key) => void allowed.add(key),
    isAllowed: (key) => allowed.has(key),
  };
}

export function headersOf(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
}

/** The answer if it fits the protocol, otherwise a description of the reply. */
export function readAnswer<Answer>(
  run: Pick<CheckRun, "describe">,
  schema: z.ZodMiniType<Answer>,
  reply: Reply,
): { readonly answer: Answer } | { readonly fault: string } {
  if (reply.status !== 200) return { fault: run.describe(reply) };
  const read = schema.safeParse(reply.json);
  if (read.success) return { answer: read.data };
  const wrong = read.error.issues.map(({ path }) => (path.length === 0 ? "the whole" : path.join(".")));
  return { fault: `${run.describe(reply)} (not in the protocol: ${[...new Set(wrong)].join(", ")})` };
}

/** Null if the service would not accept the reply as an answer; for calls that must have none. */
export function faultOfAnswered(run: Pick<CheckRun, "describe">, reply: Reply): string | null {
  return reply.status === 200 ? run.describe(reply) : null;
}

const SHOWN_CHARACTERS_MAX = 200;

function describeReply({ status, text, failure }: Reply): string {
  if (failure === "closed") return "the connection closed without an answer";
  if (failure === "no end in time") return "no end of an answer within the time that the service waits";
  if (failure === "too long") return "a longer answer than the service reads";
  const shown = text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
  return `status ${status} ${shown}`.trim();
}

/** The values that no answer may contain, whatever was sent. */
function secretsOf({ insurer_password, ...values }: TestValues, token: string): string[] {
  const { card, declined_card, challenge_card, pending_return_card } = values;
  const numbers = [card, declined_card, challenge_card, pending_return_card].flatMap((each) =>
    each === null ? [] : [each.number],
  );
  return [...numbers, insurer_password, token];
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutCardNumber(secrets.reduce((shown, secret) => shown.replaceAll(secret, "•••"), text));
}

/** Rules for every answer, to valid and invalid requests; only violations are noted. */
function noteReply(run: CheckRun, path: string, reply: Reply, secrets: readonly string[]): void {
  const shown = `${reply.headers} ${reply.text}`;
  const bare = shown.replaceAll(/(?<=\d)[ -](?=\d)/g, "");
  if (secrets.some((secret) => shown.includes(secret) || bare.includes(secret)))
    run.note(path, "no-secrets", NO_SECRETS, run.describe(reply));
  if (reply.failure === "no end in time" || reply.failure === "too long")
    run.note(path, "in-time", IN_TIME, run.describe(reply));
}

export const NO_SECRETS = "no answer holds a card's number, a password or the token, in whatever was sent";
export const IN_TIME = "every answer ends within the time and the length that the service waits for";
