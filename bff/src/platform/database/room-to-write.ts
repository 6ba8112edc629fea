import { DatabaseUnavailable, isDiskFull } from "./errors.ts";

/** Notes whether the database's disk has room. A full one still answers reads. */
export interface RoomToWrite {
  /** Runs a statement; throws `DatabaseUnavailable` if it could not be written for want of room. */
  watch<T>(run: () => Promise<T>): Promise<T>;
  /** Whether a statement met a full disk, and `found` was not called since. */
  isMissing(): boolean;
  /** Something could be written again. */
  found(): void;
}

export function createRoomToWrite(): RoomToWrite {
  let isMissing = false;
  return {
    async watch(run) {
      try {
        return await run();
      } catch (cause) {
        if (!isDiskFull(cause)) throw cause;
        isMissing = true;
        throw new DatabaseUnavailable("The database's disk is full.", { cause });
      }
    },
    isMissing: () => isMissing,
    found() {
      isMissing = false;
    },
  };
}
