/*
 * What a partner's back end on Node uses: the client, and the checks of what comes from us.
 */
// biome-ignore-start lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
export type { CreateOrderRequest, Order } from "../../../src/contract/orders.ts";
export type { WebhookEvent, WebhookEventKind } from "../../../src/contract/webhook-events.ts";
export { AapdError, AapdUnreachable } from "../../../src/partner-client/errors.ts";
export {
  type CallOptions,
  createPartnerClient,
  type Expense,
  type ExpenseByUrl,
  type ExpenseFile,
  type PartnerClient,
  type PartnerClientOptions,
} from "../../../src/partner-client/partner-client.ts";
export { verifyWebhook, WebhookSignatureMismatch } from "../../../src/partner-client/verify-webhook.ts";
export { createReceiptChecker, type Receipt, type ReceiptCheckerOptions, ReceiptRefused } from "./check-receipt.ts";
// biome-ignore-end lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
