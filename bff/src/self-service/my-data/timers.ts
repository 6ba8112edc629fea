import type { FileStorage } from "../../gateways/file-storage/port.ts";
import type { TimerHandlers } from "../../platform/timers/timer-worker.ts";
import { ERASE_TIMER, type EraseDependencies, finishErasure, REMOVE_FILES_TIMER } from "./erase-data.ts";
import { LOG_ERASURE_TIMER, writeErasureLog } from "./erasure-log.ts";

export interface PatientRightsTimerDependencies extends EraseDependencies {
  readonly storage: Pick<FileStorage, "put" | "delete">;
}

export function myDataTimerHandlers(dependencies: PatientRightsTimerDependencies): TimerHandlers {
  return {
    async [ERASE_TIMER]({ key }) {
      const again = await finishErasure(dependencies, key);
      return again === null ? "done" : { again };
    },
    async [REMOVE_FILES_TIMER]({ payload }) {
      // Deleting a file that does not exist does no harm.
      for (const name of namesIn(payload)) await dependencies.storage.delete(name);
      return "done";
    },
    async [LOG_ERASURE_TIMER]({ payload }) {
      await writeErasureLog(dependencies, payload);
      return "done";
    },
  };
}

function namesIn(payload: unknown): string[] {
  if (typeof payload === "object" && payload !== null && "names" in payload && Array.isArray(payload.names))
    return payload.names.map(String);
  throw new TypeError("The timer of erased files does not name them.");
}
