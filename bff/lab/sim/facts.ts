import type { ShownCharge } from "../../src/contract/self-service-links.ts";
import type { OrderState } from "../../src/orders/order.ts";
import type { OpenDatabase } from "../../src/platform/database/database.ts";
import type { Received } from "./partner-receivers.ts";

/** Everything known at one moment: our own tables, and the lists of parties and receivers. */
export interface Facts {
  /** Real time, by the machines' common clock. */
  readonly now: Date;
  readonly received: readonly Received[];
  /** The names of the stored files; null if they cannot be listed. */
  readonly stored: readonly string[] | null;
  readonly orders: readonly OrderFacts[];
  readonly order_payments: readonly PaymentFacts[];
  readonly payment_attempts: readonly {
    order_id: string;
    id: string;
    state: string;
    started_at: string;
    ended_at: string | null;
  }[];
  /** The orders whose patients have asked to save the card. */
  readonly asked_to_keep: readonly string[];
  /** The processor's ids of saved cards, with the time at which the service confirmed their removal. */
  readonly removed_cards: readonly RemovedCard[];
  /** The charge that pages announced when their patients gave another card. */
  readonly shown_charges: readonly ShownToPatient[];
  /** The time since which every process runs this version; null if they did so for the whole life. */
  readonly of_this_version_since: Date | null;
  readonly saved_cards: readonly { id: string; order_id: string; stored_card_id: string | null; state: string }[];
  readonly order_refunds: readonly RefundFacts[];
  readonly refund_movements: readonly RefundMovementFacts[];
  readonly events: readonly EventFacts[];
  readonly ledger_transfers: readonly LedgerFacts[];
  readonly ledger_closings: readonly { provider_id: string; closed_before: string }[];
  readonly ledger_balances: readonly { provider_id: string; account: string; balance: number }[];
  readonly timers: readonly TimerFacts[];
  readonly collections: readonly CollectionFacts[];
  readonly collection_attempts: readonly {
    id: string;
    order_id: string;
    card_id: string;
    initiator: string;
    state: string;
    decline_reason: string | null;
    started_at: string;
    /** When its call was last made. */
    called_at: string;
    settled_at: string | null;
  }[];
  readonly sandbox_authentications: readonly { card_id: string; purpose: string; state: string }[];
  readonly webhook_deliveries: readonly DeliveryFacts[];
  readonly all_webhook_attempts: readonly AttemptFacts[];
  readonly chargebacks: readonly ChargebackFacts[];
  readonly notices: readonly {
    id: string;
    kind: string;
    order_id: string | null;
    cause: string;
    channel: string;
    state: string;
    created_at: string;
  }[];
  readonly collection_triggers: readonly { order_id: string; reason: string }[];
  readonly audit_log: readonly { act: string; order_id: string | null; at: string }[];
  readonly consents: readonly ConsentFacts[];
  readonly erasures: readonly { beneficiary_id: string; state: string }[];
  readonly expenses: readonly {
    id: string;
    order_id: string | null;
    beneficiary_id: string;
    status: string;
    name: string | null;
  }[];
  readonly expense_files: readonly { expense_id: string; storage_name: string }[];
  readonly beneficiaries: readonly BeneficiaryFacts[];
  readonly claims: readonly { id: string; order_id: string; state: string }[];
  readonly centers: readonly { id: string; provider_id: string; name: string }[];
  readonly payouts: readonly { id: string; provider_id: string; payee_id: string; amount: number; state: string }[];
  readonly payout_items: readonly { payout_id: string; order_id: string; net: number; fee: number }[];
  readonly payable_orders: readonly {
    order_id: string;
    payee_id: string;
    fee_basis_points: number;
    moved_at: string | null;
  }[];
  readonly lender_accounts: readonly { provider_id: string }[];
  readonly card_settlement_lines: readonly { id: string; kind: string; amount: number; fee: number; fee_vat: number }[];
  readonly sandbox_movements: readonly MovementFacts[];
  readonly sandbox_cards: readonly { id: string; order_hash: string; stored_card_id: string | null }[];
  readonly sandbox_kept_cards: readonly { id: string; card_id: string; forgotten_at: string | null }[];
  readonly sandbox_loans: readonly {
    idempotency_key: string;
    order_hash: string;
    amount: number;
    remaining: number;
    status: string;
    behaviour: string;
    reported_end: string | null;
    reported_amount: number | null;
  }[];
  readonly sandbox_messages: readonly { message_id: string }[];
  readonly sandbox_notices: readonly { message_id: string; subject: string; text: string | null }[];
  readonly sandbox_claims: readonly { order_hash: string | null; filed_at: string }[];
  readonly sandbox_tax_documents: readonly { idempotency_key: string; kind: string; net: number; vat: number }[];
  readonly sandbox_bank_transfers: readonly {
    provider_id: string;
    idempotency_key: string;
    amount: number;
    account_ending: string;
  }[];
}

export interface RemovedCard {
  readonly storedCardId: string;
  readonly at: Date;
}

export interface ShownToPatient extends ShownCharge {
  readonly orderId: string;
  readonly at: Date;
}

export interface CollectionFacts {
  readonly order_id: string;
  readonly state: string;
  readonly failure: string | null;
  readonly updated_at: string;
  /** The card that the patient gave in place of the one that paid. */
  readonly card_ending: string | null;
}

export interface ConsentFacts {
  readonly provider_id: string;
  readonly rut: string;
  readonly purpose: string;
  readonly order_id: string | null;
  readonly accepted_at: string;
  readonly withdrawn_at: string | null;
}

export interface BeneficiaryFacts {
  readonly id: string;
  readonly rut: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string;
  readonly has_access: boolean;
  /** An unproven registration has no effect, and expires with its visit. */
  readonly is_proven: boolean;
  /** The scope in which its RUT finds it: at its provider, everywhere, or only in its visit while it is unproven. */
  readonly tenant: string;
}

/** Facts that no table contains. */
export type Seen = Pick<
  Facts,
  "now" | "received" | "stored" | "asked_to_keep" | "removed_cards" | "shown_charges" | "of_this_version_since"
>;

export interface OrderFacts {
  readonly id: string;
  readonly provider_id: string;
  readonly reference: string;
  readonly center_id: string | null;
  readonly customer_rut: string;
  readonly customer_email: string;
  readonly customer_phone: string;
  readonly state: OrderState;
  readonly total: number;
  readonly first_part: number;
  readonly deferred_part: number;
  readonly identity_validated_at: string | null;
  readonly card: { readonly id: string } | null;
  readonly refund_accepted: number;
  readonly refunded: number;
  readonly deferred_cancelled: number;
  readonly deferred_collected: number;
  readonly event_sequence: number;
  readonly commission_basis_points: number;
  /** How its commission is taxed. */
  readonly regime: "taxed_service" | "interest";
  /** How far its provider's clock was moved. */
  readonly clock_offset_ms: number;
}

export interface PaymentFacts {
  readonly order_id: string;
  readonly id: string;
  readonly kind: "first" | "deferred";
  readonly status: string;
  readonly amount: number;
  readonly returned: number;
  readonly charge_id: string | null;
}

export interface RefundFacts {
  readonly order_id: string;
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly refund_reference: string | null;
  readonly key_hash: string | null;
  readonly created_at: string;
}

export interface RefundMovementFacts {
  readonly id: string;
  readonly refund_id: string;
  readonly kind: string;
  readonly commission: number;
  readonly status: string;
}

export interface EventFacts {
  readonly id: string;
  readonly order_id: string | null;
  readonly kind: string;
  readonly sequence: number | null;
  readonly status: string | null;
  /** The refund that it is about. */
  readonly refund_id: string | null;
}

export interface LedgerFacts {
  readonly provider_id: string;
  readonly order_id: string | null;
  readonly debit: string;
  readonly credit: string;
  readonly amount: number;
  readonly cause: string;
  readonly at: string;
}

export interface ChargebackFacts {
  readonly id: string;
  readonly order_id: string;
  readonly amount: number;
  readonly noted_at: string;
  readonly released_at: string | null;
  readonly lost_at: string | null;
  readonly won_at: string | null;
}

export interface TimerFacts {
  readonly kind: string;
  readonly key: string;
  readonly due_at: string;
  readonly lease_until: string | null;
  readonly done_at: string | null;
}

export interface DeliveryFacts {
  readonly id: string;
  readonly event_id: string | null;
  readonly webhook_id: string;
  readonly kind: string;
  readonly order_id: string | null;
  readonly status: string;
  readonly round: number;
  readonly attempts: number;
}

export interface AttemptFacts {
  readonly delivery_id: string;
  readonly number: number;
  readonly round: number;
  readonly outcome: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface MovementFacts {
  readonly id: string;
  readonly provider_id: string;
  readonly kind: "charge" | "return" | "chargeback";
  readonly charge_id: string;
  readonly card_id: string;
  readonly idempotency_key: string;
  readonly order_hash: string;
  readonly amount: number;
  readonly returned: number;
  readonly at: string;
}

/** The columns of each table that the invariants read. */
const COLUMNS: Readonly<Record<Exclude<keyof Facts, keyof Seen>, string>> = {
  orders:
    "id, provider_id, reference, center_id, customer_rut, customer_email, customer_phone, state, total, first_part, deferred_part, identity_validated_at, card, refund_accepted, refunded, deferred_cancelled, deferred_collected, event_sequence, commission_basis_points, commission_tax ->> 'regime' as regime, (select clock_offset_ms from providers where providers.id = orders.provider_id) as clock_offset_ms",
  order_payments: "order_id, id, kind, status, amount, returned, charge_id",
  payment_attempts: "order_id, id, state, started_at, ended_at",
  saved_cards: "id, order_id, stored_card_id, state",
  sandbox_cards: "id, order_hash, stored_card_id",
  sandbox_authentications: "card_id, purpose, state",
  sandbox_kept_cards: "id, card_id, forgotten_at",
  order_refunds: "order_id, id, amount, status, refund_reference, key_hash, created_at",
  refund_movements: "id, refund_id, kind, commission, status",
  events: "id, order_id, kind, sequence, payload ->> 'status' as status, payload ->> 'refund_id' as refund_id",
  ledger_transfers: "provider_id, order_id, debit, credit, amount, cause, at",
  ledger_closings: "provider_id, closed_before",
  ledger_balances: "provider_id, account, balance",
  timers: "kind, key, due_at, lease_until, done_at",
  collections: "order_id, state, failure, updated_at, card ->> 'last4' as card_ending",
  collection_triggers: "order_id, reason",
  collection_attempts:
    "id, order_id, card_id, initiator, state, decline_reason, started_at, coalesce(called_at, started_at) as called_at, settled_at",
  webhook_deliveries: "id, event_id, webhook_id, kind, order_id, status, round, attempts",
  all_webhook_attempts: "delivery_id, number, round, outcome, started_at, ended_at",
  chargebacks: "id, order_id, amount, noted_at, released_at, lost_at, won_at",
  notices: "id, kind, order_id, cause, channel, state, created_at",
  audit_log: "act, details ->> 'order_id' as order_id, at",
  consents: "provider_id, rut, purpose, order_id, accepted_at, withdrawn_at",
  erasures: "beneficiary_id, state",
  expenses: "id, order_id, beneficiary_id, status, name",
  expense_files: "expense_id, storage_name",
  beneficiaries:
    "id, rut, first_name, last_name, phone_number, sealed_insurer_access is not null as has_access, proof_until is null as is_proven, tenant, (select email from users where users.id = user_id) as email",
  claims: "id, order_id, state",
  centers: "id, provider_id, name",
  payouts: "id, provider_id, payee_id, amount, state",
  payout_items: "payout_id, order_id, net, fee",
  payable_orders: "order_id, payee_id, fee_basis_points, moved_at",
  lender_accounts: "provider_id",
  card_settlement_lines: "id, kind, amount, fee, fee_vat",
  sandbox_movements: "id, provider_id, kind, charge_id, card_id, idempotency_key, order_hash, amount, returned, at",
  sandbox_loans: "idempotency_key, order_hash, amount, remaining, status, behaviour, reported_end, reported_amount",
  sandbox_messages: "message_id",
  // The texts of mails about moved amounts and coming charges, in both languages.
  sandbox_notices:
    "message_id, subject, case when subject ~ '^(Devolución|Refund of|Hicimos|We made|Recibimos|We received|El \\d.*cobro|On \\d.*charge|No pudimos hacer el segundo|We could not make|Aprobaron|Your reimbursement|.*odavía no podemos entrar|No podemos entrar|We (still )?cannot sign in)' then text_body end as text",
  sandbox_claims: "order_hash, filed_at",
  sandbox_bank_transfers: "provider_id, idempotency_key, amount, account_ending",
  sandbox_tax_documents: "idempotency_key, kind, net, vat",
};

const STATEMENT = `select ${Object.entries(COLUMNS)
  .map(
    ([table, columns]) =>
      `(select coalesce(jsonb_agg(to_jsonb(t)), '[]') from (select ${columns} from ${table}) t) as ${table}`,
  )
  .join(", ")}`;

/** WAL position. If it has not advanced, no table has changed. */
export function readLog(database: OpenDatabase): Promise<string> {
  return database.withSession(async (session) => {
    const { rows } = await session.query("select pg_current_wal_insert_lsn()::text as log", []);
    return rows[0].log;
  });
}

/** Reads all tables in one statement, so that the rows are consistent. */
export async function readFacts(database: OpenDatabase, seen: Seen): Promise<Facts> {
  return database.withSession(async (session) => {
    const { rows } = await session.query(STATEMENT, []);
    const [tables] = rows;
    return { ...seen, ...tables };
  });
}

/** The facts of an empty database. */
export function noFacts(seen: Seen): Facts {
  return Object.assign({ ...seen }, ...Object.keys(COLUMNS).map((table) => ({ [table]: [] })));
}

/** A promise made by the service, which must hold from then on. */
export interface Acknowledged {
  readonly what: string;
  readonly holds: (facts: Facts) => boolean;
}
