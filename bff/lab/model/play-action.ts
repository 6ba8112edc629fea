import { answerChallenge } from "../../sandbox/card-processor/challenge.ts";
import { chargeBack } from "../../sandbox/charge-back.ts";
import { exceptionId } from "../../src/back-office/exceptions/exception.ts";
import { takesResolution } from "../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../src/back-office/exceptions/resolve-exception.ts";
import { exceptionsOfOrder } from "../../src/back-office/list-exceptions.ts";
import { CHARGE_TIMER, DAILY_TIMER, DEADLINE_TIMER } from "../../src/collection/collection-timers.ts";
import { pullTrigger } from "../../src/collection/pull-trigger.ts";
import { EXPIRE_ORDER_TIMER } from "../../src/orders/expire-order.ts";
import { SETTLE_PAYMENT_TIMER } from "../../src/orders/payments/run-payment.ts";
import { SETTLE_REFUND_TIMER } from "../../src/orders/refunds/run-refund.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { seededIds } from "../../src/platform/ids.ts";
import type { HeldCall } from "./held-calls.ts";
import { howOf, isInquiryLost, type ModelStep } from "./model-state.ts";
import {
  addCard,
  asPartner,
  fire,
  killProcess,
  passTime,
  pay,
  type Replayed,
  type ReplayWorld,
} from "./replay-world.ts";

/** What an order's attempts, refunds and charges are called, by which the calls about them are told apart. */
export interface Names {
  readonly attempt: string | null;
  readonly refunds: readonly string[];
  readonly movements: readonly (readonly string[])[];
  readonly challenge: string | null;
  readonly collectionDueAt: Date | null;
}

const NAMES = `select
  (select id from order_payments where order_id = $1 and kind = 'first' order by number desc limit 1) as attempt,
  (select challenge_url from payment_attempts where order_id = $1 and state = 'challenged') as challenge,
  (select coalesce(jsonb_agg(id order by number), '[]') from order_refunds where order_id = $1) as refunds,
  (select coalesce(jsonb_agg((select coalesce(jsonb_agg(m.id), '[]') from refund_movements m where m.refund_id = r.id)
    order by number), '[]') from order_refunds r where order_id = $1) as movements,
  (select due_at from collections where order_id = $1) as "collectionDueAt"`;

export async function readNames({ world }: ReplayWorld, { orderId }: Replayed): Promise<Names> {
  return world.database.withSession(async (session) => {
    const { rows }: { rows: readonly Names[] } = await session.query(NAMES, [orderId]);
    const [names] = rows;
    if (names === undefined) throw new Error("A statement without a table answers one row.");
    return names;
  });
}

/** What of a refused request is said to its caller; "" if it was taken. */
export type Answer = string;

/** Plays one step of a trace in the service. */
export async function playAction(replay: ReplayWorld, replayed: Replayed, step: ModelStep): Promise<Answer> {
  const { world } = replay;
  const { action, picks } = step;
  switch (action) {
    case "addCard":
      await addCard(world, replayed, String(picks.card));
      return "";
    case "pay":
      void pay(replayed);
      return "";
    case "press":
      return press(replay, replayed, String(picks.pressed));
    case "cancel":
      return codeOf(asPartner(replayed, "POST", "/cancel"));
    case "refund":
      return refund(replay, replayed, Number(picks.asked));
    case "trigger":
      return trigger(replay, replayed, String(picks.reason));
    case "chargeBack":
      return chargeBackLatest(replay, replayed, step.state.chargebacks.length);
    case "release":
      return operate(replay, replayed, action);
    case "writeOff":
      return operate(replay, replayed, "write_off");
    case "die":
      await killProcess(replay, replayed);
      return "";
    default:
      return playCallOrTimer(replay, replayed, step);
  }
}

async function playCallOrTimer(replay: ReplayWorld, replayed: Replayed, step: ModelStep): Promise<Answer> {
  const names = await readNames(replay, replayed);
  const refund = Number(step.picks.i);
  const ofPayment = (key: string) =>
    names.attempt !== null && key.startsWith(names.attempt) && !key.endsWith(":refund");
  const ofRefund = (key: string) => names.movements[refund]?.some((id) => key.startsWith(id)) === true;
  const ofCollection = (key: string) => key.endsWith(":collection");
  switch (step.action) {
    case "paymentCalls":
      return playCall(replay, replayed, ofPayment, step);
    case "refundCalls":
      return playCall(replay, replayed, ofRefund, step);
    case "collectionCalls":
      return playCall(replay, replayed, ofCollection, step);
    case "paymentInquires":
      return playInquiry(replay, ofPayment, step);
    case "refundInquires":
      return playInquiry(replay, ofRefund, step);
    case "collectionInquires":
      return playInquiry(replay, ofCollection, step);
    default:
      return playTimer(replay, replayed, { action: step.action, refund, names });
  }
}

/** A review by the lender takes less. */
const REVIEW_MS = 25_000;
const MINUTE_MS = 60_000;

async function playTimer(
  replay: ReplayWorld,
  { orderId, partner }: Replayed,
  { action, refund, names }: { readonly action: string; readonly refund: number; readonly names: Names },
): Promise<Answer> {
  const { world } = replay;
  switch (action) {
    case "paymentTimer":
      passTime(world, REVIEW_MS);
      await fire(replay, { kind: SETTLE_PAYMENT_TIMER, key: names.attempt ?? "" });
      return "";
    case "refundTimer":
      passTime(world, REVIEW_MS);
      await fire(replay, { kind: SETTLE_REFUND_TIMER, key: names.refunds[refund] ?? "" });
      return "";
    case "expire":
      await fire(replay, { kind: EXPIRE_ORDER_TIMER, key: orderId });
      return "";
    case "noteChargebacks":
      passTime(world, MINUTE_MS);
      await fire(replay, { kind: DAILY_TIMER, key: partner.provider.id });
      return "";
    case "chargeTimer":
      passTo(replay, names.collectionDueAt);
      await fire(replay, { kind: CHARGE_TIMER, key: orderId });
      return "";
    default:
      throw new Error(`The model has an action that no replay knows: ${action}.`);
  }
}

/** Charges are made between nine in the morning and midnight in Chile, whatever the season. */
const DAY_BEGINS_UTC = 14;
const DAY_ENDS_UTC = 23;

/** To a moment that has come and is in the hours in which cards are charged. */
function passTo({ world }: ReplayWorld, due: Date | null): void {
  const { clock } = world.stage;
  const now = clock.now().getTime() + MINUTE_MS;
  const at = new Date(due === null ? now : Math.max(now, due.getTime()));
  const hour = at.getUTCHours();
  if (hour >= DAY_ENDS_UTC) at.setUTCDate(at.getUTCDate() + 1);
  if (hour < DAY_BEGINS_UTC || hour >= DAY_ENDS_UTC) at.setUTCHours(DAY_BEGINS_UTC, 0, 0, 0);
  clock.set(at);
}

async function playCall(
  replay: ReplayWorld,
  replayed: Replayed,
  matches: (key: string) => boolean,
  step: ModelStep,
): Promise<Answer> {
  const call = requireCall(replay, matches, false);
  switch (howOf(step)) {
    case "twice":
      call.answer(2);
      return "";
    case "lost_before":
      call.lose(false);
      return "";
    case "lost_after":
      call.lose(true);
      return "";
    case "dies_after":
      await call.arriveUnheard();
      await killProcess(replay, replayed);
      return "";
    default:
      call.answer();
      return "";
  }
}

async function playInquiry(replay: ReplayWorld, matches: (key: string) => boolean, step: ModelStep): Promise<Answer> {
  const call = requireCall(replay, matches, true);
  if (isInquiryLost(step)) call.lose(false);
  else call.answer();
  return "";
}

/** Thrown when the service does not make the call that the model makes. */
export class CallMissing extends Error {
  override readonly name = "CallMissing";
}

function requireCall({ calls }: ReplayWorld, matches: (key: string) => boolean, isInquiry: boolean): HeldCall {
  const call = calls.find(matches);
  if (call?.isInquiry !== isInquiry) {
    const made = calls.all().map((one) => `${one.isInquiry ? "inquires" : "calls"} ${one.key}`);
    throw new CallMissing(
      `The model ${isInquiry ? "inquires" : "calls"}; the service: ${made.join(", ") || "nothing"}.`,
    );
  }
  return call;
}

async function press({ world, ...rest }: ReplayWorld, replayed: Replayed, how: string): Promise<Answer> {
  const { challenge } = await readNames({ world, ...rest }, replayed);
  const { database, stage } = world;
  const id = challenge?.split("/").at(-1) ?? "";
  const choice = how === "approve" ? "approve" : "reject";
  await stage.busy(() => answerChallenge({ db: database.db, clock: stage.clock }, id, choice));
  return "";
}

/** The code of a refusal, of an answer that no held call delays. */
async function codeOf(
  asked: Promise<{ readonly status: number; readonly body: { code?: string } } | null>,
): Promise<Answer> {
  const answer = await asked;
  return answer === null || answer.status < 400 ? "" : `${answer.body.code}`;
}

async function refund({ world }: ReplayWorld, replayed: Replayed, asked: number): Promise<Answer> {
  let code: Answer = "";
  const request = asPartner(replayed, "PUT", "/refund", asked === 0 ? {} : { amount: asked });
  void codeOf(request).then((told) => {
    code = told;
  });
  await world.stage.quiet();
  return code;
}

async function trigger(replay: ReplayWorld, replayed: Replayed, reason: string): Promise<Answer> {
  const { world } = replay;
  const { orderId, partner } = replayed;
  if (reason === "day_45") {
    const { collectionDueAt } = await readNames(replay, replayed);
    passTo(replay, collectionDueAt);
    await fire(replay, { kind: DEADLINE_TIMER, key: orderId });
    return "";
  }
  const key = { providerId: partner.provider.id, orderId };
  const at = world.stage.clock.now();
  await world.stage.busy(() =>
    inTransaction(world.database.db, (tx) => pullTrigger(tx, key, { reason: "approved", at, evidence: {} })),
  );
  return "";
}

/** `number`: which chargeback of the order it is; two may come at one moment. */
async function chargeBackLatest(
  { world }: ReplayWorld,
  { orderId, partner }: Replayed,
  number: number,
): Promise<Answer> {
  const { database, stage } = world;
  const at = stage.clock.now();
  const ids = seededIds(`chargeback:${orderId}:${number}`);
  await stage.busy(() =>
    chargeBack({ db: database.db, ids }, { providerId: partner.provider.id, orderHash: orderId, at }),
  );
  return "";
}

type Resolution = "release" | "write_off";

/** An operator resolves the exception about the order that takes the resolution. */
async function operate(
  { world }: ReplayWorld,
  { orderId, partner, instance }: Replayed,
  resolution: Resolution,
): Promise<Answer> {
  let outcome = "there is no such exception";
  await instance().command(async (parts) => {
    const dependencies = { ...parts, environment: "staging" as const };
    const exceptions = await exceptionsOfOrder(dependencies, { providerId: partner.provider.id, orderId });
    const exception = exceptions.find((each) => takesResolution(each, resolution));
    if (exception === undefined) return;
    const ask = (actor: string) =>
      resolveException(dependencies, exceptionId(exception), { resolution, actor, note: "as the list says" });
    const { isDone } = await ask("operator:first");
    if (!isDone) await ask("operator:second");
    outcome = "";
  });
  await world.stage.quiet();
  return outcome;
}
