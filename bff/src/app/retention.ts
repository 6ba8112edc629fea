/**
 * How long each table keeps its rows, why, and what removes them. Every table of the migrations stands here, or this
 * file does not compile; `docs/reference/retention.md` is written from it.
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
import { purgeUndelivered, UNDELIVERED_KEPT_MS } from "../notifications/work.ts";
import { CHECKS_KEPT_MS, purgeIdentityChecks } from "../orders/work.ts";
import type { Tables } from "../platform/database/tables.ts";
import { purgeExpired, TIMERS_KEPT_MS } from "../platform/purge.ts";
import { LINK_CODES_KEPT_MS, purgeDataLinks, purgeLinkCodes, SENT_LINKS_KEPT_MS } from "../self-service/work.ts";
import { DELIVERIES_KEPT_MS, purgeDeliveries } from "../webhooks/work.ts";
import type { PURGES } from "./purge-outdated.ts";
import { purgeUnproven } from "./purge-outdated.ts";

/** Rows that a purge removes, or of which it empties a part. */
export interface Purged {
  /** What of a row goes; the row itself, if left out. */
  readonly part?: string;
  /** How long it is kept, and counted from what; null where the row says so itself. */
  readonly forMs: number | null;
  readonly since: string;
  readonly by: (typeof PURGES)[number];
  readonly why: string;
}

/** How long rows of one table are kept. `until` names what removes them in the course of its own work. */
export type Retention =
  | { readonly kept: "for ever"; readonly why: string; readonly but?: Purged }
  | { readonly kept: "until"; readonly until: string; readonly why: string; readonly but?: Purged }
  | { readonly kept: "purged"; readonly purges: readonly [Purged, ...Purged[]] };

/** The sandbox's tables are in no production database, and a view has no rows of its own. */
type StoredTable = Exclude<keyof Tables, `sandbox_${string}` | "all_webhook_attempts">;

const forEver = (why: string): Extract<Retention, { kept: "for ever" }> => ({ kept: "for ever", why });
const until = (until: string, why: string): Retention => ({ kept: "until", until, why });
const purged = (...purges: readonly [Purged, ...Purged[]]): Retention => ({ kept: "purged", purges });

const BOOKS = "Accounting: it says what money moved, was owed or was given back.";
const PROOF = "Proof towards the patient. How long the law asks for it is a lawyer's question; nothing here ends it.";
const FEW = "A few rows for each partner, which do not grow with orders.";
const OPERATORS = "Who was an operator must stay known as long as the audit trail names them.";
const RECORD = "A record that orders hang on; an erasure leaves a pseudonym.";

const deliveries: Purged = {
  forMs: DELIVERIES_KEPT_MS,
  since: "the delivery ended",
  by: purgeDeliveries,
  why: "Partners are promised its attempts and its replay for so long. What still waits stays; the event stays in the log.",
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
  why: "Codes are counted for a day, in real time and in any provider's.",
};
const recoveries: Purged = {
  forMs: RECOVERIES_KEPT_MS,
  since: "it began",
  by: purgeRecoveries,
  why: "Codes and tries are counted for a day, in real time and in any provider's; then the addresses in them go.",
};
const sessions: Purged = {
  forMs: SESSIONS_KEPT_MS,
  since: "it ended or was used",
  by: purgeSessions,
  why: "The audit trail says who was signed in when.",
};

export const RETENTION: { readonly [Table in StoredTable]: Retention } = {
  // platform
  audit_log: forEver(
    "A chain of hashes: a row that is missing shows as a manipulation, so that none may ever be removed.",
  ),
  deployment: forEver("One row, which says whose database this is."),
  events: forEver(
    "Partners are promised the complete log, and may ask for what came after any event in it. An erasure overwrites what it shows of a patient.",
  ),
  idempotency_keys: purged({
    forMs: IDEMPOTENCY_HOURS * HOUR_MS,
    since: "the first request",
    by: purgeExpired,
    why: "Partners are promised the first answer for so long.",
  }),
  rate_limits: purged({
    forMs: null,
    since: "the window ended",
    by: purgeExpired,
    why: "A count says nothing once its window is over.",
  }),
  restores: forEver("One row for each time that the database was set back."),
  switches: until("the operator switches it on again", "What is switched off now; the audit trail has the rest."),
  timers: purged({
    forMs: TIMERS_KEPT_MS,
    since: "it was done",
    by: purgeExpired,
    why: "A done timer keeps its key from being scheduled again, longer than anything is retried. Dispatches and notifications are removed as they are done: the event and the notification say so themselves.",
  }),

  // gateways
  sealing_keys: forEver("One row for each gateway that seals, which is overwritten."),

  // tenants
  centers: forEver(FEW),
  credentials: forEver(`${FEW} An ended one tells a wrong secret from one that was rotated.`),
  maximum_rates: forEver(
    "A row for each rate that was published, with its source: contracts of its time were made under it.",
  ),
  provider_origins: until("the provider's origins are set anew", FEW),
  providers: forEver(FEW),

  // patients
  beneficiaries: {
    ...forEver(RECORD),
    but: {
      part: "A registration that nobody has proved",
      forMs: null,
      since: "the end of its visit",
      by: purgeUnproven,
      why: "It is worth nothing.",
    },
  },
  consent_texts: forEver("One row for each text that was ever agreed to."),
  consents: forEver(PROOF),
  users: until("no record refers to the mailbox any more", "It belongs to the records of its patients."),

  // notifications
  notices: {
    ...forEver(
      "One row for each cause and channel keeps a patient from being told twice, and proves that they were told (the charge of day 45 must be announced).",
    ),
    but: {
      part: "Address and text of what could not be delivered",
      forMs: UNDELIVERED_KEPT_MS,
      since: "it was given up",
      by: purgeUndelivered,
      why: "So long it can be sent again. Of what was sent they go at once.",
    },
  },

  // orders
  identity_checks: purged({
    forMs: CHECKS_KEPT_MS,
    since: "the registry was asked",
    by: purgeIdentityChecks,
    why: "Tries are counted for an hour, in real time and in any provider's; the order keeps that it was validated.",
  }),
  ledger_transfers: forEver(`${BOOKS} The database refuses to change or delete them.`),
  legal_texts: forEver("A version is never changed, because agreements refer to it."),
  order_payments: forEver(BOOKS),
  order_refunds: forEver(BOOKS),
  orders: forEver(
    `${BOOKS} A reference is used once for ever; one that was cancelled before money moved names nobody after an erasure.`,
  ),
  payment_attempts: forEver(`${PROOF} It holds the agreement as it was shown, and why a credit was refused.`),
  payments_otherwise: forEver(BOOKS),
  refund_movements: forEver(BOOKS),
  saved_card_uses: until(
    "the card goes, or is taken off an order",
    "It says which card an order was chosen to be paid with.",
  ),
  saved_cards: until(
    "the patient removes it and the processor has forgotten it, or it was never kept",
    "Its patient asked for it.",
  ),
  tax_documents: forEver(BOOKS),

  card_attempts: forEver(
    "Proof towards the patient's bank, which decides who bears a disputed charge. A registration's number is never given again, so that none is opened twice. Consents and cards are emptied when the attempt ends.",
  ),
  card_removals: forEver(
    "Each card that the processor was asked to remove, so that none is asked about twice. The card's id goes when it is removed.",
  ),
  ledger_balance_differences: until(
    "an operator has the balance counted anew",
    "What the daily check of the balances found.",
  ),
  ledger_balances: forEver("One row for each account of a provider, which is overwritten."),
  ledger_closings: forEver("One row for each provider, which is overwritten."),

  // webhooks
  webhook_attempts: purged(deliveries),
  webhook_deliveries: purged(deliveries),
  webhook_endpoints: forEver(`${FEW} A deleted one is shown to nobody.`),

  // checkout
  email_changes: until("the patient is erased", "It says to whom a record belonged before, and who has objected."),
  recognitions: purged({
    forMs: RECOGNITIONS_KEPT_MS,
    since: "it was asked for",
    by: purgeRecognitions,
    why: "Codes are counted for a day, in real time and in any provider's.",
  }),
  recoveries: purged(recoveries),
  recovery_identity_checks: purged(recoveries),
  subscriptions: until("the patient is erased", "The patient's plan."),
  widget_tokens: purged(
    {
      part: "What a partner wrote into it of the patient",
      forMs: TOKEN_DATA_KEPT_MS,
      since: "its end or use",
      by: purgeEndedTokens,
      why: "It only fills forms in.",
    },
    {
      forMs: TOKENS_KEPT_MS,
      since: "its end",
      by: purgeEndedTokens,
      why: "Its page says so long why it ended; afterwards it is as unknown as one that was made up.",
    },
  ),

  // collection
  chargebacks: forEver(BOOKS),
  collection_attempts: forEver(BOOKS),
  collection_triggers: forEver(`${PROOF} It says why the deferred part became due.`),
  collections: forEver(BOOKS),
  loan_reports: forEver("What the lender was told of each loan's end."),

  // claims
  claims: forEver("What the deferred part's due date rests on; an erasure empties what the insurer said."),
  expense_files: until("the patient is erased", "The documents of the claim, for which there was a mandate."),
  expenses: forEver(`${RECORD} One expense for an order, whatever is sent again.`),
  missing_receipts: forEver("It belongs to its order, and keeps the clinic from being told twice."),

  // settlement
  card_settlement_lines: forEver(BOOKS),
  card_settlements: forEver(BOOKS),
  charge_returns: forEver(BOOKS),
  collected_orders: forEver(BOOKS),
  lender_accounts: forEver(BOOKS),
  loan_cancellations: forEver(BOOKS),
  payable_orders: forEver(BOOKS),
  payee_accounts: forEver(
    "To which account a payee was paid when; one that was never confirmed goes when another is given, or a confirmed one is paid again.",
  ),
  payees: forEver(FEW),
  payout_items: forEver(BOOKS),
  payout_terms: forEver(FEW),
  payouts: forEver(BOOKS),
  reconciliation_differences: forEver(`${BOOKS} It says what did not agree and how it was settled.`),
  reconciliation_runs: forEver("One row a day for each provider: the proof that the books were compared."),

  // self-service
  data_links: purged({
    forMs: SENT_LINKS_KEPT_MS,
    since: "the link was sent",
    by: purgeDataLinks,
    why: "Links are counted for a day, in real time and in any provider's.",
  }),
  erasures: forEver("After a restore it says which erasures the database knows of. It names a record, not a patient."),
  link_code_patients: purged({
    ...linkCodes,
    since: "their last code was sent",
    why: "It is locked while a code is sent, and says nothing.",
  }),
  link_codes: purged(linkCodes),
  rights_requests: forEver(PROOF),

  // operations
  approval_requests: {
    ...forEver("Who asked for what needs two people, and who approved it."),
    but: {
      part: "A request that nobody approved",
      forMs: LAPSED_KEPT_MS,
      since: "it was made",
      by: purgeApprovals,
      why: "It has lapsed; the audit trail says that it was made.",
    },
  },
  handled_matters: forEver("An exception that was put aside must stay so until it happens again."),
  operator_links_used: purged(sessions),
  operator_profiles: forEver(OPERATORS),
  operator_sessions: purged(sessions),
  operators: forEver(OPERATORS),
  resolution_approvals: until("a later version removes the table", "Only the version before writes to it."),
  resolution_job_items: purged(jobs),
  resolution_jobs: purged(jobs),
  solo_amounts: purged({
    forMs: SOLO_AMOUNTS_KEPT_MS,
    since: "it was given away",
    by: purgeApprovals,
    why: "What an operator gives away alone counts for a day; the audit trail has each resolution.",
  }),
};
