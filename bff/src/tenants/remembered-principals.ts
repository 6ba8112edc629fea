import { hash } from "node:crypto";
import type { Principal, PrincipalVersion } from "../platform/provider.ts";

/** A caller as it was when it was last looked up. Nothing may be done for it before the database has confirmed it. */
export interface RememberedPrincipal {
  readonly principal: Principal;
  readonly version: PrincipalVersion;
  /** When the credential ends; `null`: not yet known. */
  readonly endsAt: Date | null;
}

/** Callers by the credential that they present. */
export interface RememberedPrincipals {
  find(credential: string): RememberedPrincipal | undefined;
  keep(credential: string, remembered: RememberedPrincipal): void;
}

const CALLERS_MAX = 10_000;

/** A bounded memory that holds no credential, only salted hashes; whoever came first is forgotten first. */
export function createRememberedPrincipals(salt: Uint8Array): RememberedPrincipals {
  const byHash = new Map<string, RememberedPrincipal>();
  const saltText = Buffer.from(salt).toString("base64url");
  // Hashed in one call: a keyed hash takes three times as long, and this one never leaves the process.
  const hashOf = (credential: string) => hash("sha256", `${saltText}:${credential}`, "base64url");
  return {
    find: (credential) => byHash.get(hashOf(credential)),
    keep(credential, remembered) {
      byHash.set(hashOf(credential), remembered);
      if (byHash.size <= CALLERS_MAX) return;
      for (const oldest of byHash.keys()) {
        byHash.delete(oldest);
        return;
      }
    },
  };
}
