import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

export interface KeyringKey {
  /** Stored with every value that the key made: letters, digits, dash and underscore, at most 32. */
  id: string;
  /** At least 32 random bytes. */
  secret: Uint8Array;
}

export interface KeyringOptions {
  /** Newest first. The first one creates new values; all of them check and open existing ones. */
  keys: readonly KeyringKey[];
  /** Values created in one environment are invalid in any other, even with the same keys. */
  environment: string;
}

/**
 * The server's own keys. `purpose` names the use of a value (`credential.client_secret`), which is invalid for any
 * other purpose.
 */
export interface Keyring {
  /** The ids of the keys, newest first. */
  readonly keyIds: readonly string[];
  /** By key id: distinguishes the key from another one with the same id, but reveals nothing about it. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** A keyed hash (HMAC-SHA-256) of a value, by the newest key: `<key id>.<hash>`. */
  hmac(purpose: string, value: string): string;
  /** The keyed hashes of a value by every key, newest first, to find rows written under older keys. */
  hmacsOfAllKeys(purpose: string, value: string): [string, ...string[]];
  /** Whether a keyed hash belongs to this value. Compares in constant time. */
  matches(purpose: string, value: string, hash: string): boolean;
  /** Encrypts a text (AES-256-GCM) with the newest key: `<key id>.<sealed>`. */
  seal(plaintext: string, purpose: string): string;
  /**
   * Encrypts like `seal`, but yields the same value for the same text, for calls that are repeated word for word.
   * Comparing two values reveals whether their texts are equal.
   */
  sealRepeatably(plaintext: string, purpose: string): string;
  /** Decrypts a value of `seal` or `sealRepeatably`. Throws `SealBroken`. */
  open(sealed: string, purpose: string): string;
  /** Encrypts bytes, such as files. */
  sealBytes(plaintext: Uint8Array, purpose: string): Uint8Array;
  openBytes(sealed: Uint8Array, purpose: string): Uint8Array;
  /** An Ed25519 key pair for each key, newest first, for data that others verify with the public half. */
  signingKeys(purpose: string): readonly SigningKey[];
}

export interface SigningKey {
  /** The id of the keyring's key. */
  readonly id: string;
  readonly privateKey: KeyObject;
}

/**
 * Thrown when sealed text or bytes were changed, were made for another purpose or environment, or their key is gone.
 */
export class SealBroken extends Error {
  override readonly name = "SealBroken";
  readonly code = "seal_broken";
}

const secretBytesMin = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdShape = /^[A-Za-z0-9_-]{1,32}$/;

interface DerivedKey {
  id: string;
  // Not bytes, because Node would make a key of them at each use, which takes five times as long as a short hash.
  hmacKey: KeyObject;
  sealKey: KeyObject;
  signKey: KeyObject;
}

/** Creates a keyring. Throws `RangeError` for an unusable list of keys. */
export function createKeyring({ keys, environment }: KeyringOptions): Keyring {
  const derived = keys.map((key) => derive(key, environment));
  const [newest, ...older] = derived;
  if (newest === undefined) throw new RangeError("A keyring needs at least one key.");
  const byId = new Map(derived.map((key) => [key.id, key]));
  if (byId.size !== keys.length) throw new RangeError("Two keys of a keyring have the same id.");
  const keyOf = (id: string): DerivedKey => {
    const key = byId.get(id);
    if (key === undefined) throw new SealBroken("The key that sealed this is not in the keyring.");
    return key;
  };
  // Creating a private key takes ten times as long as signing with it. There is one purpose for each use.
  const signing = new Map<string, readonly SigningKey[]>();
  const sealText = (plaintext: string, purpose: string, nonce: Buffer) =>
    `${newest.id}.${encrypt(newest, Buffer.from(plaintext, "utf8"), purpose, nonce).toString("base64url")}`;
  return {
    keyIds: derived.map(({ id }) => id),
    fingerprints: Object.fromEntries(derived.map((key) => [key.id, hashWith(key, "keyring.fingerprint", key.id)])),
    hmac: (purpose, value) => hashWith(newest, purpose, value),
    hmacsOfAllKeys: (purpose, value) => [
      hashWith(newest, purpose, value),
      ...older.map((key) => hashWith(key, purpose, value)),
    ],
    matches(purpose, value, hash) {
      // Does the same work if the key is missing or no code was sent.
      const key = byId.get(hash.slice(0, hash.indexOf("."))) ?? newest;
      return equalInConstantTime(hashWith(key, purpose, value), hash);
    },
    signingKeys(purpose) {
      const made = signing.get(purpose) ?? derived.map((key) => signingKey(key, purpose));
      signing.set(purpose, made);
      return made;
    },
    seal: (plaintext, purpose) => sealText(plaintext, purpose, randomNonce()),
    sealRepeatably: (plaintext, purpose) => sealText(plaintext, purpose, nonceOf(newest, purpose, plaintext)),
    open(sealed, purpose) {
      const dot = sealed.indexOf(".");
      return decrypt(keyOf(sealed.slice(0, dot)), readBase64Url(sealed.slice(dot + 1)), purpose).toString("utf8");
    },
    sealBytes: (plaintext, purpose) =>
      Buffer.concat([Buffer.from(`${newest.id}.`, "latin1"), encrypt(newest, plaintext, purpose, randomNonce())]),
    openBytes(sealed, purpose) {
      const dot = sealed.indexOf(0x2e);
      return decrypt(keyOf(Buffer.from(sealed.subarray(0, dot)).toString("latin1")), sealed.subarray(dot + 1), purpose);
    },
  };
}

/** Whether two secrets are equal. Compares in constant time. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [hashOfA, hashOfB] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return hashOfA !== undefined && hashOfB !== undefined && timingSafeEqual(hashOfA, hashOfB);
}

/** Derives one key for hashes and one for sealing, for this environment only. */
function derive({ id, secret }: KeyringKey, environment: string): DerivedKey {
  if (!keyIdShape.test(id)) throw new RangeError("A key's id has 1 to 32 letters, digits, dashes or underscores.");
  if (secret.length < secretBytesMin) throw new RangeError(`A key's secret has at least ${secretBytesMin} bytes.`);
  const part = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", `aapd/${environment}/${use}`, 32)));
  return { id, hmacKey: part("hmac"), sealKey: part("seal"), signKey: part("sign") };
}

/** The bytes before the 32 of an Ed25519 private key in PKCS #8 (RFC 8410). */
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function signingKey({ id, signKey }: DerivedKey, purpose: string): SigningKey {
  const seed = createHmac("sha256", signKey).update(purpose).digest();
  const key = Buffer.concat([ED25519_PKCS8, seed]);
  return { id, privateKey: createPrivateKey({ key, format: "der", type: "pkcs8" }) };
}

function hashWith(key: DerivedKey, purpose: string, value: string): string {
  // The length distinguishes purpose "a", value "bc" from purpose "ab", value "c".
  const hash = createHmac("sha256", key.hmacKey).update(`${purpose.length}:${purpose}:${value}`).digest("base64url");
  return `${key.id}.${hash}`;
}

/** Not from the injected `Ids`: with this cipher a repeated nonce, as under a fixed seed, would reveal the key. */
function randomNonce(): Buffer {
  return randomBytes(nonceBytes);
}

/** A nonce that only repeats with its text. Another text under the same nonce is as unlikely as with a random one. */
function nonceOf(key: DerivedKey, purpose: string, plaintext: string): Buffer {
  return createHmac("sha256", key.hmacKey)
    .update(`nonce:${purpose.length}:${purpose}:${plaintext}`)
    .digest()
    .subarray(0, nonceBytes);
}

function encrypt(key: DerivedKey, plaintext: Uint8Array, purpose: string, nonce: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key.sealKey, nonce).setAAD(additionalData(key, purpose));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

function decrypt(key: DerivedKey, sealed: Uint8Array, purpose: string): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new SealBroken("The sealed value is too short.");
  const tagAt = sealed.length - tagBytes;
  const decipher = createDecipheriv("aes-256-gcm", key.sealKey, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(additionalData(key, purpose))
    .setAuthTag(sealed.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken("The sealed value was changed, or is for another purpose.", { cause });
  }
}

function additionalData(key: DerivedKey, purpose: string): Buffer {
  return Buffer.from(`${key.id}:${purpose}`, "utf8");
}

function readBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  // Node ignores characters that are not base64url, but a changed text must not open.
  if (bytes.toString("base64url") !== text) throw new SealBroken("The sealed value is not base64url.");
  return bytes;
}
