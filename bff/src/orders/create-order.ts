import type * as z from "zod/mini";
import type { createOrderRequestSchema, Order } from "../contract/orders.ts";
import { type Clp, clp, ZERO } from "../contract/vocabulary/clp.ts";
import { isOrderHash } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Answer, WriteOnce } from "../platform/http/route.ts";
import { isMetaProvider, type Principal, type Provider } from "../providers/provider.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { EXPIRE_ORDER_TIMER } from "./expire-order.ts";
import { splitTotal } from "./instalment-plan.ts";
import type { OrderRecord } from "./order-record.ts";
import { findByReference, insertOrder, type NewOrder } from "./order-store.ts";
import { partnerOrder } from "./order-view.ts";

type CreateOrderDependencies = Pick<OrdersDependencies, "db" | "clock" | "ids" | "findCenter">;
type Body = z.output<typeof createOrderRequestSchema>;

/**
 * Creates an order in state `pending` (interface 4.1; decisions 3 and 4). Throws, in this order: 404 `center_not_found`, 422
 * `provider_rut_required`, 400 `customer_email_required`, `total_amount_negative`, `provider_rut_not_allowed`, 409
 * `duplicate_reference` with the hash of the order that has the reference. `now` is the provider's time.
 */
export async function createOrder(
  dependencies: CreateOrderDependencies,
  principal: Principal,
  body: Body,
  now: Date,
): Promise<Order> {
  const { db } = dependencies;
  const created = await composeOrder(dependencies, principal, body, now);
  for (;;) {
    if (await insertOrder(db, created, { version: null, kept: null })) return viewOf(created, now);
    const duplicateOf = await findByReference(db, created);
    if (duplicateOf !== null) throw new ApiError("duplicate_reference", { order_hash: duplicateOf });
  }
}

/**
 * The same in a single statement, which confirms the caller and keeps the answer: a process that dies in the middle has
 * created nothing, or has left the answer for the next try. Null, with nothing written, where anything is in its way.
 */
export async function createOrderAtOnce(
  dependencies: CreateOrderDependencies,
  principal: Principal,
  body: Body,
  now: Date,
  { version, keep }: WriteOnce,
): Promise<Answer | null> {
  const created = await composeOrder(dependencies, principal, body, now);
  const answer = { status: 201, body: viewOf(created, now) };
  return (await insertOrder(dependencies.db, created, { version, kept: keep(answer) })) ? answer : null;
}

function viewOf({ order }: NewOrder, now: Date): Order {
  return partnerOrder(order, { expense: null, collection: null }, now);
}

async function composeOrder(
  dependencies: CreateOrderDependencies,
  { provider, credentialId }: Principal,
  body: Body,
  now: Date,
): Promise<NewOrder> {
  const center = await chooseCenter(dependencies, provider, body.provider_rut ?? null);
  const { email } = body.customer;
  if (email === undefined) throw new ApiError("customer_email_required");
  if (body.total_amount < 0) throw new ApiError("total_amount_negative");
  if (body.provider_rut !== undefined && center === null) throw new ApiError("provider_rut_not_allowed");
  const order = newOrder(dependencies, provider, { ...body, email, total: clp(body.total_amount), center }, now);
  const { environment } = provider;
  return { order, environment, createdBy: credentialId, expiry: expiryOf(dependencies, provider) };
}

function expiryOf({ clock }: CreateOrderDependencies, { settings }: Provider): NewOrder["expiry"] {
  const { unpaidOrderExpiryMinutes: minutes } = settings;
  if (minutes === null) return null;
  return { kind: EXPIRE_ORDER_TIMER, dueAt: new Date(clock.now().getTime() + minutes * 60_000) };
}

/** The centre that a meta-provider must name; `null` for all others, who must not name one. */
async function chooseCenter(
  { db, findCenter }: CreateOrderDependencies,
  provider: Provider,
  rut: Rut | null,
): Promise<OrderRecord["center"]> {
  if (!isMetaProvider(provider)) return null;
  if (rut === null) {
    const errors = [{ path: "provider_rut", message: "a meta-provider must name the centre" }];
    throw new ApiError("provider_rut_required", { errors });
  }
  const center = await findCenter(db, provider.id, rut);
  if (center === null) throw new ApiError("center_not_found");
  return center;
}

/** Thrown when the source of ids gives something that is no UUID: a defect. */
class NotAHash extends Error {
  override readonly name = "NotAHash";
}

function newOrder(
  { ids }: CreateOrderDependencies,
  provider: Provider,
  given: Body & { readonly email: string; readonly total: Clp; readonly center: OrderRecord["center"] },
  now: Date,
): OrderRecord {
  const id = ids.uuid();
  if (!isOrderHash(id)) throw new NotAHash("an id is no order hash");
  const { rut, first_name: firstName, last_name: lastName, phone_number: phoneNumber } = given.customer;
  return {
    providerId: provider.id,
    id,
    reference: given.reference,
    state: "awaiting_payment",
    total: given.total,
    ...splitTotal(given.total),
    commissionBasisPoints: provider.settings.commissionBasisPoints,
    center: given.center,
    customer: { rut, firstName, lastName, email: given.email, phoneNumber },
    identityValidatedAt: null,
    card: null,
    loanId: null,
    paidAt: null,
    refundAccepted: ZERO,
    refunded: ZERO,
    deferredCancelled: ZERO,
    deferredCollected: ZERO,
    deferredFailedAt: null,
    eventSequence: 0,
    createdAt: now,
    updatedAt: now,
    payments: [],
    refunds: [],
  };
}
