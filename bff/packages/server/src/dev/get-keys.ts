import * as z from "zod/mini";
import { call } from "./call.ts";
import { type SandboxKeys, sandboxKeysSchema } from "./keys.ts";
import { solveChallenge } from "./solve-challenge.ts";

const challengeSchema = z.object({ challenge: z.string(), bits: z.int() });

/** Keys of a fresh tenant for somebody without an account: half a second of work, at times more. */
export async function getKeys(
  orderApi: string,
  wanted: { readonly name?: string | undefined; readonly origins: readonly string[] },
): Promise<SandboxKeys> {
  const { challenge, bits } = challengeSchema.parse(
    await call({ method: "GET", url: new URL("/sandbox/keys/challenge", orderApi) }),
  );
  const solution = solveChallenge(challenge, bits);
  const body = { challenge, solution, ...wanted };
  return sandboxKeysSchema.parse(await call({ method: "POST", url: new URL("/sandbox/keys", orderApi), body }));
}
