import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import { isUniqueViolation } from "../../src/platform/database/errors.ts";
import { ApiError } from "../../src/platform/http/api-error.ts";
import type { Keyring } from "../../src/platform/keyring.ts";
import { type CreateTenantDependencies, createTenant } from "../create-tenant.ts";
import { judgeProof } from "./proof-of-work.ts";
import { insertSandboxKeys } from "./sandbox-keys-store.ts";

export interface GiveKeysDependencies extends CreateTenantDependencies {
  readonly keyring: Keyring;
}

/** A request for keys without an account. */
export interface KeysWanted {
  readonly challenge: string;
  readonly solution: string;
  readonly name?: string | undefined;
  readonly origins?: readonly string[] | undefined;
}

const KEYS_LIVE_DAYS = 30;

/** Creates a tenant for a solved challenge; its keys expire after 30 days. Throws 422 for a refused proof. */
export async function giveKeys(dependencies: GiveKeysDependencies, wanted: KeysWanted, now: Date) {
  const { challenge, name, origins } = wanted;
  const refusal = judgeProof(dependencies.keyring, wanted, now);
  if (refusal !== null) throw new ApiError("validation_error", { errors: [refusal] });
  const endsAt = new Date(now.getTime() + KEYS_LIVE_DAYS * DAY_MS);
  const created = await createTenant(
    dependencies,
    { name, origins },
    {
      credentialsEndAt: endsAt,
      beside: (tx, { id }) => insertSandboxKeys(tx, { providerId: id, challenge, endsAt, createdAt: now }),
    },
  ).catch((error: unknown) => {
    if (isUniqueViolation(error, "sandbox_keys_challenge_key")) return null;
    throw error;
  });
  if (created !== null) return { ...created, endsAt };
  const used = { path: "challenge", message: "has been used: ask for another one" };
  throw new ApiError("validation_error", { errors: [used] });
}
