import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FolderDriver } from "../../../src/gateways/file-storage/folder-driver.ts";
import { type FileStorage, FileStorageUnavailable, FileUnreadable } from "../../../src/gateways/file-storage.ts";
import { FileRefused, openFileStorage, STORED_FILE_BYTES_MAX } from "../../../src/gateways/open-file-storage.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";

const key = (id: string) => ({ id, secret: systemIds.bytes(32) });
const oldKey = key("k1");
const keyring = createKeyring({ keys: [oldKey], environment: "staging" });
const text = (value: string) => new TextEncoder().encode(value);
const newName = () => systemIds.uuid();

/** The actual content of the disk or the bucket. */
interface Place {
  readonly storage: FileStorage;
  readonly withKeyring: (other: typeof keyring) => Promise<FileStorage>;
  raw(name: string): Promise<Uint8Array | null>;
  overwrite(name: string, bytes: Uint8Array): Promise<void>;
  remove(): Promise<void>;
  /** Only for a server. */
  readonly port?: number;
}

async function openFolder(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), "aapd-files-"));
  const withKeyring = (other: typeof keyring) =>
    openFileStorage({ location: { kind: "folder", path }, keyring: other });
  const placeOf = (name: string) => join(path, name.slice(0, 2), name);
  return {
    storage: await withKeyring(keyring),
    withKeyring,
    raw: (name) => readFile(placeOf(name)).catch(() => null),
    async overwrite(name, bytes) {
      await mkdir(join(path, name.slice(0, 2)), { recursive: true });
      await writeFile(placeOf(name), bytes);
    },
    remove: () => rm(path, { recursive: true }),
  };
}

/** A real S3-compatible server that stores files. It checks the name of the key, but not the signature (version 4). */
async function openBucket(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), "aapd-bucket-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "uploads", configs: [] }],
  });
  const { port } = await server.run();
  const location = bucketAt(port, KNOWN_KEY);
  const withKeyring = (other: typeof keyring) => openFileStorage({ location, keyring: other });
  const placeOf = (name: string) => join(directory, "uploads", name.slice(0, 2), `${name}._S3rver_object`);
  return {
    storage: await withKeyring(keyring),
    withKeyring,
    raw: (name) => readFile(placeOf(name)).catch(() => null),
    overwrite: (name, bytes) => writeFile(placeOf(name), bytes),
    port,
    async remove() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** The one key that the server knows. */
const KNOWN_KEY = "S3RVER";

function bucketAt(port: number, accessKeyId: string) {
  const credentials = { accessKeyId, secretAccessKey: "S3RVER" };
  const endpoint = `http://127.0.0.1:${port}`;
  return { kind: "s3", bucket: "uploads", region: "us-east-1", endpoint, credentials } as const;
}

describe.each([
  ["a folder", openFolder],
  ["a bucket", openBucket],
])("file storage in %s", (_name, open) => {
  let place: Place;
  let storage: FileStorage;
  beforeAll(async () => {
    place = await open();
    storage = place.storage;
  });
  afterAll(() => place.remove());

  it("returns stored content, from bytes and from a stream", async () => {
    const [first, second, empty] = [newName(), newName(), newName()];
    await storage.put(first, text("%PDF receipt"));
    await storage.put(second, Readable.from([text("%PDF "), text("order")], { objectMode: false }));
    await storage.put(empty, new Uint8Array());
    expect(Buffer.from(await storage.get(first)).toString()).toBe("%PDF receipt");
    expect(Buffer.from(await storage.get(second)).toString()).toBe("%PDF order");
    expect(await storage.get(empty)).toHaveLength(0);
  });

  it("returns two megabytes unchanged", async () => {
    const name = newName();
    const bytes = systemIds.bytes(2 * 1024 * 1024);
    await storage.put(name, bytes);
    expect(Buffer.compare(await storage.get(name), bytes)).toBe(0);
  });

  it("stores nothing in the clear", async () => {
    const name = newName();
    await storage.put(name, text("%PDF receipt of Camila Rojas"));
    const raw = Buffer.from((await place.raw(name)) ?? []);
    expect(raw.length).toBeGreaterThan(20);
    expect(raw.includes("Camila")).toBe(false);
  });

  it("opens files of an older key only while the keyring holds that key", async () => {
    const name = newName();
    await storage.put(name, text("old"));
    const newest = key("k2");
    const rotated = await place.withKeyring(createKeyring({ keys: [newest, oldKey], environment: "staging" }));
    expect(Buffer.from(await rotated.get(name)).toString()).toBe("old");
    const without = await place.withKeyring(createKeyring({ keys: [newest], environment: "staging" }));
    await expect(without.get(name)).rejects.toThrow(FileUnreadable);
  });

  it("detects a changed file, and one replaced by another", async () => {
    const [first, second] = [newName(), newName()];
    await storage.put(first, text("first"));
    await storage.put(second, text("second"));
    const raw = (await place.raw(first)) ?? new Uint8Array();
    await place.overwrite(second, raw);
    await expect(storage.get(second)).rejects.toThrow(FileUnreadable);
    await place.overwrite(first, raw.with(raw.length - 1, (raw.at(-1) ?? 0) ^ 1));
    await expect(storage.get(first)).rejects.toThrow(FileUnreadable);
  });

  it("forgets deleted files, and deleting a missing file does no harm", async () => {
    const name = newName();
    await storage.put(name, text("gone"));
    await storage.delete(name);
    await storage.delete(name);
    await storage.delete(newName());
    expect(await place.raw(name)).toBeNull();
    await expect(storage.get(name)).rejects.toThrow(FileUnreadable);
  });

  it("lists the names with a prefix, and none before the first file", async () => {
    expect(await storage.list("log-of")).toEqual([]);
    const names = [`log-of-${newName()}`, `log-of-${newName()}`];
    for (const name of [...names, `log-in-${newName()}`]) await storage.put(name, text("an entry"));
    expect((await storage.list("log-of")).toSorted()).toEqual(names.toSorted());
    for (const name of await storage.list("log-")) await storage.delete(name);
  });

  it("stores nothing from a stream that fails, and throws its error", async () => {
    const name = newName();
    const failing = async function* () {
      yield text("half of it");
      throw new Error("the sender went away");
    };
    await expect(storage.put(name, Readable.from(failing(), { objectMode: false }))).rejects.toThrow("went away");
    expect(await place.raw(name)).toBeNull();
  });

  it("refuses a file that is too large, from bytes and from a stream", async () => {
    const [first, second] = [newName(), newName()];
    const tooLarge = new Uint8Array(STORED_FILE_BYTES_MAX + 1);
    await expect(storage.put(first, tooLarge)).rejects.toThrow(FileRefused);
    await expect(storage.put(second, Readable.from([tooLarge], { objectMode: false }))).rejects.toThrow(FileRefused);
    expect(await place.raw(first)).toBeNull();
    expect(await place.raw(second)).toBeNull();
  });

  it.each([
    "../../etc/passwd",
    "a/b",
    "",
    "short",
    "UPPER-CASE-NAME",
    `${"a".repeat(200)}`,
    "name.with.dots",
    "a\0bcdefgh",
  ])("refuses the invalid name %j", async (name) => {
    await expect(storage.put(name, text("x"))).rejects.toThrow(FileRefused);
    await expect(storage.get(name)).rejects.toThrow(FileUnreadable);
    await expect(storage.delete(name)).rejects.toThrow(FileRefused);
  });
});

describe("the folder", () => {
  it("has files for this process's user only, and no unfinished ones", async () => {
    const path = await mkdtemp(join(tmpdir(), "aapd-files-"));
    const storage = await openFileStorage({ location: { kind: "folder", path }, keyring });
    const name = newName();
    await storage.put(name, text("x"));
    expect((await stat(join(path, name.slice(0, 2), name))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, "drafts"))).toEqual([]);
    await writeFile(join(path, "drafts", name), "left by a process that died");
    await storage.delete(name);
    expect(await readdir(join(path, "drafts"))).toEqual([]);
    await rm(path, { recursive: true });
  });

  it("syncs the names of new folders too, including folders of another process", async () => {
    const place = await mkdtemp(join(tmpdir(), "aapd-files-"));
    const root = join(place, "files");
    const synced: string[] = [];
    const opened = () => new FolderDriver(root, async (folder) => void synced.push(folder));
    const syncedBy = async (put: Promise<void>) => {
      synced.length = 0;
      await put;
      return [...synced];
    };
    const driver = opened();
    expect(await syncedBy(driver.put("ab/first", "x"))).toEqual([root, place, join(root, "ab")]);
    expect(await syncedBy(driver.put("ab/second", "x"))).toEqual([join(root, "ab")]);
    expect(await syncedBy(driver.put("cd/third", "x"))).toEqual([root, join(root, "cd")]);
    expect(await syncedBy(opened().put("ab/fourth", "x"))).toEqual([root, join(root, "ab")]);
    await rm(place, { recursive: true });
  });
});

it("a bucket that refuses our credentials is reported", async () => {
  const { port = 0, raw, remove } = await openBucket();
  const stranger = await openFileStorage({ location: bucketAt(port, "another"), keyring });
  const name = newName();
  await expect(stranger.put(name, text("%PDF"))).rejects.toThrow();
  expect(await raw(name)).toBeNull();
  await remove();
});

it("a storage that refuses a file is reported as a temporary failure", async () => {
  const folder = await mkdtemp(join(tmpdir(), "aapd-no-room-"));
  const path = join(folder, "no-folder");
  await writeFile(path, "A file stands where the folder should be.");
  const storage = await openFileStorage({ location: { kind: "folder", path }, keyring });
  await expect(storage.put(newName(), text("anything"))).rejects.toBeInstanceOf(FileStorageUnavailable);
  await rm(folder, { recursive: true });
});
