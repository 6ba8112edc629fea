import { CompactEncrypt, importJWK } from "jose";
import type * as z from "zod/mini";
import { type SealingKey, sealingKeySchema } from "../../../src/contract/widget-tokens.ts";
import { checkTokensOf } from "./check-keyed-call.ts";
import { type CheckRun, readAnswer } from "./check-run.ts";

/** The members of an RSA key that must never be published. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi"];

/** The key that browsers seal for; null without a usable one. */
export function checkSealingKey(run: CheckRun, path: string): Promise<SealingKey | null> {
  return checkKey(run, path, { schema: sealingKeySchema, expected: "a public RSA key as JWK, for RSA-OAEP-256" });
}

/** Like `checkSealingKey`, for answers with more fields than the key. */
export async function checkKey<Key>(
  run: CheckRun,
  path: string,
  { schema, expected }: { readonly schema: z.ZodMiniType<Key>; readonly expected: string },
): Promise<Key | null> {
  const reply = await run.read(path, {});
  const read = readAnswer(run, schema, reply);
  run.note(path, "good-read", expected, "fault" in read ? read.fault : null);
  if ("fault" in read) return null;
  const given = Object.keys(reply.json as object).filter((member) => PRIVATE_MEMBERS.includes(member));
  const fault = given.length === 0 ? null : `the key has ${given.join(", ")}`;
  run.note(path, "public-key-only", "the public key without any part of the private one", fault);
  await checkTokensOf(run, path, async () => "{}");
  return read.answer;
}

/** Seals as a browser does. */
export async function seal(key: SealingKey, value: object): Promise<string> {
  const publicKey = await importJWK(key, key.alg);
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: key.alg, enc: "A256GCM", kid: key.kid })
    .encrypt(publicKey);
}
