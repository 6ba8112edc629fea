import type * as z from "zod/mini";
import type { createOrderRequestSchema, Order } from "../../contract/orders.ts";
import { isOrderId, type OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { DatabaseUnavailable } from "../../platform/database/errors.ts";
import { gather } from "../../platform/gather.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Answer } from "../../platform/http/route.ts";
import type { KeptAnswer } from "../../platform/kept-answer.ts";
import { isMetaProvider, type Principal, type Provider } from "../../platform/provider.ts";
import { currentSpan, currentTraceparent } from "../../platform/tracing/tracing.ts";
import { isWithinRate } from "../../tenants/maximum-rate.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { findOrder } from "../order-reads.ts";
import { AS_MADE, newOrder, type OrderRecord } from "../order-record.ts";
import {
  findHashByReference,
  INSERTED_AT_ONCE_MAX,
  type Insertion,
  insertOrders,
  type NewOrder,
  requireFound,
} from "../order-store.ts";
import { partnerOrder } from "../order-view.ts";
import { EXPIRE_ORDER_TIMER } from "./expire-order.ts";

type CreateOrderDependencies = Pick<OrdersDependencies, "db" | "clock" | "ids" | "findCenter"> & {
  readonly write: OrderWriter;
};
type Body = z.output<typeof createOrderRequestSchema>;

/**
 * Creates an order in state `pending`. Throws, in this order: 404 `center_not_found`, 422 `provider_rut_required`, 400
 * `customer_email_required`, `total_amount_negative`, `provider_rut_not_allowed`, 503 `commission_not_allowed`, 409
 * `duplicate_reference` with the hash of the order that has the reference. One statement stores the order and the
 * answer for replays, so that a crash leaves both or neither.
 */
export async function createOrder(
  dependencies: CreateOrderDependencies,
  principal: Principal,
  body: Body,
  { now, maximumRate, keep }: OrderCreation,
): Promise<Order> {
  const { db, write } = dependencies;
  const created = await composeOrder(dependencies, principal, body, now);
  if (maximumRate !== null && !isWithinRate(created.order.commissionBasisPoints, maximumRate))
    throw new ApiError("commission_not_allowed");
  currentSpan()?.about({ order_id: created.order.orderId });
  const order = partnerOrder(created.order, NOTHING_RELATED, now);
  if (await write({ created, kept: keep(order) })) return order;
  throw new ApiError("duplicate_reference", { order_hash: await findHashByReference(db, created) });
}

export interface OrderCreation {
  /** The provider's time. */
  readonly now: Date;
  /** The legal maximum rate that applies to the provider's commission, in basis points; null if none applies. */
  readonly maximumRate: number | null;
  /** The answer to store with the order; null to store none. */
  readonly keep: (order: Order) => KeptAnswer | null;
}

/** Inserts an order and returns whether it was written; see `insertOrders`. */
export type OrderWriter = (insertion: Insertion) => Promise<boolean>;

/** How many insert statements run at once. With more of them, fewer orders would share a statement. */
const STATEMENTS_UNDER_WAY_MAX = 2;

/** Inserts orders that arrive at the same time in one statement, because the round trip is most of an order's cost. */
export function createOrderWriter(db: CreateOrderDependencies["db"]): OrderWriter {
  const write = gather({
    underWayMax: STATEMENTS_UNDER_WAY_MAX,
    itemsMax: INSERTED_AT_ONCE_MAX,
    run: (insertions: readonly Insertion[]) => writeTogether(db, insertions),
  });
  return async (insertion) => {
    const outcome = await write(insertion);
    if ("error" in outcome) throw outcome.error;
    return outcome.isWritten;
  };
}

type WriteOutcome = { readonly isWritten: boolean } | { readonly error: unknown };

/** Inserts all orders in one statement. If that fails, inserts each order separately. */
async function writeTogether(
  db: CreateOrderDependencies["db"],
  insertions: readonly Insertion[],
): Promise<readonly WriteOutcome[]> {
  try {
    return (await insertOrders(db, insertions)).map((isWritten) => ({ isWritten }));
  } catch (error) {
    if (insertions.length === 1 || error instanceof DatabaseUnavailable) return insertions.map(() => ({ error }));
  }
  return (await Promise.all(insertions.map((insertion) => writeTogether(db, [insertion])))).flat();
}

/**
 * The answer given when the order was created, whatever its state is now. Throws 409 `duplicate_reference` if its
 * patient was erased since, because the original answer can no longer be rebuilt.
 */
export async function answerAsCreated(
  { db }: Pick<CreateOrderDependencies, "db">,
  { provider }: Principal,
  createdId: string,
): Promise<Answer> {
  const order = requireFound(await findOrder(db, { providerId: provider.id, orderId: orderId(createdId) }));
  const { createdAt, customer } = order;
  if (customer.rut.length === 0) throw new ApiError("duplicate_reference", { order_hash: order.orderId });
  const asMade = { ...order, ...AS_MADE, updatedAt: createdAt };
  return { status: 201, body: partnerOrder(asMade, NOTHING_RELATED, createdAt) };
}

const NOTHING_RELATED = { expense: null, collection: null, claim: null, missing_step: null };

async function composeOrder(
  dependencies: CreateOrderDependencies,
  { provider, credentialId }: Principal,
  body: Body,
  now: Date,
): Promise<NewOrder> {
  const center = await chooseCenter(dependencies, provider, body.provider_rut ?? null);
  const { email } = body.customer;
  if (email === undefined || email.trim() === "") throw new ApiError("customer_email_required");
  if (body.total_amount < 0) throw new ApiError("total_amount_negative");
  if (body.provider_rut !== undefined && center === null) throw new ApiError("provider_rut_not_allowed");
  const { id: providerId, settings, environment } = provider;
  const origin = { providerId, orderId: orderId(dependencies.ids.uuid()), traceparent: currentTraceparent() };
  const order = newOrder(body, { ...origin, settings, email, center, now });
  return { order, environment, createdBy: credentialId, expiry: expiryOf(dependencies, provider) };
}

function expiryOf({ clock }: CreateOrderDependencies, { settings }: Provider): NewOrder["expiry"] {
  const { unpaidOrderExpiryMinutes: minutes } = settings;
  if (minutes === null) return null;
  return { kind: EXPIRE_ORDER_TIMER, dueAt: new Date(clock.now().getTime() + minutes * 60_000) };
}

/** The centre that a meta-provider must name; `null` for all other providers, which must not name one. */
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

/** Thrown when the id source returns a value that is not a UUID: a defect. */
class NotAHash extends Error {
  override readonly name = "NotAHash";
}

function orderId(id: string): OrderId {
  if (!isOrderId(id)) throw new NotAHash("an id is not an order hash");
  return id;
}
