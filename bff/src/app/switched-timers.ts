import { FILE_CLAIM_TIMER } from "../claims/consider-claim.ts";
import { POLL_CLAIM_TIMER } from "../claims/poll-claim.ts";
import { RENEW_ACCESS_TIMER } from "../claims/renewal-timer.ts";
import { AUTHENTICATE_TIMER, CHARGE_TIMER, SETTLE_EARLY_TIMER } from "../collection/collection-timers.ts";
import { SEND_NOTIFICATION_TIMER } from "../notifications/notify-patient.ts";
import { SETTLE_PAYMENT_TIMER } from "../orders/payments/run-payment.ts";
import type { Switch } from "../platform/switches.ts";
import { PAYOUT_RUN_TIMER } from "../settlement/payouts/owe-payee.ts";
import { SEND_PAYOUT_TIMER } from "../settlement/payouts/run-payouts.ts";

/**
 * The switch that stops each kind of timer. A payment whose outcome is unknown waits too, and a patient who is at their
 * issuer's, because settling it may make a charge. One-time codes have a kind of their own, which is not here.
 */
export const SWITCHED_TIMERS: Readonly<Record<string, Switch>> = {
  [CHARGE_TIMER]: "charges",
  [SETTLE_EARLY_TIMER]: "charges",
  [AUTHENTICATE_TIMER]: "charges",
  [SETTLE_PAYMENT_TIMER]: "charges",
  [PAYOUT_RUN_TIMER]: "payouts",
  [SEND_PAYOUT_TIMER]: "payouts",
  [SEND_NOTIFICATION_TIMER]: "mails",
  [FILE_CLAIM_TIMER]: "claims",
  [POLL_CLAIM_TIMER]: "claims",
  [RENEW_ACCESS_TIMER]: "claims",
};
