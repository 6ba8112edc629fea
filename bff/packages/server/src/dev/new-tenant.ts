import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

/**
 * Another tenant of the same sandbox, with its own keys, patients and clock. `origins` are the pages that may frame its
 * checkout.
 */
export async function newTenant(
  { addresses, credentials, ends_at }: SandboxKeys,
  wanted: { readonly name?: string; readonly origins: readonly string[] },
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
