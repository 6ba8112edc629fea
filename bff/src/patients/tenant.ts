import type { Provider } from "../platform/provider.ts";

/**
 * Whose people these are. In production all providers serve the same people; in staging each provider has people of its
 * own, so that no test meets another's patients.
 */
export function tenantOf(provider: Pick<Provider, "id" | "environment">): string {
  return provider.environment === "production" ? "everybody" : provider.id;
}

/** Whose rows are a tenant's: one provider's, or (null) everybody's. */
export function providerOfTenant(tenant: string): string | null {
  return tenant === "everybody" ? null : tenant;
}
