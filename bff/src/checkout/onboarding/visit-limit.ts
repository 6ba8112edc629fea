import type { Rut } from "../../contract/vocabulary/rut.ts";
import { tenantOf } from "../../patients/beneficiary.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { RateLimiter } from "../../platform/http/rate-limit.ts";
import type { OpenedWidgetToken } from "../open-widget-token.ts";

const HOUR_SECONDS = 3_600;

/** A quantity counted per hour, for one visit's order or one RUT. */
export interface VisitLimit {
  readonly name: string;
  readonly opened: OpenedWidgetToken;
  /** The RUT, or the address that a mail goes to. */
  readonly of: Rut | string;
  readonly requestsMax: number;
}

/**
 * Counts a request of a visit. Throws 429 if there were too many. With `within`, it counts only if that transaction
 * commits.
 * A request with an order counts under the order, whose hash only clinic and patient know. A request with only a RUT
 * counts under the RUT (in production across providers), so that minting again resets nothing. Strangers can fill the
 * second bucket, so it must not block the first.
 */
export async function countOfVisit(
  { rateLimiter }: { readonly rateLimiter: Pick<RateLimiter, "take"> },
  { name, opened: { order, provider }, of, requestsMax }: VisitLimit,
  within?: Transaction,
): Promise<void> {
  const bucket =
    order === null
      ? { name: `${name}.rut`, key: `${tenantOf(provider)} ${of}` }
      : { name: `${name}.order`, key: `${order.orderId} ${of}` };
  const { refusal, headers } = await rateLimiter.take(
    [{ ...bucket, requestsMax, windowSeconds: HOUR_SECONDS }],
    within,
  );
  if (refusal !== null) throw new ApiError(refusal.code, refusal.additions, { headers });
}
