import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";

/** The only source of randomness: identifiers, secrets and one-time codes. Code below `main.ts` uses no other. */
export interface Ids {
  /** A version-4 UUID in lower case. */
  uuid(): string;
  /** This many random bytes. */
  bytes(length: number): Uint8Array;
  /** This many decimal digits, each equally likely, with leading zeros. */
  digits(count: number): string;
}

/** Unguessable values from the operating system's generator. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
  digits: (count) => Array.from({ length: count }, () => randomInt(10)).join(""),
};

/**
 * Returns the same sequence of values for the same seed. For simulations and tests only, because the seed determines
 * every value.
 */
export function seededIds(seed: string | number): Ids {
  const next = seededByteSource(String(seed));
  return {
    uuid: () => asVersion4(next(16)),
    bytes: next,
    digits: (count) => Array.from({ length: count }, () => digitFrom(next)).join(""),
  };
}

/** SHA-256 of seed and a counter: slower than a normal generator, but identical on every machine. */
function seededByteSource(seed: string): (length: number) => Uint8Array {
  let counter = 0;
  let left = Buffer.alloc(0);
  return (length) => {
    while (left.length < length) {
      const block = createHash("sha256").update(`${seed}:${counter++}`).digest();
      left = Buffer.concat([left, block]);
    }
    const taken = left.subarray(0, length);
    left = left.subarray(length);
    return Buffer.from(taken);
  };
}

function digitFrom(next: (length: number) => Uint8Array): number {
  // 250 is the largest multiple of ten in a byte. Using the remaining values would make some digits likelier.
  for (;;) {
    const byte = next(1)[0] ?? 255;
    if (byte < 250) return byte % 10;
  }
}

/**
 * The id of something that happens once for a purpose, such as `<order>:first:<n>`: a version-8 UUID derived from the
 * purpose alone. A database restored to an earlier moment derives the same id again, so that a gateway recognises a
 * call it has already answered (`docs/decisions/0019-calls-are-named-after-their-purpose.md`).
 */
export function idFor(purpose: string): string {
  return asUuid(createHash("sha256").update(purpose).digest().subarray(0, 16), 0x80);
}

/**
 * Turns a random id into one that sorts by its moment: a version-7 UUID of the moment's milliseconds and 74 random bits
 * of the id. For keys of tables that only grow and of rows whose ids stay internal. Such an id reveals its moment, so
 * ids that patients, partners or gateways see stay random (`docs/decisions/0008-ids-that-only-we-see-are-in-order.md`).
 */
export function orderedId(random: string, at: Date): string {
  const milliseconds = at.getTime().toString(16).padStart(12, "0");
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${random.slice("xxxxxxxx-xxxx-4".length)}`;
}

function asVersion4(bytes: Uint8Array): string {
  return asUuid(bytes, 0x40);
}

function asUuid(bytes: Uint8Array, version: number): string {
  const shaped = Buffer.from(bytes);
  shaped.writeUInt8((shaped.readUInt8(6) & 0x0f) | version, 6);
  shaped.writeUInt8((shaped.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = shaped.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
