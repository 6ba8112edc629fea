import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { settleCardPage } from "./card-pages/open-card-page.ts";
import { CARD_PAGE_TIMERS } from "./card-pages/run-registration.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { EXPIRE_ORDER_TIMER, expireOrder } from "./expire-order.ts";
import { SETTLE_PAYMENT_TIMER } from "./payments/run-payment.ts";
import { settlePayment } from "./payments/settle-payment.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { settleRefund } from "./refunds/settle-refund.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards/saved-cards.ts";
import { settleSavedCard } from "./saved-cards/settle-saved-card.ts";
import { issueDocuments } from "./tax-documents/issue-documents.ts";
import { ISSUE_DOCUMENT_TIMER } from "./tax-documents/owe-document.ts";

/**
 * Handlers for the timers of orders: payments and refunds with an unknown outcome, tax documents that
 * are due, saved cards, cards that are given on the processor's page, and unpaid orders that have expired.
 */
export function orderTimerHandlers(dependencies: OrdersDependencies): TimerHandlers {
  return {
    [SETTLE_PAYMENT_TIMER]: (timer, context) => settlePayment(dependencies, timer, context),
    [SETTLE_REFUND_TIMER]: (timer, context) => settleRefund(dependencies, timer, context),
    [ISSUE_DOCUMENT_TIMER]: (timer) => issueDocuments(dependencies, timer),
    [SETTLE_SAVED_CARD_TIMER]: (timer) => settleSavedCard(dependencies, timer),
    [CARD_PAGE_TIMERS.payment]: (timer) => settleCardPage(dependencies, timer),
    [EXPIRE_ORDER_TIMER]: (timer, context) => expireOrder(dependencies, timer, context),
  };
}
