import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";
import { newTenant, type TenantWanted } from "./new-tenant.ts";
import { solveChallenge } from "./solve-challenge.ts";

/** Keys of a new tenant without an account. Takes half a second or more. */
export async function getKeys(orderApi: string, { meta, ...wanted }: TenantWanted): Promise<SandboxKeys> {
  const { challenge, bits } = await call<{ readonly challenge: string; readonly bits: number }>({
    method: "GET",
    url: new URL("/sandbox/keys/challenge", orderApi),
    answerHas: ["challenge", "bits"],
  });
  const solution = solveChallenge(challenge, bits);
  const body = { challenge, solution, ...wanted };
  const url = new URL("/sandbox/keys", orderApi);
  const answerHas: (keyof SandboxKeys)[] = ["provider", "credentials", "addresses"];
  const keys = await call<SandboxKeys>({ method: "POST", url, body, answerHas });
  return meta === true ? newTenant(keys, { ...wanted, meta }) : keys;
}
