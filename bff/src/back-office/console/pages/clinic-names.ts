import type { Provider } from "../../../platform/provider.ts";
import { findProvider, listProviders } from "../../../tenants/providers.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { ConsoleRefused } from "../refusal.ts";

export interface ClinicName {
  readonly id: string;
  readonly name: string;
}

/** The clinics of this environment, oldest first. */
export async function clinicNames({
  db,
  environment,
}: Pick<ConsoleDependencies, "db" | "environment">): Promise<ClinicName[]> {
  return (await listProviders(db, environment)).map(clinicName);
}

export function clinicName({ id, name }: Provider): ClinicName {
  return { id, name };
}

/** The clinic of a path. Throws `not_found`. */
export async function requireClinic(
  { db, environment }: Pick<ConsoleDependencies, "db" | "environment">,
  id: string | undefined,
): Promise<Provider> {
  const isId = id !== undefined && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  const provider = isId ? await findProvider(db, id) : null;
  if (provider === null || provider.environment !== environment) throw new ConsoleRefused("not_found");
  return provider;
}
