import type { LogFields } from "../../src/platform/logger.ts";

/** One request of a tenant, as its developer sees it. */
export interface RecentRequest {
  readonly requestId: string;
  readonly endedAt: Date;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** The error's code; null for a success. */
  readonly code: string | null;
  readonly invalidFields: readonly string[];
  readonly durationMs: number;
}

export interface RecentRequests {
  add(fields: LogFields, endedAt: Date): void;
  /** A tenant's, newest first. */
  of(providerId: string): readonly RecentRequest[];
}

const KEPT_OF_A_TENANT = 200;
const TENANTS_MAX = 1_000;

/**
 * The latest requests of each tenant that this process has answered, in memory: developers look at requests they have
 * just sent, and after a restart they can use the log.
 */
export function createRecentRequests(): RecentRequests {
  const byTenant = new Map<string, RecentRequest[]>();
  return {
    add(fields, endedAt) {
      const { provider_id: tenant } = fields;
      if (typeof tenant !== "string") return;
      const kept = byTenant.get(tenant) ?? [];
      kept.unshift(requestOf(fields, endedAt));
      kept.length = Math.min(kept.length, KEPT_OF_A_TENANT);
      // The first tenant in the map has had no requests for the longest time.
      byTenant.delete(tenant);
      byTenant.set(tenant, kept);
      const [oldest] = byTenant.keys();
      if (byTenant.size > TENANTS_MAX && oldest !== undefined) byTenant.delete(oldest);
    },
    of: (providerId) => byTenant.get(providerId) ?? [],
  };
}

function requestOf(fields: LogFields, endedAt: Date): RecentRequest {
  const { request_id, method, route, status, code, invalid_fields, duration_ms } = fields;
  return {
    requestId: String(request_id),
    endedAt,
    method: String(method),
    route: String(route),
    status: Number(status),
    code: typeof code === "string" ? code : null,
    invalidFields: typeof invalid_fields === "string" ? invalid_fields.split(",") : [],
    durationMs: Number(duration_ms),
  };
}
