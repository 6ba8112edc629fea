import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";

/** The only source of randomness: identifiers, secrets and one-time codes. Nothing below `main.ts` makes its own. */
export interface Ids {
  /** A version-4 UUID in lower case. */
  uuid(): string;
  /** So many random bytes. */
  bytes(length: number): Uint8Array;
  /** So many decimal digits, each equally likely, leading zeros kept. */
  digits(count: number): string;
}

/** Unguessable values from the operating system's generator. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
  digits: (count) => Array.from({ length: count }, () => randomInt(10)).join(""),
};

/**
 * The same values for the same seed, in the order in which they are asked for. For simulations and tests only: whoever
 * knows the seed knows every value.
 */
export function seededIds(seed: string | number): Ids {
  const next = seededByteSource(String(seed));
  return {
    uuid: () => asVersion4(next(16)),
    bytes: next,
    digits: (count) => Array.from({ length: count }, () => digitFrom(next)).join(""),
  };
}

/** SHA-256 of seed and counter, block after block: slow beside a real generator, but the same on every machine. */
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
  // 250 is the largest multiple of ten in a byte; taking the rest would make some digits likelier than others.
  for (;;) {
    const byte = next(1)[0] ?? 255;
    if (byte < 250) return byte % 10;
  }
}

function asVersion4(bytes: Uint8Array): string {
  const shaped = Buffer.from(bytes);
  shaped.writeUInt8((shaped.readUInt8(6) & 0x0f) | 0x40, 6);
  shaped.writeUInt8((shaped.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = shaped.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
