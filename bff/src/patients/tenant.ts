import type { Environment, Provider } from "../platform/provider.ts";

/** The tenant of production, where all providers share the same patients. */
export const EVERYBODY = "everybody";

/**
 * The tenant whose patients a provider serves. In production all providers share the same patients; in staging each
 * provider has its own, so that tests do not interfere.
 */
export function tenantOf(provider: Pick<Provider, "id" | "environment">): string {
  return hasPatientsOfItsOwn(provider.environment) ? provider.id : EVERYBODY;
}

/** Whether each provider of an environment has its own patients. */
export function hasPatientsOfItsOwn(environment: Environment): boolean {
  return environment !== "production";
}

/**
 * The domain of what was registered in a visit, by its widget token, and nobody has proved. It has no tenant's name.
 */
export function visitDomain(widgetTokenId: string): string {
  return `visit:${widgetTokenId}`;
}

/** The widget token of the visit that a domain is named after. */
export function widgetTokenOfVisit(domain: string): string {
  return domain.slice(visitDomain("").length);
}

/** The provider whose rows belong to a tenant; null means all providers'. */
export function providerOfTenant(tenant: string): string | null {
  return tenant === EVERYBODY ? null : tenant;
}
