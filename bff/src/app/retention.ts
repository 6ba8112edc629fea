/**
 * How long each table keeps its rows, the reason, and what removes them. A table of the migrations that is missing here
 * does not compile. `docs/reference/retention.md` is generated from this file.
 */

import {
  JOBS_KEPT_MS,
  LAPSED_KEPT_MS,
  purgeApprovals,
  purgeJobs,
  purgeSessions,
  SESSIONS_KEPT_MS,
  SOLO_AMOUNTS_KEPT_MS,
} from "../back-office/work.ts";
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

const BOOKS = "Accounting.";
const PROOF = "Proof towards the patient; a lawyer must decide how long.";
const FEW = "A few rows, which do not grow with orders.";
const OPERATORS = "The audit trail names them.";
const RECORD = "Orders refer to it; an erasure leaves a pseudonym.";

const deliveries: Purged = {
  forMs: DELIVERIES_KEPT_MS,
  since: "the delivery ended",
  by: purgeDeliveries,
  why: "Partners are promised its attempts and its replay for this time. Pending ones stay.",
};
const jobs: Purged = {
  forMs: JOBS_KEPT_MS,
  since: "the job ended",
  by: purgeJobs,
  why: "The audit trail has the same.",
};
const linkCodes: Purged = {
  forMs: LINK_CODES_KEPT_MS,
  since: "the code was sent",
  by: purgeLinkCodes,
  why: "Codes are counted for a day, in real time and in each provider's.",
};
const recoveries: Purged = {
  forMs: RECOVERIES_KEPT_MS,
  since: "it began",
  by: purgeRecoveries,
  why: "Codes are counted for a day, in real time and in each provider's.",
};
const sessions: Purged = {
  forMs: SESSIONS_KEPT_MS,
  since: "it ended or was used",
  by: purgeSessions,
  why: "The audit trail has each sign-in.",
};

export const RETENTION: { readonly [Table in StoredTable]: Retention } = {
  // platform
  audit_log: forEver("A hash chain: a missing row looks like manipulation."),
  deployment: forEver(FEW),
  events: forEver("Partners are promised the complete log. An erasure overwrites the patient's data in it."),
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
    why: "It has no effect any more.",
  }),
  restores: forEver(FEW),
  switches: until("the operator switches it on again", "The audit trail has the history."),
  timers: purged({
    forMs: TIMERS_KEPT_MS,
    since: "it was done",
    by: purgeExpired,
    why: "A done timer keeps its key from being scheduled again. Dispatches and notifications are removed when done.",
  }),

  party_connectors: forEver(FEW),

  // gateways
  gateway_states: purged({
    forMs: GATEWAY_STATES_KEPT_MS,
    since: "the process last stored it",
    by: purgeGatewayStates,
    why: "It shows when a gateway last answered, also in ended processes.",
  }),
  sealing_keys: forEver(FEW),

  // tenants
  centers: forEver(FEW),
  credentials: forEver(FEW),
  maximum_rates: forEver(FEW),
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
  consent_texts: forEver(FEW),
  consents: forEver(PROOF),
  users: until("no record refers to the mailbox any more", "It belongs to its patients' records."),

  // notifications
  notices: {
    ...forEver("It prevents a second notification."),
    but: {
      part: "Address and text of an undelivered notification",
      forMs: UNDELIVERED_KEPT_MS,
      since: "it was given up",
      by: purgeUndelivered,
      why: "It can be sent again. After a delivery they are removed at once.",
    },
  },

  // orders
  identity_checks: purged({
    forMs: CHECKS_KEPT_MS,
    since: "the registry was asked",
    by: purgeIdentityChecks,
    why: "Attempts are counted for an hour. The order records its validation.",
  }),
  ledger_transfers: forEver(BOOKS),
  legal_texts: forEver(FEW),
  order_payments: forEver(BOOKS),
  order_refunds: forEver(BOOKS),
  orders: forEver(`${BOOKS} An order cancelled before money moved names no patient after an erasure.`),
  payment_attempts: forEver(PROOF),
  payments_otherwise: forEver(BOOKS),
  refund_movements: forEver(BOOKS),
  saved_card_uses: until("the card is deleted, or removed from an order", "The card chosen to pay an order."),
  saved_cards: until(
    "the patient removes it and the processor has forgotten it, or it was never kept",
    "Its patient asked for it.",
  ),
  tax_documents: forEver(BOOKS),

  card_attempts: forEver(
    "Proof towards the patient's bank in a dispute. Consents and cards are emptied when the attempt ends.",
  ),
  card_removals: forEver("No removal is requested twice. The card's id is removed with it."),
  ledger_balance_differences: until(
    "an operator has the balance recounted",
    "The daily check of the balances found it.",
  ),
  ledger_balances: forEver(FEW),
  ledger_closings: forEver(FEW),

  // webhooks
  webhook_attempts: purged(deliveries),
  webhook_deliveries: purged(deliveries),
  webhook_endpoints: forEver(FEW),

  // checkout
  email_changes: until("the patient is erased", "The earlier owner of a record, and any objection."),
  recognitions: purged({
    forMs: RECOGNITIONS_KEPT_MS,
    since: "it was requested",
    by: purgeRecognitions,
    why: "Codes are counted for a day, in real time and in each provider's.",
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
      why: "Its page explains why it ended. An erasure empties the sealed token of a payment page.",
    },
  ),

  // collection
  chargebacks: forEver(BOOKS),
  collection_attempts: forEver(BOOKS),
  collection_triggers: forEver(PROOF),
  collections: forEver(BOOKS),
  loan_reports: forEver(BOOKS),

  // claims
  claims: forEver("The due date depends on it; an erasure empties the insurer's answer."),
  expense_files: until("the patient is erased", "The documents of the claim."),
  expenses: forEver(RECORD),
  hand_worked_claims: forEver("An erasure empties the answer."),
  missing_receipts: forEver("It prevents a second notification."),

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
    `${BOOKS} An unconfirmed one is removed once another is registered or a confirmed one is paid again.`,
  ),
  payees: forEver(FEW),
  payout_items: forEver(BOOKS),
  payout_terms: forEver(FEW),
  payouts: forEver(BOOKS),
  reconciliation_differences: forEver(BOOKS),
  reconciliation_runs: forEver(BOOKS),

  // self-service
  data_links: purged({
    forMs: SENT_LINKS_KEPT_MS,
    since: "the link was sent",
    by: purgeDataLinks,
    why: "Links are counted for a day, in real time and in each provider's.",
  }),
  erasures: forEver("A restore repeats the erasures that it lacks. It names a record, not a patient."),
  link_code_patients: purged({
    ...linkCodes,
    since: "their last code was sent",
    why: "It holds no data.",
  }),
  link_codes: purged(linkCodes),
  rights_requests: forEver(PROOF),

  // operations
  approval_requests: {
    ...forEver("Approvals by two people."),
    but: {
      part: "A request that was never approved",
      forMs: LAPSED_KEPT_MS,
      since: "it was made",
      by: purgeApprovals,
      why: "The audit trail has it.",
    },
  },
  handled_matters: forEver("A dismissed exception stays dismissed until it recurs."),
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
    why: "Decisions count for a day; the audit trail has each.",
  }),
};
