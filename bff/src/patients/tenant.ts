import type { Environment, Provider } from "../platform/provider.ts";

/** The production tenant, in which all providers share the same patients. */
export const SHARED_TENANT = "everybody";

/**
 * The tenant whose patients a provider serves. Production has one tenant for all providers. In staging each provider
 * has its own, so that tests do not interfere.
 */
export function tenantOf(provider: Pick<Provider, "id" | "environment">): string {
  return hasOwnPatients(provider.environment) ? provider.id : SHARED_TENANT;
}

/** Whether each provider of an environment has its own patients. */
export function hasOwnPatients(environment: Environment): boolean {
  return environment !== "production";
}

/** The domain of an unproven registration, named after its visit's widget token. Never equal to a tenant's name. */
export function visitDomain(widgetTokenId: string): string {
  return `visit:${widgetTokenId}`;
}

/** The widget token of the visit that a domain is named after. */
export function widgetTokenOfVisit(domain: string): string {
  return domain.slice(visitDomain("").length);
}

/** The provider whose rows belong to a tenant; null for all providers. */
export function providerOfTenant(tenant: string): string | null {
  return tenant === SHARED_TENANT ? null : tenant;
}
