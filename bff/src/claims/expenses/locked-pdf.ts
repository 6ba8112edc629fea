import { createCipheriv, createHash } from "node:crypto";

/*
 * Whether a PDF opens without a password (ISO 32000-2, 7.6). Reads only its encryption dictionary, never its pages.
 * Every search is bounded, so that the time stays linear in the file's 2 MB.
 */

/** Every encrypted PDF contains this name unencrypted, in its trailer. */
export const ENCRYPTION_NAME = "/Encrypt";

/** The last trailers count, because an update of a PDF appends one. */
const CANDIDATES_MAX = 2;
const SEARCHES_MAX = 32;
/** More than any encryption dictionary needs. */
const DICTIONARY_BYTES = 8_192;
const TRAILER_BYTES = 4_096;

/** Whether the pages of a PDF need a password that the file does not contain. */
export function needsPassword(pdf: Buffer): boolean {
  const encryption = findEncryption(pdf);
  return encryption !== null && !opensWithoutPassword(encryption);
}

interface Encryption {
  readonly dictionary: string;
  /** The first of the trailer's two ids. */
  readonly id: Buffer;
}

function findEncryption(pdf: Buffer): Encryption | null {
  let end = pdf.length;
  for (let candidate = 0; candidate < CANDIDATES_MAX; candidate += 1) {
    const at = end < 0 ? -1 : pdf.lastIndexOf(ENCRYPTION_NAME, end, "latin1");
    if (at < 0) return null;
    end = at - 1;
    const dictionary = dictionaryAt(pdf, at + ENCRYPTION_NAME.length);
    if (dictionary !== null && isEncryption(dictionary)) return { dictionary, id: idBeside(pdf, at) };
  }
  return null;
}

/** A text may contain the name too, followed by any object. A stream's filter is not a security handler. */
function isEncryption(dictionary: string): boolean {
  return /\/Filter\s*\/(?!\w*Decode\b|Crypt\b)/.test(dictionary) && /\/V\s+\d/.test(dictionary);
}

/** The text of the encryption dictionary, which follows its name or is the object named there. */
function dictionaryAt(pdf: Buffer, at: number): string | null {
  const value = textOf(pdf, at, 64);
  if (/^\s*<</.test(value)) return textOf(pdf, at, DICTIONARY_BYTES);
  const [, number, generation] = /^\s*(\d{1,10})\s+(\d{1,5})\s+R\b/.exec(value) ?? [];
  if (number === undefined) return null;
  const object = lastObject(pdf, `${number} ${generation} obj`);
  if (object === null) return null;
  const [text = ""] = textOf(pdf, object, DICTIONARY_BYTES).split("endobj", 1);
  return text;
}

/** The start of the last definition of an object, which is the valid one. "5 0 obj" must not match "15 0 obj". */
function lastObject(pdf: Buffer, name: string): number | null {
  let end = pdf.length;
  for (let search = 0; search < SEARCHES_MAX; search += 1) {
    const at = pdf.lastIndexOf(name, end, "latin1");
    if (at < 0) return null;
    if (!isDigit(pdf[at - 1])) return at;
    end = at - 1;
  }
  return null;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function idBeside(pdf: Buffer, at: number): Buffer {
  const trailer = textOf(pdf, Math.max(0, at - TRAILER_BYTES), 2 * TRAILER_BYTES);
  const found = /\/ID\s*\[\s*(?=[(<])/.exec(trailer);
  return found === null ? Buffer.alloc(0) : (stringAt(trailer, found.index + found[0].length) ?? Buffer.alloc(0));
}

function textOf(pdf: Buffer, from: number, length: number): string {
  return pdf.toString("latin1", from, Math.min(pdf.length, from + length));
}

function opensWithoutPassword({ dictionary, id }: Encryption): boolean {
  // Other handlers need a certificate or a key server.
  if (!/\/Filter\s*\/Standard\b/.test(dictionary)) return false;
  const [owner, user] = [stringIn(dictionary, "O"), stringIn(dictionary, "U")];
  if (owner === null || user === null) return false;
  switch (numberIn(dictionary, "R")) {
    case 2:
      return rc4(keyOf(dictionary, { owner, id, bytes: 5 }), PADDING).equals(user.subarray(0, 32));
    case 3:
    case 4:
      return matchesRc4User(keyOf(dictionary, { owner, id, bytes: keyBytesOf(dictionary) }), id, user);
    case 5:
      return createHash("sha256").update(saltOf(user)).digest().equals(user.subarray(0, 32));
    case 6:
      return hardenedHash(saltOf(user)).equals(user.subarray(0, 32));
    default:
      return false;
  }
}

/** The padding of an empty password. */
const PADDING = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

function keyBytesOf(dictionary: string): number {
  if (numberIn(dictionary, "V") === 4) return 16;
  const bits = numberIn(dictionary, "Length") ?? 40;
  return Math.min(16, Math.max(5, Math.floor(bits / 8)));
}

/** Algorithm 2: the file's key for the empty password. */
function keyOf(
  dictionary: string,
  { owner, id, bytes }: { readonly owner: Buffer; readonly id: Buffer; readonly bytes: number },
): Buffer {
  const permissions = Buffer.alloc(4);
  permissions.writeUInt32LE((numberIn(dictionary, "P") ?? 0) >>> 0);
  const revision = numberIn(dictionary, "R") ?? 0;
  const isPlainMetadata = revision >= 4 && /\/EncryptMetadata\s+false\b/.test(dictionary);
  const parts = [PADDING, owner.subarray(0, 32), permissions, id, ...(isPlainMetadata ? [Buffer.alloc(4, 0xff)] : [])];
  let key = md5(...parts).subarray(0, bytes);
  if (revision >= 3) for (let round = 0; round < 50; round += 1) key = md5(key).subarray(0, bytes);
  return key;
}

/** Algorithm 5: the first half of `U` for a key. */
function matchesRc4User(key: Buffer, id: Buffer, user: Buffer): boolean {
  let value = rc4(key, md5(PADDING, id));
  for (let round = 1; round < 20; round += 1) value = rc4(Buffer.from(key.map((byte) => byte ^ round)), value);
  return value.equals(user.subarray(0, 16));
}

/** `U` consists of a 32-byte hash, 8 bytes of salt for it, and 8 for the key. */
function saltOf(user: Buffer): Buffer {
  return user.subarray(32, 40);
}

/** Algorithm 2.B for the empty password. It ends after at most 287 rounds, because the last byte is at most 255. */
function hardenedHash(salt: Buffer): Buffer {
  let key = createHash("sha256").update(salt).digest();
  for (let round = 0; ; round += 1) {
    const repeated = Buffer.concat(Array.from({ length: 64 }, () => key));
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const encrypted = cipher.update(repeated);
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash((["sha256", "sha384", "sha512"] as const)[remainder] ?? "sha256")
      .update(encrypted)
      .digest();
    if (round >= 63 && (encrypted.at(-1) ?? 0) <= round - 31) return key.subarray(0, 32);
  }
}

function md5(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("md5");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** OpenSSL no longer offers it. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (one: number, other: number) => {
    [state[one], state[other]] = [at(other), at(one)];
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}

function numberIn(dictionary: string, name: string): number | null {
  const [, digits] = new RegExp(`/${name}\\s+(-?\\d{1,11})\\b`).exec(dictionary) ?? [];
  return digits === undefined ? null : Number(digits);
}

function stringIn(dictionary: string, name: string): Buffer | null {
  const found = new RegExp(`/${name}\\s*(?=[(<])`).exec(dictionary);
  return found === null ? null : stringAt(dictionary, found.index + found[0].length);
}

const STRING_BYTES_MAX = 256;

/** The bytes of a PDF string, in hexadecimal (`<…>`) or literal (`(…)`) form. */
function stringAt(text: string, at: number): Buffer | null {
  if (text[at] === "(") return literalAt(text, at);
  const [, digits] = /^<([\da-f\s]{0,1024})>/i.exec(text.slice(at, at + 1_026)) ?? [];
  return digits === undefined ? null : Buffer.from(digits.replaceAll(/\s/g, ""), "hex");
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

function literalAt(text: string, from: number): Buffer | null {
  const bytes: number[] = [];
  let depth = 0;
  for (let at = from; at < text.length && bytes.length <= STRING_BYTES_MAX; at += 1) {
    const character = text[at] ?? "";
    if (character === "(" && depth++ === 0) continue;
    if (character === ")" && --depth === 0) return Buffer.from(bytes);
    if (character !== "\\") {
      const isLineEnd = character === "\r";
      if (isLineEnd && text[at + 1] === "\n") at += 1;
      bytes.push(isLineEnd ? 10 : character.charCodeAt(0));
      continue;
    }
    const [octal] = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4)) ?? [];
    const next = text[at + 1] ?? "";
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
    else if (next !== "\n" && next !== "\r") bytes.push(ESCAPES[next] ?? next.charCodeAt(0));
    at += octal?.length ?? (next === "\r" && text[at + 2] === "\n" ? 2 : 1);
  }
  return null;
}
