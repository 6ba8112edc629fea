import type { TimerHandlers } from "../../platform/timers/timer-worker.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { PAYOUT_RUN_TIMER } from "./owe-payee.ts";
import { ACCOUNT_CHANGED_TIMER, tellAccountChanged } from "./payee-account.ts";
import { runPayouts, SEND_PAYOUT_TIMER } from "./run-payouts.ts";
import { sendPayout } from "./send-payout.ts";

export function payoutTimerHandlers(dependencies: PayoutDependencies): TimerHandlers {
  return {
    [PAYOUT_RUN_TIMER]: (timer) => runPayouts(dependencies, timer),
    [ACCOUNT_CHANGED_TIMER]: (timer) => tellAccountChanged(dependencies, timer),
    [SEND_PAYOUT_TIMER]: (timer) => sendPayout(dependencies, timer),
  };
}
