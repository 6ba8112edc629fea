import { expect, test } from "vitest";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../../platform/http/guarded-fetch.ts";
import { readSubmissionByUrl, receiveUrls } from "./receive-urls.ts";

const URLS = ["https://files.example/boleta.pdf"];
const PDF = Buffer.from("%PDF-1.7\n");
type Asked = Parameters<GuardedFetch["fetch"]>[0];

const answerPdf = async () => ({ status: 200, body: PDF });

/** Receives files from these URLs, each a PDF by default. Returns the requests and the files. */
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

test("each fetch is limited to 10 seconds, 3 redirects and 2 MB", async () => {
  const { asked } = await received(URLS);
  const limits = { timeoutMs: 10_000, redirectsMax: 3, answerBytesMax: 2_097_152, longerAnswer: "refuse" };
  expect(asked).toEqual([{ url: URLS[0], ...limits }]);
});

test.each([
  ["exceeds the size", new FetchFailed("too_large"), { code: "file_too_large" }],
  ["exceeds the time", new FetchFailed("timeout"), { code: "processing_error" }],
  ["exceeds the redirects", new UrlRefused("too_many_redirects"), { code: "processing_error" }],
])("a file that %s is rejected", async (_, error, refusal) => {
  const refused = received(URLS, () => Promise.reject(error));
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject(refusal);
});

test("an internal error is not reported as a fault of the file", async () => {
  const fault = new TypeError("It is not a function.");
  await expect(received(URLS, () => Promise.reject(fault))).rejects.toBe(fault);
});

test.each([
  ["https://files.example/a/boleta%20de%20Jos%C3%A9.pdf?key=secret", "boleta de José.pdf"],
  ["https://files.example/bad%ZZ.pdf", "bad%ZZ.pdf"],
  ["https://files.example/", "archivo-1.pdf"],
])("the file from %s is named %s", async (url, name) => {
  const { files } = await received([url]);
  expect(files).toMatchObject([{ name, bytes: PDF.length, type: "application/pdf", storageName: "file-0" }]);
});

test("a value that is neither text nor a whole number is kept as received, except a list of service kinds", () => {
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
])("%j is rejected as %s, and five addresses are accepted", (urls, code) => {
  expect(readSubmissionByUrl({ urls: Array(5).fill(URLS[0]) } as never).urls).toHaveLength(5);
  expect(() => readSubmissionByUrl({ urls } as never)).toThrow(expect.objectContaining({ code }));
  expect(() => readSubmissionByUrl({ urls } as never)).toThrow(ApiError);
});
