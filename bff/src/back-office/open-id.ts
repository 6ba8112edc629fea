import * as client from "openid-client";
import * as z from "zod";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";
import type { OpenIdConfig } from "./dependencies.ts";
import { operatorNamed } from "./operators.ts";
import { beginSession, type SessionDependencies } from "./session.ts";

/*
 * Signing in at the operators' own sign-in service, by OpenID Connect: authorization code, with PKCE, state and nonce.
 */

export interface OpenId {
  /** The sign-in address for the operator's browser, and the sealed state that it must bring back. */
  begin(): Promise<{ readonly location: string; readonly sealed: string }>;
  /** Completes the sign-in that `begin` started. Returns the session's token, or the reason why there is none. */
  end(
    address: URL,
    sealed: string,
  ): Promise<{ readonly token: string } | { readonly refused: "not_confirmed" | "not_an_operator" }>;
}

/** How long a person may take at the sign-in service. */
const AWAY_MINUTES = 10;

const PURPOSE = "operator.open_id";

const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  ends_at: z.number(),
});

const claimsSchema = z.object({ email: z.email(), email_verified: z.literal(true) });

/** `callbackUrl`: where the sign-in service returns the browser. */
export function createOpenId(
  dependencies: SessionDependencies,
  { issuer, clientId, clientSecret }: OpenIdConfig,
  callbackUrl: string,
): OpenId {
  const { db, clock, keyring } = dependencies;
  let found: Promise<client.Configuration> | null = null;
  const discover = () => {
    const at = new URL(issuer);
    // A service on this machine, as in tests; the configuration of production refuses any other without https.
    // oxlint-disable-next-line typescript/no-deprecated -- so marked by its makers to stand out, as it should
    const allowed = at.protocol === "http:" ? [client.allowInsecureRequests] : [];
    // TLS already authenticates the answer, but its signature is checked like any other token's.
    const options = { execute: [...allowed, client.enableNonRepudiationChecks] };
    found ??= client.discovery(at, clientId, clientSecret, undefined, options).catch((error: unknown) => {
      // The next sign-in tries again.
      found = null;
      throw error;
    });
    return found;
  };
  return {
    async begin() {
      const configuration = await discover();
      const verifier = client.randomPKCECodeVerifier();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const location = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        scope: "openid email",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      const pending = { state, nonce, verifier, ends_at: clock.now().getTime() + AWAY_MINUTES * MINUTE_MS };
      return { location: location.href, sealed: keyring.seal(JSON.stringify(pending), PURPOSE) };
    },
    async end(address, sealed) {
      const pending = openPending(keyring, sealed);
      if (pending === null || clock.now().getTime() >= pending.ends_at) return { refused: "not_confirmed" };
      const email = await confirmedEmail(await discover(), address, pending);
      if (email === null) return { refused: "not_confirmed" };
      const token = await inTransaction(db, async (tx) => {
        const operator = await operatorNamed(tx, { email });
        return operator === null ? null : beginSession(tx, dependencies, operator, "open_id");
      });
      return token === null ? { refused: "not_an_operator" } : { token };
    },
  };
}

type Pending = z.output<typeof pendingSchema>;

function openPending(keyring: Pick<Keyring, "open">, sealed: string): Pending | null {
  try {
    return pendingSchema.parse(JSON.parse(keyring.open(sealed, PURPOSE)));
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

/**
 * The address confirmed by the sign-in service, in lower case; null if it confirms none, or answers another request.
 */
async function confirmedEmail(
  configuration: client.Configuration,
  address: URL,
  { state, nonce, verifier }: Pending,
): Promise<string | null> {
  try {
    const tokens = await client.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = claimsSchema.safeParse(tokens.claims());
    return claims.success ? claims.data.email.toLowerCase() : null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Whether the service refused, rather than being unreachable. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof client.AuthorizationResponseError ||
    error instanceof client.ResponseBodyError ||
    error instanceof client.ClientError ||
    error instanceof client.WWWAuthenticateChallengeError
  );
}
