import type * as centers from "../contract/centers.ts";
import type * as expenseLists from "../contract/expense-lists.ts";
import type * as expenses from "../contract/expenses.ts";
import type * as onboarding from "../contract/onboarding.ts";
import type * as orders from "../contract/orders.ts";
import type * as events from "../contract/webhook-events.ts";
import type * as tokens from "../contract/widget-tokens.ts";

/*
 * The service's answers, as the client returns them: word for word. Values, kinds and fields newer than this client
 * pass through: refusing one would lose the answer to a completed call, such as an order's hash.
 */

/** The type of an answer. A list of words in it is open: newer words may appear. */
export type Open<T> = T extends string
  ? // True for a text that is no literal.
    Record<never, never> extends Record<T, 1>
    ? T
    : T | (string & {})
  : T extends number
    ? T
    : T extends object
      ? { [Name in keyof T]: Open<T[Name]> }
      : T;

export type Order = Open<orders.Order>;
export type Orders = Open<orders.Orders>;
export type OrderRefunds = Open<orders.OrderRefunds>;
export type RefundedOrder = Open<orders.RefundOrderResponse>;
export type MintedWidgetToken = Open<tokens.MintWidgetTokenResponse>;
export type SubmittedExpense = Open<expenses.ExpenseResponse>;
export type SubscriptionStatus = Open<onboarding.SubscriptionStatus>;
export type Subscription = Open<onboarding.SetSubscriptionResponse>;
export type UpsertedCenters = Open<centers.UpsertCentersResponse>;
export type RegisteredCenters = Open<centers.RegisteredCenters>;
export type StoredExpense = Open<expenseLists.StoredExpense>;
export type StoredExpenses = Open<expenseLists.StoredExpenses>;
export type Profile = Open<onboarding.Profile>;
export type WebhookEvent = Open<events.WebhookEvent>;
