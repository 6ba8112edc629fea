import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { type FileClaimDependencies, fileClaimHandler } from "./file-claim.ts";

export function reimbursementTimerHandlers(dependencies: FileClaimDependencies): TimerHandlers {
  return { [FILE_CLAIM_TIMER]: fileClaimHandler(dependencies) };
}
