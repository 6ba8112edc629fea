import { extname } from "node:path";
import { type PdfFile, receiptFileSchema } from "../contract/order-files.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";
import { ProgramFailed, runProgram, type StartProgram } from "../platform/child-program.ts";
import { createFairQueue, QueueFull } from "../platform/fair-queue.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { leaveTurn } from "../platform/http/turns.ts";
import type { SetDocument } from "./documents/set-document.ts";

/** Typesets documents in a child process, because one print takes 100 ms of CPU time. */
export interface DocumentPrinter {
  /**
   * Providers take turns. Throws 503 `service_unavailable` if too many prints of this provider wait, or if the print
   * failed.
   */
  print(document: SetDocument, from: { readonly providerId: string }): Promise<PdfFile>;
}

/** Time limit of a print, from the start of its process. */
export const PRINT_TIMEOUT_MS = 20 * SECOND_MS;
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
