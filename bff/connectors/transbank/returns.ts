import * as z from "zod/mini";
import { clpSchema } from "../../src/contract/vocabulary/clp.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { CardProcessor, ReturnOutcome } from "../../src/gateways/card-processor.ts";
import { momentSchema } from "../../src/gateways/connector/protocol.ts";
import type { GatewayCall, NotFound, Unknown } from "../../src/gateways/gateway-call.ts";
import { returnSchema } from "../../src/gateways/protocols/card-processor.ts";
import type { Transaction } from "../../src/platform/database/transaction.ts";
import { type Decision, type KeptOperation, NOT_FOUND, UNKNOWN } from "../kit/kept-calls.ts";
import { returnIdOf } from "./buy-order.ts";
import { type Charge, findCharge, insertReturn, isDisputed, lockRefunds, sumReturned } from "./charge-store.ts";
import { balanceOf, isOver, isRecent, type Oneclick, readCode, readDetail } from "./oneclick.ts";

type Definite = Exclude<ReturnOutcome, Unknown>;
type ReturnInput = Parameters<CardProcessor["returnCharge"]>[1];

const planSchema = z.object({
  returnId: z.string(),
  chargeId: z.string(),
  shopCode: z.string(),
  shopBuyOrder: z.string(),
  amount: clpSchema,
  /** The charge's balance before this refund. The balance afterwards shows whether the refund was made. */
  balanceBefore: z.int(),
  chargedAt: z.string(),
});
type Plan = z.output<typeof planSchema>;

export type ReturnOperation = KeptOperation<Definite, Plan>;

const CREDIT_WITHOUT_INSTALMENTS = "VN";

/** A refund. Transbank has no key for it: the balance of the charge says whether it was made. */
export function returnOperation(oneclick: Oneclick): ReturnOperation {
  const { api, logger } = oneclick;

  /** `not_found`: Transbank shows the charge as it was before. */
  async function byBalance(plan: Plan): Promise<Definite | Unknown | NotFound> {
    if (!isRecent(oneclick, momentSchema.parse(plan.chargedAt))) return UNKNOWN;
    const balance = await readBalance(oneclick, { id: plan.chargeId, shopBuyOrder: plan.shopBuyOrder });
    if (balance === plan.balanceBefore - plan.amount) return returnedOf(plan, undefined);
    return balance === plan.balanceBefore ? NOT_FOUND : UNKNOWN;
  }

  return {
    operation: "return",
    outcome: returnSchema,
    plan: planSchema,
    async send(plan) {
      const reply = await api.refund(plan.chargeId, plan);
      if (reply.is === "answer") {
        const { type, response_code: code, nullified_amount: nullified, authorization_code } = reply.answer;
        if (type === "REVERSED") return byBalanceOr(plan, () => byBalance(plan));
        if ((code ?? 0) === 0 && nullified === plan.amount) return returnedOf(plan, readCode(authorization_code));
      } else logger.error("transbank.refund_refused", { status: reply.status });
      const found = await byBalance(plan);
      if (found.outcome !== "not_found") return found;
      const reason = reply.is === "refused" ? refusalIn(reply.text) : undefined;
      return { outcome: "refused", ...(reason !== undefined && { reason }) };
    },
    async recover(plan, begunAt) {
      const found = await byBalance(plan);
      return found.outcome === "not_found" && !isOver(oneclick, begunAt) ? UNKNOWN : found;
    },
    async settle(tx, call, { plan, outcome }) {
      if (outcome.outcome !== "returned") return;
      await insertReturn(tx, {
        id: plan.returnId,
        chargeId: plan.chargeId,
        providerId: call.providerId,
        idempotencyKey: call.idempotencyKey,
        amount: plan.amount,
        authorisationCode: outcome.authorisationCode ?? null,
        at: call.at,
      });
    },
  };
}

/** A reversal gives the whole charge back, and names no amount. */
async function byBalanceOr(plan: Plan, ask: () => Promise<Definite | Unknown | NotFound>): Promise<Definite | Unknown> {
  if (plan.amount === plan.balanceBefore) return returnedOf(plan, undefined);
  const found = await ask();
  return found.outcome === "not_found" ? UNKNOWN : found;
}

function returnedOf(
  { returnId, amount, chargeId, shopCode }: Pick<Plan, "returnId" | "amount" | "chargeId" | "shopCode">,
  authorisationCode: string | undefined,
): Extract<Definite, { readonly outcome: "returned" }> {
  const voucher = {
    buyOrder: chargeId,
    storeCode: shopCode,
    ...(authorisationCode !== undefined && { authorisationCode }),
  };
  return { outcome: "returned", returnId, amount, ...voucher };
}

/** Transbank may change these texts, so they only determine the reason of a refusal, never whether it is one. */
function refusalIn(text: string): "too_old" | "disputed" | undefined {
  if (/chargeback|contracargo|dispute/i.test(text)) return "disputed";
  return /max(imum)? time|too old|expired|plazo/i.test(text) ? "too_old" : undefined;
}

/** The balance of a charge at Transbank; null if it does not report it. */
async function readBalance(
  oneclick: Oneclick,
  { id, shopBuyOrder }: Pick<Charge, "id" | "shopBuyOrder">,
): Promise<number | null> {
  const answer = await readDetail(oneclick, id, shopBuyOrder);
  return answer.is === "known" ? balanceOf(answer.detail) : null;
}

export async function returnCharge(
  oneclick: Oneclick,
  operation: ReturnOperation,
  call: GatewayCall,
  input: ReturnInput,
): Promise<ReturnOutcome> {
  const { providerId } = call;
  const { chargeId, orderHash } = input;
  const charge = await findCharge(oneclick.db, { chargeId, providerId, orderHash });
  const shown = charge === undefined ? null : await shownBalance(oneclick, charge);
  return oneclick.calls.perform(operation, call, input, (tx) => decide(oneclick, tx, { call, input, charge, shown }));
}

/** `unreadable`: Transbank did not answer. Null if it does not answer about charges of this age. */
async function shownBalance(oneclick: Oneclick, charge: Charge): Promise<number | null | "unreadable"> {
  if (!isRecent(oneclick, charge.chargedAt)) return null;
  try {
    return (await readBalance(oneclick, charge)) ?? "unreadable";
  } catch {
    return "unreadable";
  }
}

async function decide(
  { clock, terms }: Oneclick,
  tx: Transaction,
  {
    call,
    input,
    charge,
    shown,
  }: {
    readonly call: GatewayCall;
    readonly input: ReturnInput;
    readonly charge: Charge | undefined;
    readonly shown: number | null | "unreadable";
  },
): Promise<Decision<Definite, Plan>> {
  if (charge === undefined) return { answer: { outcome: "refused" } };
  if (await lockRefunds(tx, charge.id)) return { later: true };
  if (await isDisputed(tx, charge.id)) return { answer: { outcome: "refused", reason: "disputed" } };
  const age = clock.now().getTime() - charge.chargedAt.getTime();
  if (age > terms.refundDays * DAY_MS) return { answer: { outcome: "refused", reason: "too_old" } };
  const left = charge.amount - (await sumReturned(tx, charge.id));
  if (input.amount > left || !mayReturn(charge, input.amount)) return { answer: { outcome: "refused" } };
  // More than these records say: read before another refund was stored.
  if (shown === "unreadable" || (shown !== null && shown > left)) return { later: true };
  if (shown !== null && input.amount > shown) return { answer: { outcome: "refused" } };
  const { id: chargeId, shopCode, shopBuyOrder, chargedAt } = charge;
  const plan = { chargeId, shopCode, shopBuyOrder, amount: input.amount, chargedAt: chargedAt.toISOString() };
  return { send: { ...plan, returnId: returnIdOf(call), balanceBefore: shown ?? left } };
}

/** Parts are given back of credit cards without instalments only. */
function mayReturn({ paymentType, amount }: Charge, asked: number): boolean {
  return paymentType === null || paymentType === CREDIT_WITHOUT_INSTALMENTS || asked === amount;
}

/** An operator's finding in the portal about a refund with an unknown outcome. */
export function returnReadInPortal(
  plan: Plan,
  { wasDone, authorisationCode }: { readonly wasDone: boolean; readonly authorisationCode?: string | undefined },
): Definite {
  return wasDone ? returnedOf(plan, readCode(authorisationCode)) : { outcome: "refused" };
}
