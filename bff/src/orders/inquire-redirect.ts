import type { ReadReturnResponse } from "../contract/redirects.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { type CardRegistration, isRegistration } from "./card-attempt.ts";
import { type CardPageDependencies, inquirePage } from "./open-card-page.ts";
import { findOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { requireFound } from "./order-store.ts";
import { inquirePayment, type PayOrderDependencies } from "./pay-order.ts";
import { firstInstalmentOf, type PaymentAttempt, waitsFor } from "./payments/payment-attempt.ts";
import type { Redirect } from "./redirect.ts";
import { findCardAttempt } from "./run-card-attempt.ts";

/** The result that a returning patient sees. */
export type RedirectState = Pick<ReadReturnResponse, "status"> &
  Partial<Pick<ReadReturnResponse, "waits_for" | "amount" | "first_instalment">>;

export interface InquiredRedirect {
  readonly state: RedirectState;
  /** When the patient was redirected, in the provider's time. */
  readonly startedAt: Date;
}

export interface InquiredOrder {
  readonly provider: Provider;
  readonly order: OrderRecord;
}

/**
 * The state of the payment or card that a returning patient was redirected for. Inquires at the processor, as the
 * checkout does, but never starts anything. Null if there is no such attempt.
 */
export async function inquireOrderRedirect(
  dependencies: PayOrderDependencies & CardPageDependencies,
  { provider, order }: InquiredOrder,
  { kind, attemptId }: Redirect & { readonly kind: "payment" | "card" },
): Promise<InquiredRedirect | null> {
  const { db } = dependencies;
  if (kind === "payment") {
    const attempt = await inquirePayment(dependencies, { provider, order, attemptId });
    if (attempt === null) return null;
    return { state: paymentState(requireFound(await findOrder(db, order)), attempt), startedAt: attempt.startedAt };
  }
  const page = await findCardAttempt(db, order, attemptId);
  if (page === null || !isRegistration(page)) return null;
  const registration = await inquirePage(dependencies, provider, page);
  return { state: cardState(requireFound(await findOrder(db, order)), registration), startedAt: page.startedAt };
}

/** The result of an inquiry; null if an operator has switched charges off. */
export async function unlessSwitchedOff<Answer>(inquiry: Promise<Answer>): Promise<Answer | null> {
  try {
    return await inquiry;
  } catch (error) {
    if (error instanceof ApiError && error.code === "service_unavailable") return null;
    throw error;
  }
}

/** The order decides, because a later attempt may have paid after this one was declined. */
function paymentState(order: OrderRecord, attempt: PaymentAttempt): RedirectState {
  switch (order.state) {
    case "awaiting_payment":
      return { status: "declined" };
    case "paying":
    case "first_captured":
      return { status: "processing", waits_for: waitsFor(attempt.state) ?? "bank" };
    default:
      return endedState(order, order.state);
  }
}

function cardState(order: OrderRecord, { state }: CardRegistration): RedirectState {
  switch (order.state) {
    case "awaiting_payment":
      if (state === "calling") return { status: "processing", waits_for: "bank" };
      if (state === "at_page") return { status: "processing", waits_for: "patient" };
      return { status: state === "succeeded" && order.card !== null ? "card_added" : "declined" };
    case "paying":
    case "first_captured":
      return { status: "processing", waits_for: "bank" };
    default:
      return endedState(order, order.state);
  }
}

type EndedOrderState = Exclude<OrderRecord["state"], "awaiting_payment" | "paying" | "first_captured">;

function endedState({ first, payments }: OrderRecord, state: EndedOrderState): RedirectState {
  switch (state) {
    case "paid":
    case "partially_refunded":
      return { status: "paid", amount: first };
    case "refunded":
      return { status: "refunded" };
    case "cancelled":
    case "expired":
      return { status: "closed" };
    case "payment_failed":
    case "credit_refused":
      return { status: "refused", first_instalment: firstInstalmentOf(payments.at(-1)) };
  }
}
