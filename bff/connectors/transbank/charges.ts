import * as z from "zod/mini";
import { clpSchema } from "../../src/contract/vocabulary/clp.ts";
import { orderHashSchema } from "../../src/contract/vocabulary/identifiers.ts";
import type { CardProcessor, ChargeOutcome } from "../../src/gateways/card-processor.ts";
import type { GatewayCall, NotFound, Unknown } from "../../src/gateways/gateway-call.ts";
import { chargeSchema } from "../../src/gateways/protocols/card-processor.ts";
import { type Decision, type KeptOperation, NOT_FOUND, UNKNOWN } from "../kit/kept-calls.ts";
import { buyOrdersOf } from "./buy-order.ts";
import { findCard, findUser, updateUser } from "./card-store.ts";
import { insertCharge } from "./charge-store.ts";
import { declineOf } from "./decline.ts";
import { isOver, isRecent, type Oneclick, readCode, readDetail, wasCaptured } from "./oneclick.ts";
import type { Detail } from "./oneclick-api.ts";

type Definite = Exclude<ChargeOutcome, Unknown>;
type ChargeInput = Parameters<CardProcessor["charge"]>[1];

const planSchema = z.object({
  userId: z.string(),
  orderHash: orderHashSchema,
  amount: clpSchema,
  shopCode: z.string(),
  buyOrder: z.string(),
  shopBuyOrder: z.string(),
});
type Plan = z.output<typeof planSchema>;

/** The protocol's answer, and Transbank's payment type, which decides on refunds. */
const storedSchema = z.object({ answer: chargeSchema, paymentType: z.nullable(z.string()) });
type Stored = z.output<typeof storedSchema>;

export type ChargeOperation = KeptOperation<Stored, Plan>;

const DECLINED: Stored = { answer: { outcome: "declined", reason: "declined", hard: false }, paymentType: null };
const UNKNOWN_CARD: Stored = { answer: { outcome: "declined", reason: "declined", hard: true }, paymentType: null };
const ABOVE_LIMIT: Stored = {
  answer: { outcome: "declined", reason: "declined", limit: "amount", hard: false },
  paymentType: null,
};

/** A charge of an enrolled card. Its key always has the same buy order. */
export function chargeOperation(oneclick: Oneclick): ChargeOperation {
  const { api, clock, db, logger } = oneclick;
  return {
    operation: "charge",
    outcome: storedSchema,
    plan: planSchema,
    async send(plan) {
      const user = await findUser(db, plan.userId);
      if (user === undefined) return UNKNOWN;
      const { username, tbkUser } = user;
      const reply = await api.authorize({ username, tbkUser, ...plan });
      if (reply.is === "answer") {
        const detail = reply.answer.details.find(({ buy_order }) => buy_order === plan.shopBuyOrder);
        return detail === undefined ? UNKNOWN : outcomeOf(oneclick, detail, plan);
      }
      logger.error("transbank.charge_refused", { status: reply.status });
      const found = await readOutcome(oneclick, plan);
      // Transbank answered that it did nothing, and knows no such order.
      return isNotFound(found) ? DECLINED : found;
    },
    async recover(plan, begunAt) {
      if (!isRecent(oneclick, begunAt)) return UNKNOWN;
      const found = await readOutcome(oneclick, plan);
      return isNotFound(found) && !isOver(oneclick, begunAt) ? UNKNOWN : found;
    },
    async isNew(call) {
      const { mall, shop } = buyOrdersOf(call);
      const answer = await readDetail(oneclick, mall, shop);
      // The database was restored, and lacks a charge that was made.
      if (answer.is === "known") logger.error("transbank.charge_not_recorded", { call: call.idempotencyKey });
      return answer.is === "not_known";
    },
    async settle(tx, call, { plan, outcome: { answer, paymentType } }) {
      if (answer.outcome !== "captured") return;
      await insertCharge(tx, {
        ...call,
        ...plan,
        id: plan.buyOrder,
        authorisationCode: answer.authorisationCode ?? null,
        paymentType,
        chargedAt: clock.now(),
      });
      // Only a charge reveals the kind of card with certainty.
      const kind = paymentType === "VD" ? "debit" : paymentType === "VP" ? "prepaid" : undefined;
      if (kind !== undefined) await updateUser(tx, plan.userId, { kind });
    },
  };
}

function isNotFound(found: Stored | Unknown | NotFound): found is NotFound {
  return "outcome" in found && found.outcome === "not_found";
}

async function readOutcome(oneclick: Oneclick, plan: Plan): Promise<Stored | Unknown | NotFound> {
  const answer = await readDetail(oneclick, plan.buyOrder, plan.shopBuyOrder);
  if (answer.is === "known") return outcomeOf(oneclick, answer.detail, plan);
  return answer.is === "not_known" ? NOT_FOUND : UNKNOWN;
}

function outcomeOf({ terms }: Oneclick, detail: Detail, plan: Plan): Stored | Unknown {
  const { amount, commerce_code, status } = detail;
  const code = detail.response_code ?? null;
  if (wasCaptured(detail)) {
    if (amount !== plan.amount || commerce_code !== plan.shopCode) return UNKNOWN;
    return { answer: capturedOf(plan, detail), paymentType: detail.payment_type_code ?? null };
  }
  // `INITIALIZED` has no end yet; approved in another state contradicts itself.
  if (status === "INITIALIZED" || code === 0) return UNKNOWN;
  return { answer: declineOf({ code, status }, terms.codeLevel), paymentType: null };
}

function capturedOf(
  { amount, buyOrder, shopCode }: Pick<Plan, "amount" | "buyOrder" | "shopCode">,
  detail: Pick<Detail, "authorization_code" | "installments_number">,
): Definite {
  const authorisationCode = readCode(detail.authorization_code);
  const instalments = detail.installments_number ?? -1;
  return {
    outcome: "captured",
    chargeId: buyOrder,
    amount,
    buyOrder,
    storeCode: shopCode,
    ...(authorisationCode !== undefined && { authorisationCode }),
    ...(instalments >= 0 && instalments <= 99 && { instalments }),
  };
}

/** An operator's finding in the portal about a charge with an unknown outcome. */
export function chargeReadInPortal(
  plan: Plan,
  { wasDone, authorisationCode }: { readonly wasDone: boolean; readonly authorisationCode?: string | undefined },
): Stored {
  if (!wasDone) return DECLINED;
  return { answer: capturedOf(plan, { authorization_code: authorisationCode }), paymentType: null };
}

export async function charge(
  { calls, terms }: Oneclick,
  operation: ChargeOperation,
  call: GatewayCall,
  input: ChargeInput,
): Promise<ChargeOutcome> {
  const done = await calls.perform(operation, call, input, async (tx): Promise<Decision<Stored, Plan>> => {
    const { cardId, orderHash, amount } = input;
    const user = await findCard(tx, { providerId: call.providerId, cardId, orderHash });
    if (user === undefined) return { answer: UNKNOWN_CARD };
    if (amount > (terms.limits.perCharge ?? amount)) return { answer: ABOVE_LIMIT };
    const { mall: buyOrder, shop: shopBuyOrder } = buyOrdersOf(call);
    return { send: { userId: user.id, orderHash, amount, shopCode: terms.shopCode, buyOrder, shopBuyOrder } };
  });
  return "answer" in done ? done.answer : done;
}

export async function inquireCharge(
  { calls }: Oneclick,
  operation: ChargeOperation,
  call: GatewayCall,
): Promise<ChargeOutcome | NotFound> {
  const known = await calls.inquire(operation, call);
  return "answer" in known ? known.answer : known;
}
