/**
 * The tables as the migrations leave them. Written by `pnpm --filter bff tables`: change a migration, or
 * `test/column-types.ts`, and never this file.
 */
import type { Generated, JSONColumnType } from "kysely";
import type { DeclineLimit, DeclineReason } from "../../contract/errors.ts";
import type { ExpenseSubtype } from "../../contract/expenses.ts";
import type { Insurer } from "../../contract/onboarding.ts";
import type { CardBrand } from "../../contract/orders.ts";
import type { Quote } from "../../contract/quote.ts";
import type { DifferenceKind, ReconciledParty } from "../../contract/reconciliation.ts";
import type { CommissionTax } from "../../contract/vocabulary/commission-tax.ts";
import type { Email } from "../../contract/vocabulary/email.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { LegalTextName } from "../../contract/vocabulary/legal-text.ts";
import type { Phone } from "../../contract/vocabulary/phone.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { WebhookEventKind } from "../../contract/webhook-events.ts";
import type { Appearance, Locale, SealingKey, UserData } from "../../contract/widget-tokens.ts";
import type { CalendarDay } from "../santiago-time.ts";

/**
 * A jsonb column: read as the parsed value, written as text (`JSON.stringify(value)`), because a JavaScript array
 * would otherwise be taken for a PostgreSQL array.
 */
type Json<T extends object | null, Insert = string, Update = string> = JSONColumnType<T, Insert, Update>;

export interface ApprovalRequestsRow {
  id: string;
  act:
    | "exception.resolve"
    | "operator.add"
    | "operator.change_role"
    | "operator.reissue_token"
    | "provider.set_support_email"
    | "credential.rotate";
  subject: string;
  request: string;
  asked_by: string;
  asked_at: Date;
  state: "open" | "approved" | "refused";
  ended_by: string | null;
  ended_at: Date | null;
}

export interface AuditLogRow {
  id: string;
  provider_id: string | null;
  actor: string;
  credential_id: string | null;
  act: string;
  subject_kind: string;
  subject_id: string;
  details: Json<object>;
  at: Date;
  chain_number: number | null;
  chain_hash: string | null;
}

export interface BeneficiariesRow {
  id: string;
  tenant: string;
  rut: Rut;
  user_id: string;
  provider_id: string;
  first_name: string;
  last_name: string;
  phone_number: Phone;
  insurer: Insurer;
  sealed_insurer_access: string | null;
  insurer_access_at: Date | null;
  created_at: Date;
  updated_at: Date;
  proof_until: Date | null;
  proved_by: "code" | "registry" | null;
  blocked_at: Date | null;
  identity_matched_at: Date | null;
  contact_changed_at: Date | null;
}

export interface CardAttemptsRow {
  provider_id: string;
  order_id: OrderId;
  id: string;
  purpose: "payment" | "card_change" | "new_card" | "pay_early";
  number: number;
  state:
    | "registering"
    | "at_page"
    | "registered"
    | "abandoned"
    | "expires_too_soon"
    | "authenticating"
    | "challenged"
    | "proven"
    | "declined"
    | "dropped";
  widget_token_id: string | null;
  given: Json<object | null, string | null, string | null>;
  page_url: string | null;
  page_expires_at: Date | null;
  card_id: string | null;
  decline_reason: DeclineReason | null;
  inquiries: Generated<number>;
  started_at: Date;
  ended_at: Date | null;
  card: Json<object | null, string | null, string | null>;
  amount: number | null;
  shown_charge: Json<object | null, string | null, string | null>;
  authentication_id: string | null;
  network_transaction_id: string | null;
}

export interface CardRemovalsRow {
  provider_id: string;
  order_id: OrderId;
  id: string;
  state: "removing" | "removed";
  card_id: string | null;
  inquiries: Generated<number>;
  asked_at: Date;
  removed_at: Date | null;
}

export interface CardSettlementLinesRow {
  provider_id: string;
  settlement_id: string;
  id: string;
  kind: "charge" | "return" | "chargeback" | "chargeback_reversal" | "fee";
  source: string;
  order_id: string | null;
  amount: number;
  fee: number;
  fee_vat: number;
}

export interface CardSettlementsRow {
  provider_id: string;
  id: string;
  amount: number;
  fee: number;
  fee_vat: number;
  paid_at: Date;
  booked_at: Date;
}

export interface CentersRow {
  id: string;
  provider_id: string;
  rut: Rut;
  name: string;
  email: string;
  sealed_bank_account: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface ChargeReturnsRow {
  id: string;
  provider_id: string;
  reference: string;
  order_id: OrderId | null;
  amount: number;
  charged_at: Date;
  state: Generated<"sending" | "returned" | "refused">;
  return_id: string | null;
  inquiries: Generated<number>;
  requested_at: Date;
  ended_at: Date | null;
  taken_at: Date | null;
  ends_by: Date | null;
  refusal: "too_old" | "disputed" | null;
}

export interface ChargebacksRow {
  provider_id: string;
  id: string;
  order_id: OrderId;
  charge_id: string;
  amount: number;
  at: Date;
  noted_at: Date;
  released_at: Date | null;
  lost_at: Date | null;
  won_at: Date | null;
}

export interface ClaimsRow {
  provider_id: string;
  id: string;
  order_id: OrderId;
  expense_id: string;
  beneficiary_id: string;
  state:
    | "ready"
    | "filing"
    | "filed"
    | "approved"
    | "rejected"
    | "held"
    | "access_missing"
    | "access_blocked"
    | "stopped";
  attempt: number;
  inquiries: number;
  insurer_claim_id: string | null;
  reason: string | null;
  created_at: Date;
  updated_at: Date;
  filed_at: Date | null;
  blocked_since: Date | null;
  reimbursed: number | null;
  renewed_access_at: Date | null;
  unfollowed_at: Date | null;
  rejection_code: string | null;
}

export interface CollectedOrdersRow {
  provider_id: string;
  order_id: string;
  payee_id: string;
  moved_at: Date | null;
}

export interface CollectionAttemptsRow {
  provider_id: string;
  order_id: OrderId;
  id: string;
  initiator: "merchant" | "patient";
  state: "charging" | "captured" | "declined" | "not_made";
  card_id: string;
  decline_reason: DeclineReason | null;
  hard: Generated<boolean>;
  inquiries: Generated<number>;
  started_at: Date;
  settled_at: Date | null;
  called_at: Date | null;
  authentication_id: string | null;
  initial_network_transaction_id: string | null;
  decline_limit: DeclineLimit | null;
}

export interface CollectionTriggersRow {
  provider_id: string;
  order_id: OrderId;
  reason: "approved" | "access_blocked" | "day_45" | "paid_early";
  evidence: Json<object>;
  at: Date;
}

export interface CollectionsRow {
  provider_id: string;
  order_id: OrderId;
  state: "scheduled" | "processing" | "collected" | "failed" | "stopped" | "cancelled";
  paid_at: Date;
  due_at: Date | null;
  card: Json<object | null, string | null, string | null>;
  series_from: Date | null;
  failure: string | null;
  updated_at: Date;
  announced_for: Date | null;
  revoked_card_id: string | null;
  revoked_at: Date | null;
  announced_amount: number | null;
  announced_by: string | null;
  announced_at: Date | null;
  blocked_announced_for: Date | null;
  blocked_announced_amount: number | null;
  blocked_announced_at: Date | null;
}

export interface ConsentTextsRow {
  sha256: string;
  purpose: string;
  text_version: string;
  locale: string;
  text: string;
}

export interface ConsentsRow {
  id: string;
  provider_id: string;
  rut: string;
  order_id: string | null;
  step: string;
  purpose: string;
  text_sha256: string;
  shown_at: Date | null;
  accepted_at: Date;
  ip: string;
  user_agent: string | null;
  embedding_origin: string | null;
  withdrawn_at: Date | null;
}

export interface CredentialsRow {
  id: string;
  provider_id: string;
  kind: "client_secret" | "client_id" | "public_key" | "webhook_secret" | "secret_key";
  lookup: string | null;
  sealed: string | null;
  hint: string;
  created_at: Date;
  ends_at: Date | null;
  webhook_endpoint_id: string | null;
}

export interface DataLinksRow {
  beneficiary_id: string;
  sent_at: Date;
}

export interface DeploymentRow {
  id: Generated<boolean>;
  environment: "staging" | "production";
  key_fingerprints: Json<object>;
  required_keys: Generated<string[]>;
}

export interface EmailChangesRow {
  id: string;
  beneficiary_id: string;
  provider_id: string;
  old_user_id: string;
  new_user_id: string;
  widget_token_id: string;
  changed_at: Date;
  objection_until: Date;
  objected_at: Date | null;
}

export interface ErasuresRow {
  beneficiary_id: string;
  provider_id: string;
  actor: string;
  state: "waiting" | "done";
  requested_at: Date;
  done_at: Date | null;
}

export interface EventsRow {
  id: string;
  provider_id: string;
  order_id: string | null;
  kind: string;
  sequence: number | null;
  payload: Json<object>;
  created_at: Date;
  position: number | null;
  traceparent: string | null;
}

export interface ExpenseFilesRow {
  provider_id: string;
  expense_id: string;
  position: number;
  name: string;
  type: "application/pdf" | "image/jpeg" | "image/png" | "image/heic" | "image/webp" | "application/xml";
  bytes: number;
  sha256: string;
  storage_name: string;
  created_at: Date;
  is_locked: Generated<boolean>;
}

export interface ExpensesRow {
  provider_id: string;
  id: string;
  beneficiary_id: string;
  order_id: OrderId | null;
  status: "received" | "waiting_order" | "filed" | "approved" | "rejected" | "held" | "access_blocked";
  name: string | null;
  service_date: string | null;
  receipt_id: string | null;
  receipt_rut: string | null;
  doctor_rut: string | null;
  total: number | null;
  subtypes: ExpenseSubtype[];
  created_at: Date;
  updated_at: Date;
  unread_fields: Json<object>;
}

export interface HandledExceptionsRow {
  provider_id: string;
  kind: string;
  subject: string;
  actor: string;
  note: string | null;
  handled_at: Date;
}

export interface IdempotencyKeysRow {
  provider_id: string;
  method: string;
  path: string;
  key: string;
  body_hash: string;
  lease_id: string | null;
  lease_until: Date | null;
  status: number | null;
  body_sealed: string | null;
  expires_at: Date;
  created_at: Date;
}

export interface IdentityChecksRow {
  id: string;
  provider_id: string;
  order_id: string;
  rut_hash: string;
  serial_hash: string;
  document_type: string;
  outcome: "asked" | "match" | "no_match" | "document_not_valid" | "under_age" | "unavailable";
  asked_at: Date;
}

export interface LedgerBalanceDifferencesRow {
  provider_id: string;
  account: string;
  kept: number;
  booked: number;
  found_at: Date;
}

export interface LedgerBalancesRow {
  provider_id: string;
  account: string;
  balance: number;
}

export interface LedgerClosingsRow {
  provider_id: string;
  closed_before: Date;
}

export interface LedgerTransfersRow {
  id: string;
  provider_id: string;
  order_id: string | null;
  debit: string;
  credit: string;
  amount: number;
  cause: string;
  at: Date;
}

export interface LegalTextsRow {
  environment: "staging" | "production";
  kind: "contract" | "summary_sheet" | "privacy_notice";
  version: string;
  locale: "es-CL" | "en";
  text: string;
  set_at: Date;
}

export interface LenderAccountsRow {
  provider_id: string;
  sealed_bank_account: string;
  updated_at: Date;
}

export interface LinkCodePatientsRow {
  patient_hash: string;
}

export interface LinkCodesRow {
  id: string;
  provider_id: string;
  widget_token_id: string;
  patient_hash: string;
  code_hash: string;
  state: "open" | "replaced" | "verified";
  tries: number;
  created_at: Date;
  expires_at: Date;
  access_hash: string | null;
  access_until: Date | null;
  user_id: string | null;
  charge_amount: number | null;
  charge_card_last4: string | null;
}

export interface LoanCancellationsRow {
  id: string;
  provider_id: string;
  reference: string;
  order_id: OrderId | null;
  amount: number;
  listed_from: Date;
  state: Generated<"sending" | "cancelled" | "refused">;
  inquiries: Generated<number>;
  requested_at: Date;
  ended_at: Date | null;
}

export interface LoanReportsRow {
  provider_id: string;
  order_id: string;
  number: number;
  loan_end: "collected" | "in_arrears" | "written_off" | "refunded";
  amount: number;
  ended_at: Date;
  called_at: Date | null;
  reported_at: Date | null;
  inquiries: Generated<number>;
}

export interface MaximumRatesRow {
  id: string;
  environment: "staging" | "production";
  basis_points: number;
  source: string;
  since: string;
  set_at: Date;
}

export interface MissingReceiptsRow {
  provider_id: string;
  order_id: string;
  noticed_at: Date;
}

export interface NoticesRow {
  id: string;
  provider_id: string;
  cause: string;
  kind: string;
  sealed_email: string | null;
  state: "waiting" | "sent" | "refused" | "given_up";
  useful_until: Date | null;
  created_at: Date;
  settled_at: Date | null;
  channel: Generated<"email" | "message">;
  order_id: string | null;
  sealed_message: string | null;
  beneficiary_id: string | null;
  refusal: string | null;
}

export interface OperatorLinksUsedRow {
  link_id: string;
  used_at: Date;
}

export interface OperatorProfilesRow {
  operator_id: string;
  role: "viewer" | "support" | "finance" | "operator";
  email: string | null;
}

export interface OperatorSessionsRow {
  id: string;
  operator_id: string;
  token_hash: string;
  began_at: Date;
  seen_at: Date;
  ends_at: Date;
  ended_at: Date | null;
}

export interface OperatorsRow {
  id: string;
  name: string;
  token_hash: string;
  added_at: Date;
  ended_at: Date | null;
  made_by: "keyring" | "approval" | null;
  approval_id: string | null;
  approval_act: string | null;
  approval_state: string | null;
  approves_from: Date | null;
  token_made_at: Date | null;
}

export interface OrderPaymentsRow {
  provider_id: string;
  order_id: string;
  id: string;
  number: number;
  kind: "first" | "deferred";
  status: "processing" | "captured" | "declined" | "failed" | "undone";
  amount: number;
  commission: Generated<number>;
  return_accepted: Generated<number>;
  commission_return_accepted: Generated<number>;
  returned: Generated<number>;
  card: Json<object>;
  charge_id: string | null;
  decline_reason: string | null;
  created_at: Date;
  updated_at: Date;
  disputed: Generated<number>;
  lost: Generated<number>;
  recovery_accepted: Generated<number>;
  buy_order: string | null;
  store_code: string | null;
  authorisation_code: string | null;
  instalments: number | null;
  network_transaction_id: string | null;
  decline_limit: "amount" | "uses" | null;
}

export interface OrderRefundsRow {
  provider_id: string;
  order_id: string;
  id: string;
  number: number;
  amount: number;
  whole_rest: boolean;
  status: "processing" | "succeeded" | "failed";
  allocated: boolean;
  reason: string | null;
  refund_reference: string | null;
  key_hash: string | null;
  inquiries: Generated<number>;
  lease_id: string | null;
  lease_until: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface OrdersRow {
  provider_id: string;
  id: string;
  environment: "staging" | "production";
  reference: string;
  state:
    | "awaiting_payment"
    | "paying"
    | "payment_failed"
    | "first_captured"
    | "paid"
    | "partially_refunded"
    | "refunded"
    | "cancelled"
    | "expired"
    | "credit_refused";
  total: number;
  first_part: number;
  deferred_part: number;
  commission_basis_points: number;
  center_id: string | null;
  center_rut: string | null;
  customer_rut: string;
  customer_first_name: string;
  customer_last_name: string;
  customer_email: string;
  customer_phone: string;
  identity_validated_at: Date | null;
  card: Json<object | null, string | null, string | null>;
  loan_id: string | null;
  paid_at: Date | null;
  refund_accepted: Generated<number>;
  refunded: Generated<number>;
  deferred_cancelled: Generated<number>;
  deferred_collected: Generated<number>;
  deferred_failed_at: Date | null;
  event_sequence: Generated<number>;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  deferred_written_off_at: Date | null;
  commission_tax: Json<CommissionTax>;
  identity_recognised: Generated<boolean>;
  items: Json<object | null, string | null, string | null>;
  traceparent: string | null;
  card_removed: Generated<boolean>;
}

export interface PayableOrdersRow {
  provider_id: string;
  order_id: OrderId;
  payee_id: string;
  fee_basis_points: number;
  moved_at: Date | null;
  fee_regime: Generated<"taxed_service" | "exempt">;
}

export interface PayeeAccountsRow {
  provider_id: string;
  id: string;
  payee_id: string;
  sealed_bank_account: string;
  noted_at: Date;
  confirmed_at: Date | null;
}

export interface PayeesRow {
  provider_id: string;
  id: string;
  kind: "provider" | "center" | "lender";
}

export interface PaymentAttemptsRow {
  provider_id: string;
  order_id: string;
  id: string;
  state:
    | "authorising_loan"
    | "loan_under_review"
    | "authenticating"
    | "challenged"
    | "capturing"
    | "confirming_loan"
    | "cancelling_loan"
    | "returning_charge"
    | "succeeded"
    | "declined"
    | "failed";
  capture_first: boolean;
  loan_id: string | null;
  authentication_id: string | null;
  challenge_url: string | null;
  challenge_expires_at: Date | null;
  charge_id: string | null;
  ending: Json<object | null, string | null, string | null>;
  quote: Json<Quote>;
  key_hash: string | null;
  attention: string | null;
  inquiries: Generated<number>;
  lease_id: string | null;
  lease_until: Date | null;
  started_at: Date;
  updated_at: Date;
  ended_at: Date | null;
  agreement: Json<
    { locale: Locale; texts: LegalTextName[]; values: Record<string, string> } | null,
    string | null,
    string | null
  >;
  return_taken_at: Date | null;
  return_ends_by: Date | null;
  return_refusal: "too_old" | "disputed" | null;
}

export interface PaymentsOtherwiseRow {
  provider_id: string;
  order_id: string;
  id: string;
  amount: number;
  commission: number;
  return_accepted: Generated<number>;
  commission_return_accepted: Generated<number>;
  evidence: string;
  booked_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface PayoutItemsRow {
  provider_id: string;
  payout_id: string;
  order_id: OrderId;
  net: number;
  fee: number;
  fee_vat: Generated<number>;
}

export interface PayoutTermsRow {
  provider_id: string;
  fee_basis_points: number;
  sealed_bank_account: string | null;
  updated_at: Date;
  fee_regime: Generated<"taxed_service" | "exempt">;
}

export interface PayoutsRow {
  provider_id: string;
  id: string;
  payee_id: string;
  day: CalendarDay;
  amount: number;
  state: "sending" | "paid" | "refused";
  sealed_bank_account: string;
  account_hash: string;
  transfer_id: string | null;
  refusal: string | null;
  inquiries: Generated<number>;
  created_at: Date;
  settled_at: Date | null;
}

export interface ProviderOriginsRow {
  provider_id: string;
  origin: string;
  position: number;
}

export interface ProvidersRow {
  id: string;
  environment: "staging" | "production";
  name: string;
  rut: string;
  active: boolean;
  scopes: string[];
  logo_url: string | null;
  appearance: Json<Appearance>;
  support_email: string;
  support_phone: string | null;
  commission_basis_points: number;
  capture_first: boolean;
  unpaid_order_expiry_minutes: number | null;
  clock_offset_ms: number;
  created_at: Date;
  updated_at: Date;
  commission_legal_basis: string | null;
  is_framed: Generated<boolean>;
  commission_tax: Json<CommissionTax>;
  return_urls: Generated<string[]>;
  known_patients: Generated<boolean>;
  identity_trusted_days: Generated<number>;
  takes_minors: Generated<boolean>;
  card_page: Generated<boolean>;
  support_whatsapp: string | null;
}

export interface RateLimitsRow {
  key: string;
  window_ends_at: Date;
  points: number;
}

export interface RecognitionsRow {
  id: string;
  provider_id: string;
  order_id: OrderId;
  number: number;
  beneficiary_id: string | null;
  code_hash: string | null;
  tries: Generated<number>;
  created_at: Date;
  expires_at: Date;
  verified_at: Date | null;
  asked_card: string | null;
  clinic: string | null;
  total: number | null;
  today: number | null;
  card_id: string | null;
  card_last4: string | null;
}

export interface ReconciliationDifferencesRow {
  provider_id: string;
  kind: DifferenceKind;
  reference: string;
  party: ReconciledParty;
  order_id: OrderId | null;
  expected: number | null;
  found: number | null;
  at: Date;
  first_seen_at: Date;
  last_seen_at: Date;
  gone_at: Date | null;
}

export interface ReconciliationRunsRow {
  provider_id: string;
  day: string;
  at: Date;
  differences: number;
  unavailable: Json<ReconciledParty[]>;
}

export interface RecoveriesRow {
  id: string;
  beneficiary_id: string;
  provider_id: string;
  widget_token_id: string;
  way: "email_code" | "identity";
  email: Email;
  code_hash: string;
  state: "open" | "replaced" | "verified";
  tries: number;
  created_at: Date;
  expires_at: Date;
}

export interface RecoveryIdentityChecksRow {
  id: string;
  beneficiary_id: string;
  outcome: "asked" | "match" | "no_match" | "document_not_valid" | "unavailable";
  asked_at: Date;
  order_id: string | null;
}

export interface RefundMovementsRow {
  provider_id: string;
  order_id: string;
  refund_id: string;
  id: string;
  position: number;
  kind: "loan_reduction" | "card_return" | "loss_recovery" | "bank_transfer";
  payment_id: string | null;
  amount: number;
  commission: number;
  status: "pending" | "done" | "refused" | "dropped";
  return_id: string | null;
  updated_at: Date;
  transferred_at: Date | null;
  buy_order: string | null;
  store_code: string | null;
  authorisation_code: string | null;
  return_taken_at: Date | null;
  return_ends_by: Date | null;
  return_refusal: "too_old" | "disputed" | null;
}

export interface ResolutionApprovalsRow {
  provider_id: string;
  kind: string;
  subject: string;
  version: string;
  resolution: string;
  actor: string;
  approved_at: Date;
}

export interface ResolutionJobItemsRow {
  job_id: string;
  position: number;
  exception: string;
  state: Generated<"waiting" | "done" | "second_operator" | "refused">;
  outcome: string | null;
  gives: number | null;
}

export interface ResolutionJobsRow {
  id: string;
  resolution: string;
  note: string | null;
  actor: string;
  begun_at: Date;
  ended_at: Date | null;
  needs_two: boolean | null;
}

export interface RestoresRow {
  id: string;
  restored_to: Date;
  begun_at: Date;
  begun_by: string;
  ended_at: Date | null;
  ended_by: string | null;
}

export interface RightsRequestsRow {
  id: string;
  provider_id: string;
  beneficiary_id: string;
  kind: "rectification" | "opposition" | "blocking" | "credit_review";
  about: string;
  words: string;
  state: "open" | "granted" | "refused";
  asked_at: Date;
  answered_at: Date | null;
  answer: string | null;
}

export interface SandboxAuthenticationsRow {
  id: string;
  provider_id: string;
  card_id: string;
  order_hash: OrderId;
  amount: number;
  return_url: string;
  state: "pending" | "authenticated" | "failed" | "abandoned";
  expires_at: Date;
  page_expires_at: Date;
  created_at: Date;
  purpose: Generated<"payment" | "mandate">;
}

export interface SandboxBankTransfersRow {
  id: string;
  provider_id: string;
  idempotency_key: string;
  reference: string;
  amount: number;
  account_ending: string;
  at: Date;
}

export interface SandboxCallsRow {
  provider_id: string;
  party: string;
  operation: string;
  idempotency_key: string;
  input_sha256: string;
  answer: Json<object | null, string | null, string | null>;
  answer_from: Date;
  called_at: Date;
}

export interface SandboxCardRegistrationsRow {
  id: string;
  provider_id: string;
  order_hash: OrderId;
  return_url: string;
  state: "pending" | "registered" | "declined" | "abandoned";
  sealed: Json<object | null, string | null, string | null>;
  card_id: string | null;
  decline_reason: DeclineReason | null;
  expires_at: Date;
  page_expires_at: Date;
  created_at: Date;
}

export interface SandboxCardsRow {
  id: string;
  provider_id: string;
  order_hash: OrderId;
  brand: CardBrand;
  last4: string;
  exp_month: number;
  exp_year: number;
  holder_name: string;
  kind: "credit" | "debit" | "prepaid";
  behaviour: string;
  charges_captured: Generated<number>;
  charges_declined: Generated<number>;
  calls_lost: Generated<number>;
  registered_at: Date;
  stored_card_id: string | null;
  removed_at: Date | null;
}

export interface SandboxClaimsRow {
  id: string;
  provider_id: string;
  order_hash: OrderId | null;
  insurer: string;
  total: number | null;
  behaviour: Json<object>;
  documents: number;
  access_sha256: string;
  filed_at: Date;
  access_renewed_at: Date | null;
  blocked_from: Date | null;
  blocked_until: Date | null;
  verdict: "approved" | "rejected" | null;
  verdict_at: Date | null;
  verdict_reimbursed: number | null;
  verdict_reason: string | null;
  asked_at: Date | null;
}

export interface SandboxClockMovesRow {
  provider_id: string;
  remaining_ms: number;
  moved_ms: Generated<number>;
  updated_at: Date;
}

export interface SandboxFaultsRow {
  provider_id: string;
  position: number;
  party: string;
  method: string;
  kind: "slow" | "fail_before" | "fail_after" | "twice" | "kill_after";
  remaining: number;
}

export interface SandboxKeptCardsRow {
  id: string;
  card_id: string;
  customer: string;
  kept_at: Date;
  forgotten_at: Date | null;
}

export interface SandboxKeysRow {
  provider_id: string;
  challenge: string;
  ends_at: Date;
  claimed_at: Date | null;
  created_at: Date;
}

export interface SandboxLoansRow {
  id: string;
  provider_id: string;
  idempotency_key: string;
  order_hash: OrderId;
  amount: number;
  remaining: number;
  behaviour: string;
  status: "open" | "confirmed" | "refused" | "cancelled";
  requested_at: Date;
  changed_at: Date;
  reported_end: string | null;
  reported_amount: number | null;
  reports: Generated<number>;
}

export interface SandboxMessagesRow {
  id: string;
  provider_id: string;
  message_id: string;
  to_number: Phone;
  body: string;
  sent_at: Date;
}

export interface SandboxMissedCallsRow {
  provider_id: string;
  party: string;
  operation: string;
  idempotency_key: string;
  asked_at: Date;
}

export interface SandboxMovementsRow {
  id: string;
  provider_id: string;
  kind: "charge" | "return" | "chargeback";
  charge_id: string;
  card_id: string;
  idempotency_key: string;
  order_hash: OrderId;
  amount: number;
  returned: Generated<number>;
  at: Date;
}

export interface SandboxNoticesRow {
  id: string;
  provider_id: string;
  message_id: string;
  to_address: string;
  subject: string;
  text_body: string;
  html_body: string;
  sent_at: Date;
}

export interface SandboxPortalsRow {
  provider_id: string;
  rut: string;
  first_called_at: Date;
  first_access_sha256: string;
}

export interface SandboxSealingKeysRow {
  kid: string;
  party: string;
  public_key: Json<SealingKey>;
  private_key: Json<Readonly<Record<string, string>>>;
  created_at: Date;
}

export interface SandboxTaxDocumentsRow {
  id: string;
  provider_id: string;
  idempotency_key: string;
  kind: "boleta" | "credit_note";
  issuer_rut: string;
  number: number;
  corrects: string | null;
  net: number;
  vat: number;
  at: Date;
}

export interface SandboxTaxNumbersRow {
  provider_id: string;
  issuer_rut: string;
  kind: string;
  last: number;
}

export interface SandboxTenantsRow {
  provider_id: string;
  holder_id: string;
  created_at: Date;
}

export interface SavedCardUsesRow {
  saved_card_id: string;
  provider_id: string;
  order_id: OrderId;
  card_id: string;
  used_at: Date;
}

export interface SavedCardsRow {
  id: string;
  beneficiary_id: string;
  provider_id: string;
  order_id: OrderId;
  card_id: string;
  stored_card_id: string | null;
  brand: CardBrand;
  last4: string;
  exp_month: number | null;
  exp_year: number | null;
  state: "asked" | "saving" | "saved" | "removing";
  inquiries: Generated<number>;
  asked_at: Date;
  changed_at: Date;
  saved_at: Date | null;
}

export interface SealingKeysRow {
  party: string;
  key: Json<object>;
  heard_at: Date;
}

export interface SoloAmountsRow {
  id: string;
  actor: string;
  amount: number;
  total: number;
  at: Date;
}

export interface SubscriptionsRow {
  beneficiary_id: string;
  plan: string;
  status: "active" | "cancelled";
  paid_by: "patient" | "provider";
  provider_id: string;
  valid_until: Date | null;
  updated_at: Date;
}

export interface SwitchesRow {
  what: "charges" | "payouts" | "mails" | "claims";
  provider_id: string | null;
}

export interface TaxDocumentsRow {
  provider_id: string;
  order_id: OrderId;
  number: number;
  kind: "boleta" | "credit_note";
  source_id: string;
  corrects: string | null;
  net: number;
  vat: number;
  due_at: Date;
  called_at: Date | null;
  refusals: Generated<number>;
  refusal: string | null;
  issued_at: Date | null;
  issued_number: string | null;
  url: string | null;
  inquiries: Generated<number>;
}

export interface TimersRow {
  kind: string;
  key: string;
  provider_id: string;
  due_at: Date;
  lease_id: string | null;
  lease_until: Date | null;
  attempts: Generated<number>;
  payload: Json<object>;
  done_at: Date | null;
  traceparent: string | null;
}

export interface UsersRow {
  id: string;
  tenant: string;
  email: Email;
  email_key: string;
  created_at: Date;
}

export interface WebhookAttemptsRow {
  delivery_id: string;
  number: number;
  round: number;
  started_at: Date;
  ended_at: Date | null;
  outcome: "succeeded" | "failed" | "interrupted";
  failure: string | null;
  status: number | null;
  answer: string | null;
}

export interface WebhookDeliveriesRow {
  id: string;
  provider_id: string;
  endpoint_id: string;
  event_id: string | null;
  webhook_id: string;
  kind: WebhookEventKind | "endpoint.test";
  order_id: string | null;
  sequence: number | null;
  status: "queued" | "scheduled" | "delivered" | "exhausted" | "dropped";
  queued_at: Date;
  lease_id: string | null;
  lease_until: Date | null;
  leased_at: Date | null;
  attempts: number;
  failures: number;
  round: number;
  attempted: boolean;
  created_at: Date;
  ended_at: Date | null;
  accepted_started_at: Date | null;
  accepted_status: number | null;
  accepted_answer: string | null;
}

export interface WebhookEndpointsRow {
  id: string;
  provider_id: string;
  url: string;
  kinds: WebhookEventKind[];
  notify_email: string | null;
  paused_at: Date | null;
  first_failed_at: Date | null;
  failing_at: Date | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  url_hash: string | null;
}

export interface WidgetTokensRow {
  id: string;
  token_hash: string;
  provider_id: string;
  purpose:
    | "checkout"
    | "onboarding"
    | "insurer_access"
    | "card_change"
    | "pay_early"
    | "my_data"
    | "objection"
    | "payment";
  order_id: OrderId | null;
  beneficiary_id: string | null;
  rut: Rut | null;
  user_data: Json<UserData>;
  provider_data: Json<Record<string, unknown> | null, string | null, string | null>;
  parent_origin: string | null;
  locale: Locale;
  created_at: Date;
  expires_at: Date;
  shown_at: Date | null;
  used_at: Date | null;
  return_url: string | null;
  is_native: Generated<boolean>;
  shown_texts: Json<object>;
  sealed_token: string | null;
  revoked_at: Date | null;
}

/** Every table, by its name in the database. */
export interface Tables {
  all_webhook_attempts: WebhookAttemptsRow;
  approval_requests: ApprovalRequestsRow;
  audit_log: AuditLogRow;
  beneficiaries: BeneficiariesRow;
  card_attempts: CardAttemptsRow;
  card_removals: CardRemovalsRow;
  card_settlement_lines: CardSettlementLinesRow;
  card_settlements: CardSettlementsRow;
  centers: CentersRow;
  charge_returns: ChargeReturnsRow;
  chargebacks: ChargebacksRow;
  claims: ClaimsRow;
  collected_orders: CollectedOrdersRow;
  collection_attempts: CollectionAttemptsRow;
  collection_triggers: CollectionTriggersRow;
  collections: CollectionsRow;
  consent_texts: ConsentTextsRow;
  consents: ConsentsRow;
  credentials: CredentialsRow;
  data_links: DataLinksRow;
  deployment: DeploymentRow;
  email_changes: EmailChangesRow;
  erasures: ErasuresRow;
  events: EventsRow;
  expense_files: ExpenseFilesRow;
  expenses: ExpensesRow;
  handled_matters: HandledExceptionsRow;
  idempotency_keys: IdempotencyKeysRow;
  identity_checks: IdentityChecksRow;
  ledger_balance_differences: LedgerBalanceDifferencesRow;
  ledger_balances: LedgerBalancesRow;
  ledger_closings: LedgerClosingsRow;
  ledger_transfers: LedgerTransfersRow;
  legal_texts: LegalTextsRow;
  lender_accounts: LenderAccountsRow;
  link_code_patients: LinkCodePatientsRow;
  link_codes: LinkCodesRow;
  loan_cancellations: LoanCancellationsRow;
  loan_reports: LoanReportsRow;
  maximum_rates: MaximumRatesRow;
  missing_receipts: MissingReceiptsRow;
  notices: NoticesRow;
  operator_links_used: OperatorLinksUsedRow;
  operator_profiles: OperatorProfilesRow;
  operator_sessions: OperatorSessionsRow;
  operators: OperatorsRow;
  order_payments: OrderPaymentsRow;
  order_refunds: OrderRefundsRow;
  orders: OrdersRow;
  payable_orders: PayableOrdersRow;
  payee_accounts: PayeeAccountsRow;
  payees: PayeesRow;
  payment_attempts: PaymentAttemptsRow;
  payments_otherwise: PaymentsOtherwiseRow;
  payout_items: PayoutItemsRow;
  payout_terms: PayoutTermsRow;
  payouts: PayoutsRow;
  provider_origins: ProviderOriginsRow;
  providers: ProvidersRow;
  rate_limits: RateLimitsRow;
  recognitions: RecognitionsRow;
  reconciliation_differences: ReconciliationDifferencesRow;
  reconciliation_runs: ReconciliationRunsRow;
  recoveries: RecoveriesRow;
  recovery_identity_checks: RecoveryIdentityChecksRow;
  refund_movements: RefundMovementsRow;
  resolution_approvals: ResolutionApprovalsRow;
  resolution_job_items: ResolutionJobItemsRow;
  resolution_jobs: ResolutionJobsRow;
  restores: RestoresRow;
  rights_requests: RightsRequestsRow;
  sandbox_authentications: SandboxAuthenticationsRow;
  sandbox_bank_transfers: SandboxBankTransfersRow;
  sandbox_calls: SandboxCallsRow;
  sandbox_card_registrations: SandboxCardRegistrationsRow;
  sandbox_cards: SandboxCardsRow;
  sandbox_claims: SandboxClaimsRow;
  sandbox_clock_moves: SandboxClockMovesRow;
  sandbox_faults: SandboxFaultsRow;
  sandbox_kept_cards: SandboxKeptCardsRow;
  sandbox_keys: SandboxKeysRow;
  sandbox_loans: SandboxLoansRow;
  sandbox_messages: SandboxMessagesRow;
  sandbox_missed_calls: SandboxMissedCallsRow;
  sandbox_movements: SandboxMovementsRow;
  sandbox_notices: SandboxNoticesRow;
  sandbox_portals: SandboxPortalsRow;
  sandbox_sealing_keys: SandboxSealingKeysRow;
  sandbox_tax_documents: SandboxTaxDocumentsRow;
  sandbox_tax_numbers: SandboxTaxNumbersRow;
  sandbox_tenants: SandboxTenantsRow;
  saved_card_uses: SavedCardUsesRow;
  saved_cards: SavedCardsRow;
  sealing_keys: SealingKeysRow;
  solo_amounts: SoloAmountsRow;
  subscriptions: SubscriptionsRow;
  switches: SwitchesRow;
  tax_documents: TaxDocumentsRow;
  timers: TimersRow;
  users: UsersRow;
  webhook_attempts: WebhookAttemptsRow;
  webhook_deliveries: WebhookDeliveriesRow;
  webhook_endpoints: WebhookEndpointsRow;
  widget_tokens: WidgetTokensRow;
}
