import { expect, test } from "vitest";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../../platform/http/guarded-fetch.ts";
import { readSubmissionByUrl, receiveUrls } from "./receive-urls.ts";

const URLS = ["https://files.example/boleta.pdf"];
const PDF = Buffer.from("%PDF-1.7\n");
type Asked = Parameters<GuardedFetch["fetch"]>[0];

const answerPdf = async () => ({ status: 200, body: PDF });

/**
 * Receives files of these URLs, each of which is a PDF where nothing else is given; returns what was asked for, and the
 * files.
 */
async function received(urls: readonly string[], answer: () => Promise<object> = answerPdf) {
  const asked: Asked[] = [];
  const guardedFetch = {
    async fetch(request: Asked) {
      asked.push(request);
      return answer();
    },
  } as unknown as GuardedFetch;
  const storage = {
    async put(_name: string, content: AsyncIterable<unknown>) {
      for await (const _chunk of content);
    },
  } as unknown as FileStorage;
  let count = 0;
  const files = await receiveUrls({ storage, guardedFetch }, urls, () => `file-${count++}`);
  return { asked, files };
}

test("a file is given ten seconds, three redirects and two megabytes", async () => {
  const { asked } = await received(URLS);
  const limits = { timeoutMs: 10_000, redirectsMax: 3, answerBytesMax: 2_097_152, longerAnswer: "refuse" };
  expect(asked).toEqual([{ url: URLS[0], ...limits }]);
});

test.each([
  ["is larger", new FetchFailed("too_large"), { code: "file_too_large" }],
  ["takes longer", new FetchFailed("timeout"), { code: "processing_error" }],
  ["is redirected more often", new UrlRefused("too_many_redirects"), { code: "processing_error" }],
])("a file that %s is refused", async (_, error, refusal) => {
  const refused = received(URLS, () => Promise.reject(error));
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject(refusal);
});

test("a fault of our own is no fault of the file's", async () => {
  const fault = new TypeError("It is not a function.");
  await expect(received(URLS, () => Promise.reject(fault))).rejects.toBe(fault);
});

test.each([
  ["https://files.example/a/boleta%20de%20Jos%C3%A9.pdf?key=secret", "boleta de José.pdf"],
  ["https://files.example/bad%ZZ.pdf", "bad%ZZ.pdf"],
  ["https://files.example/", "archivo-1.pdf"],
])("the file of %s is named %s", async (url, name) => {
  const { files } = await received([url]);
  expect(files).toMatchObject([{ name, bytes: PDF.length, type: "application/pdf", storageName: "file-0" }]);
});

test("what is no text or whole number is kept as it came, unless it is a list of kinds of service", () => {
  const read = (fields: object) => readSubmissionByUrl({ urls: URLS, ...fields } as never).fields;
  expect(read({ expense_subtypes: ["exam", "medicine"] })).toMatchObject({
    subtypes: ["exam", "medicine"],
    unread: {},
  });
  expect(read({ total: [40_000] })).toMatchObject({ total: null, unread: { total: "[40000]" } });
  expect(read({ expense_subtypes: { a: "exam" } })).toMatchObject({
    subtypes: [],
    unread: { expense_subtypes: '{"a":"exam"}' },
  });
  expect(read({ name: null, total: undefined, date: "21/11/2026" })).toMatchObject({ date: "2026-11-21", unread: {} });
});

test.each([
  [[], "no_files"],
  [Array(6).fill(URLS[0]), "too_many_files"],
])("%j are refused as %s, and five are not", (urls, code) => {
  expect(readSubmissionByUrl({ urls: Array(5).fill(URLS[0]) } as never).urls).toHaveLength(5);
  expect(() => readSubmissionByUrl({ urls } as never)).toThrow(expect.objectContaining({ code }));
  expect(() => readSubmissionByUrl({ urls } as never)).toThrow(ApiError);
});
