import { sql } from "kysely";
import type { DeclineCause } from "../../contract/errors.ts";
import type { Quote } from "../../contract/quote.ts";
import type { PageDisplay } from "../../contract/vocabulary/card.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Lease } from "../../platform/lease.ts";
import { switchedOff } from "../../platform/switch-store.ts";
import { cancellationWith, dueAtWith, type NewTimer, timerWith } from "../../platform/timers/timer-store.ts";
import type { KeptAgreement } from "../agreement/agreement-values.ts";
import type { AttemptConnectors } from "../dependencies.ts";
import { transfersWith } from "../ledger/transfer-store.ts";
import type { Transfer } from "../ledger/transfers.ts";
import type { Transition } from "../order.ts";
import type { OrderKey } from "../order-store.ts";
import {
  type AttemptState,
  type Ending,
  hasEnded,
  isWaiting,
  type PaymentAttempt,
  type PaymentChange,
  type Step,
} from "./payment-attempt.ts";
import { voucherColumns } from "./voucher-columns.ts";

interface AttemptKey extends OrderKey {
  readonly attemptId: string;
}

/** An attempt to create, with everything stored in the same statement. */
interface NewAttempt {
  readonly attempt: PaymentAttempt;
  /** The transition of the order. */
  readonly transition: Transition;
  /** Number of the payment within the order, from 1, by the payments that the caller has read. */
  readonly number: number;
  readonly quote: Quote;
  /** The quote and texts that the patient saw and accepts with it. */
  readonly agreement: KeptAgreement;
  /** Inserts the consents that the patient gave, if the CTE `payment` has a row. */
  readonly consents: StatementPart;
  readonly keyHash: string | null;
  readonly lease: Lease;
  /** The timer that resumes the attempt if this process dies. */
  readonly timer: NewTimer;
}

/** `order_changed`: its state, identity, card or payments changed since the caller read it. */
export type AttemptCreation = "created" | "charges_switched_off" | "order_changed";

/** Creates an attempt with its order's transition, payment, consents and timer, in one statement. */
export async function insertAttempt(db: Database, created: NewAttempt): Promise<AttemptCreation> {
  const { attempt, transition, number, lease } = created;
  const { providerId, orderId, id, startedAt: at } = attempt;
  const off = switchedOff({ what: sql`'charges'`, providerId: sql`${providerId}::uuid` });
  const { rows } = await sql<{ outcome: AttemptCreation }>`
    with started as (
      update orders set state = ${transition.to}, updated_at = ${at}
      where provider_id = ${providerId} and id = ${orderId} and state = ${transition.from}
        and identity_validated_at is not null and card ->> 'id' = ${attempt.card.id}
        and not ${off}
        and ${number}::int - 1 = (
          select count(*) from order_payments as p where p.provider_id = orders.provider_id and p.order_id = orders.id)
      returning provider_id, id, first_part, card
    ), payment as (
      insert into order_payments (provider_id, order_id, id, number, kind, status, amount, card, created_at, updated_at)
      select provider_id, id, ${id}::uuid, ${number}::int, 'first', 'processing', first_part, card, ${at}::timestamptz, ${at}::timestamptz
      from started
      returning provider_id, order_id, id
    ), timer as (${timerWith("payment", created.timer)}), ${created.consents},
    attempt as (
      insert into payment_attempts (provider_id, order_id, id, state, processor_connector, lender_connector, capture_first,
        quote, agreement, stamp_tax, key_hash, lease_id, lease_until, started_at, updated_at)
      select provider_id, order_id, id, ${attempt.state}, ${attempt.connectors.cardProcessor},
        ${attempt.connectors.financingProvider}, ${attempt.captureFirst}::boolean, ${JSON.stringify(created.quote)}::jsonb,
        ${JSON.stringify(created.agreement)}::jsonb, ${attempt.stampTax}::bigint,
        ${created.keyHash}, ${lease.id}::uuid, ${lease.until}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      from payment
      returning id
    )
    select case when exists (select from attempt) then 'created'
      when ${off} then 'charges_switched_off' else 'order_changed' end as outcome
  `.execute(db);
  return rows[0]?.outcome ?? "order_changed";
}

/**
 * The attempt that a request repeats: the one with its key, then the open one, then the last one if it was final for
 * the order. Null if there is none.
 */
export function findEarlierAttempt(
  db: Database,
  key: OrderKey,
  { keyHash, isFinal }: { readonly keyHash: string | null; readonly isFinal: boolean },
): Promise<PaymentAttempt | null> {
  return selectAttempt(db, key, {
    filter: sql`(a.key_hash = ${keyHash}::text or a.ended_at is null or ${isFinal}::boolean)`,
    first: sql`(a.key_hash = ${keyHash}::text) is true desc, (a.ended_at is null) desc,`,
  });
}

/** The open attempt, the last one, or the one with an id, as `which` selects; `null` if there is none. */
export function findAttempt(
  db: Database,
  key: OrderKey,
  which: { readonly id: string } | "open" | "last",
): Promise<PaymentAttempt | null> {
  const filter = which === "open" ? sql`a.ended_at is null` : which === "last" ? sql`true` : sql`a.id = ${which.id}`;
  return selectAttempt(db, key, { filter, first: sql`` });
}

/** The newest attempt that a condition selects. Attempts matching `first` come first. */
async function selectAttempt(
  db: Database,
  key: OrderKey,
  { filter, first }: { readonly filter: StatementPart; readonly first: StatementPart },
): Promise<PaymentAttempt | null> {
  const { rows } = await sql<AttemptRow>`
    select ${attemptColumns} from ${attemptTables}
    where a.provider_id = ${key.providerId} and a.order_id = ${key.orderId} and ${filter}
    order by ${first} p.number desc
    limit 1
  `.execute(db);
  return rows[0] === undefined ? null : toAttempt(rows[0]);
}

/** The quote and the texts that the patient of a paid order accepted. */
export interface Accepted {
  readonly quote: Quote | null;
  /** Null if an earlier version did not store the texts, or they were erased. */
  readonly agreed: { readonly at: Date; readonly agreement: KeptAgreement } | null;
}

export async function readAccepted(db: Database, key: OrderKey): Promise<Accepted> {
  const row = await db
    .selectFrom("payment_attempts")
    .select(["quote", "agreement", "started_at"])
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("state", "=", "succeeded")
    .executeTakeFirst();
  const agreed = row?.agreement == null ? null : { at: row.started_at, agreement: row.agreement };
  return { quote: row?.quote ?? null, agreed };
}

/**
 * Leases an open attempt to the caller, unless another worker holds it. Records `connectors` as those that take its
 * calls if an earlier version recorded none. `busyUntil` is the end of the other lease; null if the attempt has ended
 * or does not exist.
 */
export async function claimAttempt(
  db: Database,
  key: AttemptKey,
  lease: Lease,
  { connectors, realNow }: { readonly connectors: AttemptConnectors; readonly realNow: Date },
): Promise<{ readonly attempt: PaymentAttempt } | { readonly busyUntil: Date | null }> {
  const { rows } = await sql<AttemptRow>`
    update payment_attempts as a set lease_id = ${lease.id}, lease_until = ${lease.until},
      processor_connector = coalesce(a.processor_connector, ${connectors.cardProcessor}),
      lender_connector = coalesce(a.lender_connector, ${connectors.financingProvider})
    from orders as o, order_payments as p
    where a.provider_id = ${key.providerId} and a.order_id = ${key.orderId} and a.id = ${key.attemptId}
      and a.ended_at is null and (a.lease_until is null or a.lease_until <= ${realNow})
      and o.provider_id = a.provider_id and o.id = a.order_id
      and p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id
    returning ${attemptColumns}
  `.execute(db);
  if (rows[0] !== undefined) return { attempt: toAttempt(rows[0]) };
  const { rows: held } = await sql<{ lease_until: Date | null }>`
    select lease_until from payment_attempts
    where provider_id = ${key.providerId} and order_id = ${key.orderId} and id = ${key.attemptId} and ended_at is null
  `.execute(db);
  // The other worker released the lease between the two statements, so the attempt can be claimed again at once.
  return { busyUntil: held[0] === undefined ? null : (held[0].lease_until ?? realNow) };
}

export interface WrittenStep {
  readonly step: Step;
  readonly payment: PaymentChange | null;
  readonly transfers: readonly Transfer[];
  readonly ids: Ids;
  readonly lease: Lease;
  readonly at: Date;
  /** The change of the attempt's timer; null if it stays unchanged, or the caller holds it. */
  readonly timer: TimerChange | null;
}

export interface TimerChange {
  readonly kind: string;
  readonly key: string;
  /** When it is due, in real time; null if it is no longer needed. */
  readonly dueAt: Date | null;
}

/**
 * Writes a step with its changes to the payment and the ledger, if the caller still holds the lease. Returns whether it
 * does. Extends the lease while there is another call to make; releases it if the attempt waits or has ended.
 */
export async function writeStep(tx: Database, attempt: PaymentAttempt, written: WrittenStep): Promise<boolean> {
  const { step, payment, at, ids, transfers, timer } = written;
  const { rows } = await sql`
    with step as (
      update payment_attempts as a set ${columnsOfStep(written)}
      where ${held(attempt, written.lease)}
      returning provider_id, order_id, id
    ), payment as (${paymentChange(step, payment, at)}),
    booked as (${transfersWith("step", ids, transfers)}),
    timer as (${timerChange(timer)})
    select id from step
  `.execute(tx);
  return rows.length === 1;
}

function timerChange(timer: TimerChange | null) {
  if (timer === null) return sql`select 1`;
  const { kind, key, dueAt } = timer;
  return dueAt === null ? cancellationWith("step", { kind, key }) : dueAtWith("step", { kind, key, dueAt });
}

/** The columns that a step sets. Extends the lease while there is another call to make. */
function columnsOfStep({ step, lease, at }: WrittenStep): StatementPart {
  const { challenge, acceptedReturn } = step;
  const isReleased = hasEnded(step.state) || isWaiting(step.state) || acceptedReturn !== undefined;
  return sql`
        state = ${step.state},
        loan_id = coalesce(${step.loanId ?? null}, loan_id),
        authentication_id = coalesce(${step.authenticationId ?? null}, authentication_id),
        challenge_url = coalesce(${challenge?.url ?? null}, challenge_url),
        challenge_expires_at = coalesce(${challenge?.expiresAt ?? null}::timestamptz, challenge_expires_at),
        challenge_display = coalesce(${challenge?.display ?? null}, challenge_display),
        charge_id = coalesce(${step.chargeId ?? null}, charge_id),
        ending = coalesce(${step.ending === undefined ? null : JSON.stringify(step.ending)}::jsonb, a.ending),
        attention = coalesce(${step.attention ?? null}, attention),
        return_taken_at = coalesce(${acceptedReturn?.takenAt ?? null}::timestamptz, return_taken_at),
        return_ends_by = coalesce(${acceptedReturn?.endsBy ?? null}::timestamptz, return_ends_by),
        return_refusal = coalesce(${step.refusal ?? null}, return_refusal),
        inquiries = 0,
        lease_id = ${isReleased ? null : lease.id},
        lease_until = ${isReleased ? null : lease.until},
        updated_at = ${at},
        ended_at = ${hasEnded(step.state) ? at : null}`;
}

function paymentChange(step: Step, change: PaymentChange | null, at: Date) {
  if (change === null) return sql`select 1`;
  const cause: DeclineCause | null = step.ending?.as === "declined" ? step.ending : null;
  const returned = change === "undone" ? sql`p.amount` : sql`0`;
  return sql`
    update order_payments as p set status = ${change}, charge_id = coalesce(${step.chargeId ?? null}, p.charge_id),
      ${voucherOf(step)}
      decline_reason = ${cause?.reason ?? null}, decline_limit = ${cause?.limit ?? null}, return_accepted = ${returned}, returned = ${returned}, updated_at = ${at}
    from step where p.provider_id = step.provider_id and p.order_id = step.order_id and p.id = step.id`;
}

/** The columns of the charge that a capture sets and that later steps leave unchanged. */
function voucherOf({ voucher }: Step): StatementPart {
  if (voucher === undefined) return sql``;
  const columns = Object.entries(voucherColumns(voucher));
  return sql`${sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`))},`;
}

/**
 * Releases an attempt whose call got no answer yet. If `isInquiry`, the call counts towards the delay before the next
 * inquiry. Returns the number of inquiries since the last progress; 0 if the caller no longer holds the lease.
 */
export async function releaseAttempt(
  db: Database,
  attempt: PaymentAttempt,
  lease: Lease,
  { isInquiry, at }: { readonly isInquiry: boolean; readonly at: Date },
): Promise<number> {
  const { rows } = await sql<{ inquiries: number }>`
    update payment_attempts set lease_id = null, lease_until = null, inquiries = inquiries + ${isInquiry ? 1 : 0}, updated_at = ${at}
    where ${held(attempt, lease)}
    returning inquiries
  `.execute(db);
  return rows[0]?.inquiries ?? 0;
}

function held(attempt: PaymentAttempt, lease: Lease) {
  return sql`provider_id = ${attempt.providerId} and order_id = ${attempt.orderId} and id = ${attempt.id}
    and lease_id = ${lease.id} and state = ${attempt.state}`;
}

interface AttemptRow {
  provider_id: string;
  order_id: string;
  id: string;
  state: AttemptState;
  processor_connector: string | null;
  lender_connector: string | null;
  capture_first: boolean;
  first_part: number;
  deferred_part: number;
  stamp_tax: number;
  customer_rut: string;
  card_id: string;
  card_last4: string;
  loan_id: string | null;
  authentication_id: string | null;
  challenge_url: string | null;
  challenge_expires_at: Date | null;
  challenge_display: PageDisplay | null;
  charge_id: string | null;
  ending: Ending | null;
  is_return_taken: boolean;
  inquiries: number;
  started_at: Date;
}

const attemptTables = sql`payment_attempts as a
  join orders as o on o.provider_id = a.provider_id and o.id = a.order_id
  join order_payments as p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id`;

const attemptColumns = sql`a.provider_id, a.order_id, a.id, a.state, a.processor_connector, a.lender_connector, a.capture_first,
  o.first_part, o.deferred_part, a.stamp_tax, o.customer_rut, p.card ->> 'id' as card_id, p.card ->> 'last4' as card_last4, a.loan_id, a.authentication_id, a.challenge_url,
  a.challenge_expires_at, a.challenge_display, a.charge_id, a.ending, a.return_taken_at is not null as is_return_taken, a.inquiries, a.started_at`;

function toAttempt(row: AttemptRow): PaymentAttempt {
  const { challenge_url: url, challenge_expires_at: expiresAt } = row;
  return {
    providerId: row.provider_id,
    orderId: row.order_id as OrderId,
    id: row.id,
    state: row.state,
    connectors: { cardProcessor: row.processor_connector, financingProvider: row.lender_connector },
    captureFirst: row.capture_first,
    first: row.first_part as Clp,
    deferred: row.deferred_part as Clp,
    stampTax: row.stamp_tax as Clp,
    rut: row.customer_rut as Rut,
    card: { id: row.card_id, last4: row.card_last4 },
    startedAt: row.started_at,
    loanId: row.loan_id,
    authenticationId: row.authentication_id,
    challenge:
      url === null || expiresAt === null ? null : { url, expiresAt, display: row.challenge_display ?? undefined },
    chargeId: row.charge_id,
    ending: row.ending,
    isReturnTaken: row.is_return_taken,
    inquiries: row.inquiries,
  };
}

interface NewPaymentOtherwise {
  readonly id: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly evidence: string;
  readonly actor: string;
  readonly at: Date;
}

/** Inserts a payment by another method than card. A second one for the order violates the table's primary key. */
export async function insertPaymentOtherwise(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  { id, amount, commission, evidence, actor, at }: NewPaymentOtherwise,
): Promise<void> {
  await tx
    .insertInto("payments_otherwise")
    .values({
      provider_id: providerId,
      order_id: orderId,
      id,
      amount,
      commission,
      evidence,
      booked_by: actor,
      created_at: at,
      updated_at: at,
    })
    .execute();
}
