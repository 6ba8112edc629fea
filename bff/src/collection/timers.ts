import { CARD_PAGE_TIMERS } from "../orders/card-pages/run-registration.ts";
import { REMOVE_CARD_TIMER } from "../orders/card-removals/card-removals.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { settleAuthentication } from "./authentication/settle-authentication.ts";
import { removeCard } from "./cards/remove-cards.ts";
import { settleCardPageChange } from "./charge/change-card-on-page.ts";
import { runCollection, settleEarlyPayment } from "./charge/run-collection.ts";
import {
  ANNOUNCE_TIMER,
  AUTHENTICATE_TIMER,
  CHARGE_TIMER,
  DAILY_TIMER,
  DEADLINE_TIMER,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import { syncDaily } from "./daily-sync.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { sendLoanReports } from "./loan-reports/send-loan-reports.ts";
import { announceDeadline, reachDeadline } from "./triggers/deadline.ts";

/** Handlers for the timers of collections. */
export function collectionTimerHandlers(dependencies: CollectionDependencies): TimerHandlers {
  return {
    [ANNOUNCE_TIMER]: (timer, context) => announceDeadline(dependencies, timer, context),
    [DEADLINE_TIMER]: (timer, context) => reachDeadline(dependencies, timer, context),
    [CHARGE_TIMER]: (timer) => runCollection(dependencies, timer),
    [AUTHENTICATE_TIMER]: (timer) => settleAuthentication(dependencies, timer),
    [CARD_PAGE_TIMERS.card_change]: (timer) => settleCardPageChange(dependencies, timer),
    [REMOVE_CARD_TIMER]: (timer, context) => removeCard(dependencies, timer, context),
    [SETTLE_EARLY_TIMER]: (timer) => settleEarlyPayment(dependencies, timer),
    [REPORT_LOAN_TIMER]: (timer) => sendLoanReports(dependencies, timer),
    [DAILY_TIMER]: (timer) => syncDaily(dependencies, timer),
  };
}
