import type { PrincipalVersion } from "../platform/http/principal-store.ts";
import type { Principal } from "./provider.ts";

/** A caller as it was when it was last looked up. Nothing may be done for it before the database has confirmed it. */
export interface RememberedPrincipal {
  readonly principal: Principal;
  readonly version: PrincipalVersion;
  /** When the credential ends; `null`: not yet known. */
  readonly endsAt: Date | null;
}

/** Callers by what they present, as it is kept: never a secret itself. */
export interface RememberedPrincipals {
  find(kind: string, lookup: string): RememberedPrincipal | undefined;
  keep(kind: string, lookup: string, remembered: RememberedPrincipal): void;
}

const CALLERS_MAX = 10_000;

/** A bounded memory; whoever came first is forgotten first. */
export function createRememberedPrincipals(): RememberedPrincipals {
  const byLookup = new Map<string, RememberedPrincipal>();
  return {
    find: (kind, lookup) => byLookup.get(`${kind}:${lookup}`),
    keep(kind, lookup, remembered) {
      byLookup.set(`${kind}:${lookup}`, remembered);
      if (byLookup.size <= CALLERS_MAX) return;
      for (const oldest of byLookup.keys()) {
        byLookup.delete(oldest);
        return;
      }
    },
  };
}
