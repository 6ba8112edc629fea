import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgreementFile, agreementFileSchema } from "../../contract/agreement.ts";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { PrintedAgreement } from "./agreement-pdf.ts";

/** Prints agreements beside the event loop: fonts alone take a tenth of a second of each. */
export interface AgreementPrinter {
  /** The same texts are printed once and kept a while. Throws 503 `service_unavailable` if too many wait. */
  print(agreement: PrintedAgreement): Promise<AgreementFile>;
}

/** What prints: a process, or in tests something that stands for it. */
export interface PrintProcess {
  print(agreement: PrintedAgreement): Promise<AgreementFile>;
}

interface PrinterOptions {
  readonly start?: () => PrintProcess;
  /** How many agreements may wait, the one in print among them. */
  readonly waitingMax?: number;
  readonly keptMax?: number;
}

const WAITING_MAX = 20;
const KEPT_MAX = 50;
const PRINT_TIMEOUT_MS = 10 * SECOND_MS;
const HEAP_MEGABYTES_MAX = 128;

export function createAgreementPrinter({
  start = startProcess,
  waitingMax = WAITING_MAX,
  keptMax = KEPT_MAX,
}: PrinterOptions = {}): AgreementPrinter {
  const kept = new Map<string, Promise<AgreementFile>>();
  let printing: PrintProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const printNext = async (agreement: PrintedAgreement): Promise<AgreementFile> => {
    waiting += 1;
    const before = last;
    const printed = before.then(() => {
      printing ??= start();
      return printing.print(agreement);
    });
    last = printed.catch(() => {
      // A process that failed or took too long is gone.
      printing = null;
    });
    return printed.finally(() => {
      waiting -= 1;
    });
  };
  return {
    print(agreement) {
      const key = keyOf(agreement);
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (waiting >= waitingMax) return Promise.reject(new ApiError("service_unavailable"));
      const printed = printNext(agreement);
      kept.set(key, printed);
      printed.catch(() => kept.delete(key));
      const [first] = kept.keys();
      if (kept.size > keptMax && first !== undefined) kept.delete(first);
      return printed;
    },
  };
}

/** Names a file by all that is in it but the moment of its printing, as a hash: no text of a patient is a key. */
function keyOf({ reference, texts }: PrintedAgreement): string {
  return createHash("sha256")
    .update(JSON.stringify([reference, texts]))
    .digest("base64url");
}

const PROGRAM = fileURLToPath(new URL(`./print-agreement${extname(import.meta.url)}`, import.meta.url));
/** From source the program is TypeScript, and needs what runs the source. */
const RUN_SOURCE = PROGRAM.endsWith(".ts") ? ["--import", "tsx"] : [];

function startProcess(): PrintProcess {
  const child = fork(PROGRAM, [], {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES_MAX}`, ...RUN_SOURCE],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A process that waits for work keeps nobody from ending.
  child.unref();
  child.channel?.unref();
  return {
    print: (agreement) =>
      new Promise((resolve, reject) => {
        child.channel?.ref();
        const end = (finish: () => void) => {
          clearTimeout(timeout);
          child.removeAllListeners();
          child.channel?.unref();
          finish();
        };
        const fail = (cause?: unknown) =>
          end(() => {
            child.kill("SIGKILL");
            reject(new AgreementNotPrinted("The agreement could not be printed.", { cause }));
          });
        const timeout = setTimeout(fail, PRINT_TIMEOUT_MS);
        child.once("message", (file) => end(() => resolve(agreementFileSchema.parse(file))));
        child.once("error", fail).once("exit", () => fail());
        child.send(agreement, (error) => {
          if (error !== null) fail(error);
        });
      }),
  };
}

/** Thrown when the printing process failed or took too long. */
class AgreementNotPrinted extends Error {
  override readonly name = "AgreementNotPrinted";
  readonly code = "agreement_not_printed";
}
