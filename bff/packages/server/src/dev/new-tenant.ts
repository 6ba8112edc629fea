import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

/** `origins` are the pages that may frame its checkout. `meta` makes it a meta-provider. */
export interface TenantWanted {
  readonly name?: string | undefined;
  readonly origins: readonly string[];
  readonly meta?: boolean | undefined;
}

/** Another tenant of the same sandbox, with its own keys, patients and clock. */
export async function newTenant(
  { addresses, credentials, ends_at }: SandboxKeys,
  wanted: TenantWanted,
): Promise<SandboxKeys> {
  const tenant = await call<Pick<SandboxKeys, "provider" | "credentials">>({
    method: "POST",
    url: new URL("/sandbox/tenants", addresses.order_api),
    headers: { authorization: `Bearer ${credentials.client_secret}` },
    body: wanted,
    answerHas: ["provider", "credentials"],
  });
  return { ...tenant, addresses, ends_at };
}
