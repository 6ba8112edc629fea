import type { Environment, Provider } from "../platform/provider.ts";

/** The tenant of production, where all providers serve the same people. */
export const EVERYBODY = "everybody";

/**
 * Whose people these are. In production all providers serve the same people; in staging each provider has people of its
 * own, so that no test meets another's patients.
 */
export function tenantOf(provider: Pick<Provider, "id" | "environment">): string {
  return hasPatientsOfItsOwn(provider.environment) ? provider.id : EVERYBODY;
}

/** Has each provider of an environment patients of its own? */
export function hasPatientsOfItsOwn(environment: Environment): boolean {
  return environment !== "production";
}

/** Whose rows are a tenant's: one provider's, or (null) everybody's. */
export function providerOfTenant(tenant: string): string | null {
  return tenant === EVERYBODY ? null : tenant;
}
