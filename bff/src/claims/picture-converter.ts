import { extname } from "node:path";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";
import { runProgram, type StartProgram } from "../platform/child-program.ts";
import { createFairQueue } from "../platform/fair-queue.ts";

/** Thrown when a file cannot be decoded as the type that its first bytes indicate, or not within the limits. */
export class UnreadablePicture extends Error {
  override readonly name = "UnreadablePicture";
  readonly code = "unreadable_picture";
}

export interface PictureConverter {
  /**
   * Converts a photo to a form that insurers accept. Providers take turns. Throws `UnreadablePicture`, or `QueueFull`,
   * which allows a retry.
   */
  toJpeg(picture: Uint8Array, photo: { readonly type: PhotoType; readonly providerId: string }): Promise<Uint8Array>;
}

export type PhotoType = "image/heic" | "image/webp";

const TIMEOUT_MS = 20 * SECOND_MS;
const HEAP_MEGABYTES_MAX = 256;
/** A decoded phone photo takes a few hundred megabytes, so only few are decoded at once. */
const AT_ONCE_MAX = 2;
/** Together with the running conversions, half of the claims filed at once, so that no provider blocks all others. */
const WAITING_OF_PROVIDER_MAX = 8;

const PROGRAM = new URL(`./pictures/convert-picture${extname(import.meta.url)}`, import.meta.url);

/** Converts each picture in a child process, because malicious files target decoders. */
export function createPictureConverter({
  timeoutMs = TIMEOUT_MS,
  start,
}: {
  readonly timeoutMs?: number;
  readonly start?: StartProgram;
} = {}): PictureConverter {
  const queue = createFairQueue({ atOnceMax: AT_ONCE_MAX, waitingMax: WAITING_OF_PROVIDER_MAX });
  return {
    toJpeg: (picture, { type, providerId }) =>
      queue.run(providerId, async () => {
        const program = { file: PROGRAM, args: [type], timeoutMs, heapMegabytesMax: HEAP_MEGABYTES_MAX };
        const refused = (cause?: unknown) => new UnreadablePicture("The picture could not be converted.", { cause });
        const jpeg = await runProgram(program, picture, start).catch((error: unknown) => {
          throw refused(error);
        });
        if (!(jpeg instanceof Uint8Array)) throw refused();
        return jpeg;
      }),
  };
}
