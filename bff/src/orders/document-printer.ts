import { extname } from "node:path";
import { type PdfFile, receiptFileSchema } from "../contract/order-files.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";
import { ProgramFailed, runProgram, type StartProgram } from "../platform/child-program.ts";
import type { Clock } from "../platform/clock.ts";
import { createFairQueue, QueueFull } from "../platform/fair-queue.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../platform/http/guarded-fetch.ts";
import { leaveTurn } from "../platform/http/turns.ts";
import type { SetDocument } from "./documents/set-document.ts";

/** The clinics' logos, for their documents. */
export interface Logos {
  /** A PNG or JPEG; null if none is available now. Documents then show only the clinic's name. */
  read(url: string): Promise<Uint8Array | null>;
}

const LOGO_BYTES_MAX = 262_144;

export const LOGO_TIMEOUT_MS = 3 * SECOND_MS;

const KEPT_MS = 3_600 * SECOND_MS;

const KEPT_MAX = 100;

/** Fetches logos from their URLs and caches each result for an hour, failures included. */
export function createLogos({
  guardedFetch,
  clock,
}: {
  readonly guardedFetch: Pick<GuardedFetch, "fetch">;
  readonly clock: Clock;
}): Logos {
  const kept = new Map<string, { readonly logo: Promise<Uint8Array | null>; readonly until: number }>();
  return {
    read(url) {
      const now = clock.now().getTime();
      const known = kept.get(url);
      if (known !== undefined && known.until > now) return known.logo;
      if (kept.size >= KEPT_MAX) kept.clear();
      const logo = fetchLogo(guardedFetch, url);
      kept.set(url, { logo, until: now + KEPT_MS });
      return logo;
    },
  };
}

async function fetchLogo(guardedFetch: Pick<GuardedFetch, "fetch">, url: string): Promise<Uint8Array | null> {
  try {
    const { status, body } = await guardedFetch.fetch({
      url,
      timeoutMs: LOGO_TIMEOUT_MS,
      redirectsMax: 3,
      answerBytesMax: LOGO_BYTES_MAX,
      longerAnswer: "refuse",
    });
    return status === 200 && isPicture(body) ? body : null;
  } catch (error) {
    if (error instanceof FetchFailed || error instanceof UrlRefused) return null;
    throw error;
  }
}

const SIGNATURES = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
];

/** Whether the file starts like a PNG or JPEG, the formats that a document can show. */
function isPicture(body: Uint8Array): boolean {
  return SIGNATURES.some((signature) => signature.every((byte, at) => body[at] === byte));
}

/** Typesets documents in a child process, because one print takes 100 ms of CPU time. */
export interface DocumentPrinter {
  /**
   * Providers take turns. Throws 503 `service_unavailable` if too many prints of this provider wait, or if the print
   * failed.
   */
  print(document: SetDocument, from: { readonly providerId: string }): Promise<PdfFile>;
}

/** Time limit of a print, from the start of its process. */
export const PRINT_TIMEOUT_MS = 12 * SECOND_MS;

const HEAP_MEGABYTES_MAX = 128;

const WAITING_OF_PROVIDER_MAX = 10;

const PROGRAM = new URL(`./documents/print-document${extname(import.meta.url)}`, import.meta.url);

export function createDocumentPrinter({ start }: { readonly start?: StartProgram } = {}): DocumentPrinter {
  const queue = createFairQueue({ atOnceMax: 1, waitingMax: WAITING_OF_PROVIDER_MAX });
  const program = { file: PROGRAM, timeoutMs: PRINT_TIMEOUT_MS, heapMegabytesMax: HEAP_MEGABYTES_MAX };
  return {
    async print(document, { providerId }) {
      leaveTurn();
      try {
        const file = await queue.run(providerId, () => runProgram(program, document, start));
        return receiptFileSchema.parse(file);
      } catch (error) {
        const isRefused = error instanceof QueueFull || error instanceof ProgramFailed;
        throw isRefused ? new ApiError("service_unavailable", {}, { cause: error }) : error;
      }
    },
  };
}
