import type { TimerHandlers } from "../../platform/timers/timer-worker.ts";
import { removeUploadsHandler, removeUploadsKind, type UploadDependencies } from "./upload.ts";

export function expenseTimerHandlers(dependencies: UploadDependencies): TimerHandlers {
  return { [removeUploadsKind]: removeUploadsHandler(dependencies) };
}
