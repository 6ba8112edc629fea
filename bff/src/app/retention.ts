/**
 * How long each table keeps its rows, the reason, and what removes them. A table of the migrations that is missing here
 * does not compile. `docs/reference/retention.md` is generated from this file.
 */

import { purgeSessions, SESSIONS_KEPT_MS } from "../back-office/session.ts";
import { JOBS_KEPT_MS, LAPSED_KEPT_MS, purgeApprovals, purgeJobs, SOLO_AMOUNTS_KEPT_MS } from "../back-office/work.ts";
import {
  purgeEndedTokens,
  purgeRecognitions,
  purgeRecoveries,
  RECOGNITIONS_KEPT_MS,
  RECOVERIES_KEPT_MS,
  TOKEN_DATA_KEPT_MS,
  TOKENS_KEPT_MS,
} from "../checkout/work.ts";
import { IDEMPOTENCY_HOURS } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { GATEWAY_STATES_KEPT_MS, purgeGatewayStates } from "../gateways/gateway-states.ts";
import { purgeUndelivered, UNDELIVERED_KEPT_MS } from "../notifications/work.ts";
import { CHECKS_KEPT_MS, purgeIdentityChecks } from "../orders/work.ts";
import type { Tables } from "../platform/database/tables.ts";
import { purgeExpired, TIMERS_KEPT_MS } from "../platform/purge.ts";
import { LINK_CODES_KEPT_MS, purgeDataLinks, purgeLinkCodes, SENT_LINKS_KEPT_MS } from "../self-service/work.ts";
import { DELIVERIES_KEPT_MS, purgeDeliveries } from "../webhooks/work.ts";
import type { PURGES } from "./purge-outdated.ts";
import { purgeUnproven } from "./purge-outdated.ts";

/** Rows that a purge removes or partly empties. */
export interface Purged {
  /** The part that is emptied; by default the row is removed. */
  readonly part?: string;
  /** How long it is kept, counted from a column; null if the row itself holds its end. */
  readonly forMs: number | null;
  readonly since: string;
  readonly by: (typeof PURGES)[number];
  readonly why: string;
}

/** How long rows of one table are kept. `until` names the event that removes them. */
export type Retention =
  | { readonly kept: "for ever"; readonly why: string; readonly but?: Purged }
  | { readonly kept: "until"; readonly until: string; readonly why: string; readonly but?: Purged }
  | { readonly kept: "purged"; readonly purges: readonly [Purged, ...Purged[]] };

/** The sandbox's tables exist in no production database, and a view has no rows. */
type StoredTable = Exclude<keyof Tables, `sandbox_${string}` | "all_webhook_attempts">;

const forEver = (why: string): Extract<Retention, { kept: "for ever" }> => ({ kept: "for ever", why });
const until = (until: string, why: string): Retention => ({ kept: "until", until, why });
const purged = (...purges: readonly [Purged, ...Purged[]]): Retention => ({ kept: "purged", purges });

const BOOKS = "Accounting: it says what money moved, was owed or was given back.";
const PROOF = "Proof towards the patient. A lawyer must decide how long the law requires it; nothing here ends it.";
const FEW = "A few rows for each partner, which do not grow with orders.";
const OPERATORS = "Operators must stay known as long as the audit trail names them.";
const RECORD = "Orders refer to it; an erasure leaves a pseudonym.";

const deliveries: Purged = {
  forMs: DELIVERIES_KEPT_MS,
  since: "the delivery ended",
  by: purgeDeliveries,
  why: "Partners are promised its attempts and its replay for this time. Pending deliveries stay; the event stays in the log.",
};
const jobs: Purged = {
  forMs: JOBS_KEPT_MS,
  since: "the job ended",
  by: purgeJobs,
  why: "Its page shows how each exception ended; the audit trail has the same for ever.",
};
const linkCodes: Purged = {
  forMs: LINK_CODES_KEPT_MS,
  since: "the code was sent",
  by: purgeLinkCodes,
  why: "Codes are counted for a day, in real time and in each provider's time.",
};
const recoveries: Purged = {
  forMs: RECOVERIES_KEPT_MS,
  since: "it began",
  by: purgeRecoveries,
  why: "Codes and attempts are counted for a day, in real time and in each provider's time. Their addresses are then deleted.",
};
const sessions: Purged = {
  forMs: SESSIONS_KEPT_MS,
  since: "it ended or was used",
  by: purgeSessions,
  why: "The audit trail says who was signed in when.",
};

export const RETENTION: { readonly [Table in StoredTable]: Retention } = {
  // platform
  audit_log: forEver("A hash chain: a missing row looks like manipulation, so none may ever be removed."),
  deployment: forEver("One row: the deployment that owns this database."),
  events: forEver(
    "Partners are promised the complete log, and may resume after any event. An erasure overwrites the patient's data in it.",
  ),
  idempotency_keys: purged({
    forMs: IDEMPOTENCY_HOURS * HOUR_MS,
    since: "the first request",
    by: purgeExpired,
    why: "Partners are promised the first answer for this time.",
  }),
  rate_limits: purged({
    forMs: null,
    since: "the window ended",
    by: purgeExpired,
    why: "A count means nothing once its window is over.",
  }),
  restores: forEver("One row for each restore of the database."),
  switches: until(
    "the operator switches it on again",
    "The present state of the switches; the audit trail has their history.",
  ),
  timers: purged({
    forMs: TIMERS_KEPT_MS,
    since: "it was done",
    by: purgeExpired,
    why: "A done timer keeps its key from being scheduled again, longer than anything is retried. Dispatches and notifications are removed when they are done: their event or notification records that.",
  }),

  // gateways
  gateway_states: purged({
    forMs: GATEWAY_STATES_KEPT_MS,
    since: "the process last stored it",
    by: purgeGatewayStates,
    why: "It shows operators when a gateway last answered, also in processes that have ended.",
  }),
  sealing_keys: forEver("One row for each gateway that seals, which is overwritten."),

  // tenants
  centers: forEver(FEW),
  credentials: forEver(`${FEW} A revoked one distinguishes a rotated secret from a wrong one.`),
  maximum_rates: forEver("A row for each published rate, with its source: contracts of its time were made under it."),
  provider_origins: until("the provider's origins are replaced", FEW),
  providers: forEver(FEW),

  // patients
  beneficiaries: {
    ...forEver(RECORD),
    but: {
      part: "A registration that was never proved",
      forMs: null,
      since: "the end of its visit",
      by: purgeUnproven,
      why: "It has no effect any more.",
    },
  },
  consent_texts: forEver("One row for each text that was ever accepted."),
  consents: forEver(PROOF),
  users: until("no record refers to the mailbox any more", "It belongs to the records of its patients."),

  // notifications
  notices: {
    ...forEver(
      "One row for each cause and channel prevents a second notification, and proves the first (the charge of day 45 must be announced).",
    ),
    but: {
      part: "Address and text of an undelivered notification",
      forMs: UNDELIVERED_KEPT_MS,
      since: "it was given up",
      by: purgeUndelivered,
      why: "It can be sent again for this time. After a delivery they are removed at once.",
    },
  },

  // orders
  identity_checks: purged({
    forMs: CHECKS_KEPT_MS,
    since: "the registry was asked",
    by: purgeIdentityChecks,
    why: "Attempts are counted for an hour, in real time and in each provider's time. The order records its validation.",
  }),
  ledger_transfers: forEver(`${BOOKS} The database refuses to change or delete them.`),
  legal_texts: forEver("A version is never changed, because agreements refer to it."),
  order_payments: forEver(BOOKS),
  order_refunds: forEver(BOOKS),
  orders: forEver(
    `${BOOKS} A reference is used once for ever. An order cancelled before money moved names no patient after an erasure.`,
  ),
  payment_attempts: forEver(`${PROOF} It holds the agreement as it was shown, and the reasons of a refused credit.`),
  payments_otherwise: forEver(BOOKS),
  refund_movements: forEver(BOOKS),
  saved_card_uses: until(
    "the card is deleted, or removed from an order",
    "It records which card was chosen to pay an order.",
  ),
  saved_cards: until(
    "the patient removes it and the processor has forgotten it, or it was never kept",
    "Its patient asked for it.",
  ),
  tax_documents: forEver(BOOKS),

  card_attempts: forEver(
    "Proof towards the patient's bank, which decides who bears a disputed charge. A registration's number is never reused, so that none is opened twice. Consents and cards are emptied when the attempt ends.",
  ),
  card_removals: forEver(
    "Each card whose removal was requested, so that none is requested twice. The card's id is removed with it.",
  ),
  ledger_balance_differences: until(
    "an operator has the balance recounted",
    "The differences found by the daily check of the balances.",
  ),
  ledger_balances: forEver("One row for each account of a provider, which is overwritten."),
  ledger_closings: forEver("One row for each provider, which is overwritten."),

  // webhooks
  webhook_attempts: purged(deliveries),
  webhook_deliveries: purged(deliveries),
  webhook_endpoints: forEver(`${FEW} A deleted one is never shown.`),

  // checkout
  email_changes: until("the patient is erased", "It records the earlier owner of a record, and any objection."),
  recognitions: purged({
    forMs: RECOGNITIONS_KEPT_MS,
    since: "it was requested",
    by: purgeRecognitions,
    why: "Codes are counted for a day, in real time and in each provider's time.",
  }),
  recoveries: purged(recoveries),
  recovery_identity_checks: purged(recoveries),
  subscriptions: until("the patient is erased", "The patient's plan."),
  widget_tokens: purged(
    {
      part: "Patient data that a partner prefilled",
      forMs: TOKEN_DATA_KEPT_MS,
      since: "its end or use",
      by: purgeEndedTokens,
      why: "It only prefills forms.",
    },
    {
      forMs: TOKENS_KEPT_MS,
      since: "its end (a payment page's token ends ten years after its creation)",
      by: purgeEndedTokens,
      why: "Its page explains why it ended for this time; afterwards it is as unknown as an invented one. An erasure empties the sealed token of a payment page.",
    },
  ),

  // collection
  chargebacks: forEver(BOOKS),
  collection_attempts: forEver(BOOKS),
  collection_triggers: forEver(`${PROOF} It records why the deferred part became due.`),
  collections: forEver(BOOKS),
  loan_reports: forEver("The reports to the lender about each loan's end."),

  // claims
  claims: forEver("The deferred part's due date depends on it; an erasure empties the insurer's answer."),
  expense_files: until("the patient is erased", "The documents of the claim, for which there was a mandate."),
  expenses: forEver(`${RECORD} One expense per order, however often it is submitted.`),
  hand_worked_claims: forEver("What an operator entered for the isapre; an erasure empties the answer."),
  missing_receipts: forEver("It belongs to its order, and prevents a second notification of the clinic."),

  // settlement
  card_settlement_lines: forEver(BOOKS),
  card_settlements: forEver(BOOKS),
  charge_returns: forEver(BOOKS),
  collected_orders: forEver(BOOKS),
  lender_accounts: forEver(BOOKS),
  loan_cancellations: forEver(BOOKS),
  portal_readings: forEver(BOOKS),
  payable_orders: forEver(BOOKS),
  payee_accounts: forEver(
    "The account to which a payee was paid, and when. An unconfirmed one is removed when another is registered, or when a confirmed one is paid again.",
  ),
  payees: forEver(FEW),
  payout_items: forEver(BOOKS),
  payout_terms: forEver(FEW),
  payouts: forEver(BOOKS),
  reconciliation_differences: forEver(`${BOOKS} It records each difference and how it was settled.`),
  reconciliation_runs: forEver("One row per day and provider: the proof that the books were compared."),

  // self-service
  data_links: purged({
    forMs: SENT_LINKS_KEPT_MS,
    since: "the link was sent",
    by: purgeDataLinks,
    why: "Links are counted for a day, in real time and in each provider's time.",
  }),
  erasures: forEver("After a restore it shows which erasures the database knows of. It names a record, not a patient."),
  link_code_patients: purged({
    ...linkCodes,
    since: "their last code was sent",
    why: "It is locked while a code is sent, and holds no data.",
  }),
  link_codes: purged(linkCodes),
  rights_requests: forEver(PROOF),

  // operations
  approval_requests: {
    ...forEver("The requests that need two people, and their approvals."),
    but: {
      part: "A request that was never approved",
      forMs: LAPSED_KEPT_MS,
      since: "it was made",
      by: purgeApprovals,
      why: "It has lapsed; the audit trail records it.",
    },
  },
  handled_matters: forEver("A dismissed exception must stay dismissed until it occurs again."),
  operator_links_used: purged(sessions),
  operator_profiles: forEver(OPERATORS),
  operator_sessions: purged(sessions),
  operators: forEver(OPERATORS),
  resolution_approvals: until("a later version removes the table", "Only the previous version writes to it."),
  resolution_job_items: purged(jobs),
  resolution_jobs: purged(jobs),
  solo_amounts: purged({
    forMs: SOLO_AMOUNTS_KEPT_MS,
    since: "the decision",
    by: purgeApprovals,
    why: "An operator's own decisions count for a day; the audit trail has each resolution.",
  }),
};
