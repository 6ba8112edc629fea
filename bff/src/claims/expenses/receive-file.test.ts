import { expect, test } from "vitest";
import { type FileStorage, FileStorageUnavailable } from "../../gateways/file-storage.ts";
import { cleanName, receiveFile } from "./receive-file.ts";

/** Receives a file into a storage that fails with this error. */
async function receivedBy(failure: Error, content: unknown = Buffer.from("%PDF-1.7\n")): Promise<unknown> {
  const storage = { put: () => Promise.reject(failure) } as unknown as FileStorage;
  const file = {
    storageName: "file-1",
    name: "boleta.pdf",
    position: 1,
    content: (async function* () {
      yield content;
    })(),
  };
  return receiveFile(storage, file).catch((error: unknown) => error);
}

test("an unavailable storage allows a retry, and any other storage error is thrown unchanged", async () => {
  expect(await receivedBy(new FileStorageUnavailable("The disk is full."))).toMatchObject({
    code: "service_unavailable",
  });
  const fault = new Error("It has no such folder.");
  expect(await receivedBy(fault)).toBe(fault);
});

test("file content that arrives as text is a defect of the parser", async () => {
  expect(await receivedBy(new Error("not reached"), "%PDF-1.7")).toMatchObject({
    message: "A file's content must come as bytes.",
  });
});

test.each([
  ["", ""],
  ["/tmp/", ""],
  [" boleta.pdf\u0000 ", "boleta.pdf"],
  ["x".repeat(255), "x".repeat(255)],
  ["x".repeat(256), "x".repeat(255)],
  [`${"x".repeat(254)}😀.pdf`, "x".repeat(254)],
])("the file name %j is stored as %j", (name, kept) => expect(cleanName(name)).toBe(kept));
