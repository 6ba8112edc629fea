import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";

/** Thrown when a file cannot be read as the picture that its first bytes promise, or not within the limits. */
export class UnreadablePicture extends Error {
  override readonly name = "UnreadablePicture";
  readonly code = "unreadable_picture";
}

export interface PictureConverter {
  /** A photo in a form that insurers take. Throws `UnreadablePicture`. */
  toJpeg(picture: Uint8Array, type: "image/heic" | "image/webp"): Promise<Uint8Array>;
}

const TIMEOUT_MS = 20 * SECOND_MS;
const HEAP_MEGABYTES_MAX = 256;
/** A decoded photo of a phone takes some hundred megabytes, so that few are decoded at once. */
const AT_ONCE_MAX = 2;

const PROGRAM = fileURLToPath(new URL(`./convert-picture${extname(import.meta.url)}`, import.meta.url));
/** From source the program is TypeScript, and needs what runs the source. */
const RUN_SOURCE = PROGRAM.endsWith(".ts") ? ["--import", "tsx"] : [];

/**
 * Converts each picture in a process of its own, since a stranger's file meets the decoders there: the process has no
 * secrets, no environment and little memory, is killed when it takes too long, and takes nothing with it when it fails.
 */
export function createPictureConverter({ timeoutMs = TIMEOUT_MS, start = startProgram } = {}): PictureConverter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async toJpeg(picture, type) {
      if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await convert(picture, start(type, timeoutMs));
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

function startProgram(type: string, timeoutMs: number): ChildProcess {
  return fork(PROGRAM, [type], {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES_MAX}`, ...RUN_SOURCE],
    serialization: "advanced",
    signal: AbortSignal.timeout(timeoutMs),
    killSignal: "SIGKILL",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

function convert(picture: Uint8Array, child: ChildProcess): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const refuse = (cause?: unknown) => reject(new UnreadablePicture("The picture could not be converted.", { cause }));
    child.once("message", (jpeg) => (jpeg instanceof Uint8Array ? resolve(jpeg) : refuse()));
    child.once("error", refuse).once("exit", () => refuse());
    child.send(picture, (error) => {
      if (error !== null) refuse(error);
    });
  });
}
