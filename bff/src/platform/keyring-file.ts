import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import type { KeyringKey } from "./keyring.ts";

/** Thrown when a keyring's file is missing or invalid. The message is for the operator. */
export class KeyringFileInvalid extends Error {
  override readonly name = "KeyringFileInvalid";
  readonly code = "keyring_file_invalid";
}

/** `{"keys": [{"id": "2026-11", "secret": "<base64 of 32 bytes or more>"}, …]}`, newest first. */
const fileSchema = z.object({
  keys: z.array(z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/), secret: z.base64().min(43) })).min(1),
});

const SECRET_BYTES = 32;

/** Reads the keys of a keyring's file, newest first. Throws `KeyringFileInvalid`. */
export async function readKeyringFile(path: string): Promise<KeyringKey[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new KeyringFileInvalid(`The keyring ${path} cannot be read.`, { cause });
  });
  const result = fileSchema.safeParse(parseJson(text));
  if (!result.success) {
    throw new KeyringFileInvalid(
      `The keyring ${path} is not of the form {"keys": [{"id": "…", "secret": "<base64 of at least 32 bytes>"}]}.`,
    );
  }
  return result.data.keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, "base64") }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Reads the keyring, or creates one with a single new key if the file is missing. If several processes do so at once,
 * one creates it and all read the same.
 */
export async function readOrMakeKeyringFile(path: string): Promise<KeyringKey[]> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  const keyring = { keys: [{ id: "first", secret: randomBytes(SECRET_BYTES).toString("base64") }] };
  await writeFile(draft, `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600 });
  try {
    // A link appears together with its content and never replaces an existing file.
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readKeyringFile(path);
}
