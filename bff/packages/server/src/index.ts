/* The public API for a partner's backend on Node: the client, and the verification of our messages. */
// biome-ignore-start lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
export type { CreateOrderRequest } from "../../../src/contract/orders.ts";
export type { WebhookEventKind } from "../../../src/contract/webhook-events.ts";
export type { Order, WebhookEvent } from "../../../src/partner-client/answers.ts";
export type {
  CallOptions,
  Expense,
  ExpenseByUrl,
  ExpenseFile,
  PartnerClientOptions,
} from "../../../src/partner-client/call-arguments.ts";
export { AapdError, AapdUnreachable } from "../../../src/partner-client/errors.ts";
export { createPartnerClient, type PartnerClient } from "../../../src/partner-client/partner-client.ts";
export {
  // oxlint-disable-next-line typescript/no-deprecated -- the form that partners still use
  verifyWebhook,
  type WebhookHeaders,
  WebhookSignatureMismatch,
} from "../../../src/partner-client/verify-webhook.ts";
export { createReceiptChecker, type Receipt, type ReceiptCheckerOptions, ReceiptRefused } from "./check-receipt.ts";
// biome-ignore-end lint/performance/noBarrelFile: this is the public entry of the package, not a shortcut inside it.
