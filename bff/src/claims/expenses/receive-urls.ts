import type * as z from "zod/mini";
import type { FieldIssue } from "../../contract/errors.ts";
import type { submitExpenseByUrlRequestSchema } from "../../contract/expenses.ts";
import {
  EXPENSE_FETCH_REDIRECTS_MAX,
  EXPENSE_FETCH_TIMEOUT_SECONDS,
  EXPENSE_FILE_BYTES_MAX,
  EXPENSE_FILES_MAX,
} from "../../contract/terms.ts";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../../platform/http/guarded-fetch.ts";
import { createFieldReader, type ExpenseFields, type FieldReader } from "./expense-fields.ts";
import { fieldRefusal } from "./read-form.ts";
import { type ReceivedFile, receiveFile } from "./receive-file.ts";

/** A parsed JSON submission. Its files are not fetched yet. */
export interface SubmissionByUrl {
  readonly fields: ExpenseFields;
  readonly urls: readonly string[];
}

/** Parses the body of `gastos-url` by the same rules as the form's fields. Throws `ApiError`. */
export function readSubmissionByUrl(body: z.output<typeof submitExpenseByUrlRequestSchema>): SubmissionByUrl {
  const { urls, ...rest } = body;
  if (urls.length === 0) throw new ApiError("no_files");
  if (urls.length > EXPENSE_FILES_MAX) throw new ApiError("too_many_files");
  const reader = createFieldReader();
  for (const [name, value] of Object.entries(rest)) {
    for (const issue of takeValue(reader, name, value))
      if (issue !== null) throw fieldRefusal(issue.path, issue.message);
  }
  return { fields: reader.fields(), urls };
}

/** The dot of a JSON number is a decimal point, but the dot in a text may separate thousands. */
function takeValue(reader: FieldReader, name: string, value: unknown): (FieldIssue | null)[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string" || Number.isSafeInteger(value)) return [reader.take(name, String(value))];
  if (name === "expense_subtypes" && Array.isArray(value)) return value.map((item) => reader.take(name, String(item)));
  return [reader.leave(name, JSON.stringify(value))];
}

/** Fetches the files into the storage, one after another. Throws `ApiError`, which names a URL by its index. */
export async function receiveUrls(
  dependencies: { readonly storage: FileStorage; readonly guardedFetch: GuardedFetch },
  urls: readonly string[],
  nextName: () => string,
): Promise<ReceivedFile[]> {
  const files: ReceivedFile[] = [];
  for (const [index, url] of urls.entries()) {
    const content = await fetchFile(dependencies.guardedFetch, url, `urls.${index}`);
    const file = { storageName: nextName(), name: nameIn(url), position: index + 1, content: once(content) };
    files.push(await receiveFile(dependencies.storage, file));
  }
  return files;
}

async function fetchFile(guardedFetch: GuardedFetch, url: string, path: string): Promise<Uint8Array> {
  try {
    const answer = await guardedFetch.fetch({
      url,
      timeoutMs: EXPENSE_FETCH_TIMEOUT_SECONDS * SECOND_MS,
      redirectsMax: EXPENSE_FETCH_REDIRECTS_MAX,
      answerBytesMax: EXPENSE_FILE_BYTES_MAX,
      longerAnswer: "refuse",
    });
    if (answer.status !== 200) throw fieldRefusal(path, UNUSABLE);
    return answer.body;
  } catch (error) {
    throw asRefusal(error, path);
  }
}

function asRefusal(error: unknown, path: string): unknown {
  if (error instanceof FetchFailed && error.reason === "too_large") return new ApiError("file_too_large");
  return error instanceof UrlRefused || error instanceof FetchFailed ? fieldRefusal(path, UNUSABLE) : error;
}

/** One message for every cause. A different one for internal names would reveal which names of our network exist. */
const UNUSABLE = "must be an HTTPS URL that answers anybody on the internet with a file";

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** The file name in a URL: the end of its path. The query is omitted because it may contain a secret. */
function nameIn(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
