import type * as z from "zod/mini";
import { type listDeliveriesQuerySchema, PAGE_MAX } from "../contract/webhooks.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { hasDelivery, type ShownDelivery, selectDeliveries } from "./webhook-store.ts";

const STATUSES = {
  pending: ["queued", "scheduled"],
  delivered: ["delivered"],
  failed: ["exhausted"],
} as const;
const ALL_STATUSES = [...STATUSES.pending, ...STATUSES.delivered, ...STATUSES.failed];

/** One page of an endpoint's deliveries, newest first. Throws 422 where `after` names no delivery of it. */
export async function readDeliveries(
  db: Database,
  { id: endpointId }: WebhookEndpoint,
  query: z.output<typeof listDeliveriesQuerySchema>,
): Promise<{ deliveries: ShownDelivery[]; next: string | null }> {
  const after = query.after ?? null;
  if (after !== null && !(await hasDelivery(db, endpointId, after))) throw unknownPlace();
  const limit = query.limit === undefined ? PAGE_MAX : Number(query.limit);
  const statuses = query.status === undefined ? ALL_STATUSES : STATUSES[query.status];
  // One more than asked for says whether there is another page.
  const found = await selectDeliveries(db, { endpointId, after, statuses, limit: limit + 1 });
  const deliveries = found.slice(0, limit);
  return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null };
}

/** The 422 of a page that begins after what is not there. */
export function unknownPlace(): ApiError {
  return new ApiError("validation_error", { errors: [{ path: "after", message: "is not in this list" }] });
}
