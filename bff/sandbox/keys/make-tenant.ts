import type { RateLimit, RateLimiter } from "../../src/platform/http/rate-limit.ts";
import { type CreateTenantDependencies, createTenant, type NewTenant } from "../create-tenant.ts";
import { findKeyholder, insertSandboxTenant } from "./sandbox-keys-store.ts";

export interface MakeTenantDependencies extends CreateTenantDependencies {
  readonly rateLimiter: Pick<RateLimiter, "take">;
}

/**
 * Enough for a test run with a tenant per worker every few minutes, but too few for one proof of work to cause a flood.
 */
export const TENANTS_OF_HOLDER_PER_HOUR = 60;
export const TENANTS_OF_HOLDER = 500;
const HOUR_SECONDS = 3_600;
const MONTH_SECONDS = 30 * 24 * HOUR_SECONDS;

/**
 * Makes a tenant for a caller. If the caller's own keys came from a proof of work, the new ones end with them, and all
 * tenants of that proof share one limit. Throws 429 `rate_limited` beyond it.
 */
export async function makeTenant(
  dependencies: MakeTenantDependencies,
  wanted: NewTenant,
  { callerId, now }: { readonly callerId: string; readonly now: Date },
) {
  const holder = await findKeyholder(dependencies.db, callerId);
  if (holder === null) return createTenant(dependencies, wanted);
  const { refusal } = await dependencies.rateLimiter.take(limitsOf(holder.id));
  if (refusal !== null) throw refusal;
  const { id: holderId, endsAt } = holder;
  return createTenant(dependencies, wanted, {
    credentialsEndAt: endsAt,
    beside: (tx, { id }) => insertSandboxTenant(tx, { providerId: id, holderId, createdAt: now }),
  });
}

function limitsOf(holderId: string): readonly RateLimit[] {
  const name = "sandbox.tenants";
  return [
    { name, key: holderId, requestsMax: TENANTS_OF_HOLDER_PER_HOUR, windowSeconds: HOUR_SECONDS },
    { name: `${name}_in_all`, key: holderId, requestsMax: TENANTS_OF_HOLDER, windowSeconds: MONTH_SECONDS },
  ];
}
