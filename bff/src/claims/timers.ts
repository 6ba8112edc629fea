import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { type FileClaimDependencies, fileClaimHandler } from "./file-claim.ts";
import { CLAIMS_DAILY_TIMER, lookForUnaskedClaims, POLL_CLAIM_TIMER, pollClaim } from "./poll-claim.ts";
import { REMIND_UNFILED_TIMER, remindUnfiled } from "./remind-unfiled.ts";
import { renewAccess } from "./renew-access.ts";
import { RENEW_ACCESS_TIMER } from "./renewal-timer.ts";

export function claimTimerHandlers(dependencies: FileClaimDependencies): TimerHandlers {
  return {
    [FILE_CLAIM_TIMER]: fileClaimHandler(dependencies),
    [POLL_CLAIM_TIMER]: (timer, context) => pollClaim(dependencies, timer, context),
    [RENEW_ACCESS_TIMER]: (timer) => renewAccess(dependencies, timer),
    [REMIND_UNFILED_TIMER]: (timer, context) => remindUnfiled(dependencies, timer, context),
    [CLAIMS_DAILY_TIMER]: (timer) => lookForUnaskedClaims(dependencies, timer),
  };
}
