import * as z from "zod/mini";
import {
  type MintSelfServiceTokenDependencies,
  mintSelfServiceToken,
} from "../checkout/tokens/mint-self-service-token.ts";
import { expiryOf } from "../checkout/tokens/widget-token.ts";
import { declineReasonSchema } from "../contract/errors.ts";
import { timestampSchema } from "../contract/orders.ts";
import { clpSchema } from "../contract/vocabulary/clp.ts";
import { isOrderHash } from "../contract/vocabulary/identifiers.ts";
import type { AfterPaidNotification, NextCharge } from "../notifications/after-paid-notification.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { findOrder } from "../orders/orders/order-reads.ts";
import type { OrderRecord } from "../orders/orders/order-record.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers } from "../platform/outbox.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { publicCredentials, requireProvider } from "../tenants/provider-reads.ts";
import { dueNow } from "./charge/due-now.ts";
import { AFTER_DECLINE } from "./collection-events.ts";

export type AfterPaidNotificationsDependencies = NotifyPatientDependencies & MintSelfServiceTokenDependencies;

const announcedSchema = z.object({ amount: clpSchema, commission: clpSchema, due_at: timestampSchema });
const capturedSchema = z.object({ attempt_id: z.string(), amount: clpSchema, commission: clpSchema });
const declinedSchema = z.object({
  attempt_id: z.string(),
  amount: clpSchema,
  reason: declineReasonSchema,
  // What was told by the version before has neither.
  next: z.optional(z.enum(AFTER_DECLINE)),
  due_at: z.optional(z.nullable(timestampSchema)),
  next_try_at: z.nullable(timestampSchema),
});
type Ahead = Pick<z.infer<typeof declinedSchema>, "next" | "due_at" | "next_try_at">;
const refundedSchema = z.object({ order: z.object({ refunded_amount: clpSchema, total_amount: clpSchema }) });

/** What patients are told of the charge of the deferred part, and of refunds, as it happens. */
export function handleMoneyEvents(
  subscriptions: EventHandlers,
  dependencies: AfterPaidNotificationsDependencies,
): void {
  const tellers = {
    "collection.announced": announced,
    "collection.captured": captured,
    "collection.declined": declined,
    "order.refunded": refunded,
  };
  for (const [kind, compose] of Object.entries(tellers)) {
    subscriptions.subscribe(kind, (tx, event) => tell(dependencies, tx, event, compose));
  }
}

/** Whom it is about, and how a link is made for them. */
interface Told {
  readonly tx: Transaction;
  readonly event: DomainEvent;
  readonly order: OrderRecord;
  readonly addressed: { readonly firstName: string; readonly clinic: string };
  readonly link: (purpose: "pay_early" | "card_change") => Promise<string | null>;
}

type Compose = (told: Told) => Promise<{ readonly cause: string; readonly notification: AfterPaidNotification }>;

async function tell(
  dependencies: AfterPaidNotificationsDependencies,
  tx: Transaction,
  event: DomainEvent,
  compose: Compose,
): Promise<void> {
  const { providerId, orderId } = event;
  const order = orderId !== null && isOrderHash(orderId) ? await findOrder(tx, { providerId, id: orderId }) : null;
  if (order === null) return;
  const provider = await requireProvider(tx, providerId);
  const { firstName, email, rut, phoneNumber } = order.customer;
  const { cause, notification } = await compose({
    tx,
    event,
    order,
    addressed: { firstName, clinic: provider.name },
    link: (purpose) => linkFor(dependencies, tx, { provider, order, purpose }),
  });
  await notifyPatient(dependencies, tx, {
    provider,
    cause,
    to: email,
    telephone: { rut, number: phoneNumber },
    orderId: order.id,
    notification,
  });
}

async function announced({ tx, event, order, addressed, link }: Told) {
  const { amount, commission, due_at } = announcedSchema.parse(event.payload);
  const due = await dueNow(tx, { providerId: order.providerId, orderId: order.id });
  const notification: AfterPaidNotification = {
    ...addressed,
    kind: "charge_announced",
    amount,
    commission,
    day: santiagoDay(new Date(due_at)),
    cardEnding: due?.card.last4 ?? "",
    payUrl: await link("pay_early"),
  };
  return { cause: `charge_announced:${order.id}`, notification };
}

async function captured({ event, order, addressed }: Told) {
  const { attempt_id: attemptId, amount, commission } = capturedSchema.parse(event.payload);
  const cardEnding = cardEndingOf(order, attemptId);
  const notification: AfterPaidNotification = { ...addressed, kind: "charged", amount, commission, cardEnding };
  return { cause: `charged:${attemptId}`, notification };
}

async function declined({ event, order, addressed, link }: Told) {
  const { attempt_id: attemptId, amount, reason, ...ahead } = declinedSchema.parse(event.payload);
  const notification: AfterPaidNotification = {
    ...addressed,
    kind: "charge_declined",
    amount,
    reason,
    cardEnding: cardEndingOf(order, attemptId),
    next: nextCharge(ahead),
    cardUrl: await link("card_change"),
  };
  return { cause: `charge_declined:${attemptId}`, notification };
}

function nextCharge({ next, next_try_at, due_at }: Ahead): NextCharge {
  const at = due_at ?? next_try_at;
  const kind = next ?? (at === null ? "given_up" : "tried_again");
  if (kind === "given_up" || kind === "paused") return { kind };
  return at === null ? { kind: "paused" } : { kind, day: santiagoDay(new Date(at)) };
}

async function refunded({ event, addressed }: Told) {
  const { refunded_amount, total_amount } = refundedSchema.parse(event.payload).order;
  const notification: AfterPaidNotification = {
    ...addressed,
    kind: "refunded",
    refunded: refunded_amount,
    total: total_amount,
  };
  return { cause: `refunded:${event.id}`, notification };
}

function cardEndingOf(order: OrderRecord, paymentId: string): string {
  return order.payments.find(({ id }) => id === paymentId)?.card.last4 ?? "";
}

/** A link of 30 days that opens the widget for one thing; `null` for a provider without a widget that could be opened. */
async function linkFor(
  dependencies: AfterPaidNotificationsDependencies,
  tx: Transaction,
  about: { readonly provider: Provider; readonly order: OrderRecord; readonly purpose: "pay_early" | "card_change" },
): Promise<string | null> {
  const { provider, order, purpose } = about;
  const { clock } = dependencies;
  const credentials = await publicCredentials({ db: tx, clock }, provider.id);
  if (credentials === null) return null;
  const { rut } = order.customer;
  const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut });
  const now = providerNow(provider, clock.now());
  const { url } = await mintSelfServiceToken(dependencies, tx, {
    provider,
    publicKey: credentials.publicKey,
    purpose,
    beneficiaryId: patient?.id ?? null,
    orderId: order.id,
    now,
    expiresAt: expiryOf({ expiresInMinutes: undefined, longTerm: true }, now),
  });
  return url;
}
