import { type RawBuilder, sql } from "kysely";
import { CLAIM_WAITING_DAYS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../../contract/terms.ts";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { Environment } from "../../platform/provider.ts";
import type { Exception, ExceptionKind, ExceptionName } from "./exception.ts";

/*
 * Reads other features' tables, and changes none of them: the operator has to see what is there.
 */

interface HandledExceptionRow {
  provider_id: string;
  kind: ExceptionKind;
  subject: string;
  actor: string;
  note: string | null;
  handled_at: Date;
}

declare module "../../platform/database/tables.ts" {
  interface Tables {
    handled_matters: HandledExceptionRow;
  }
}

interface ExceptionRow {
  kind: ExceptionKind;
  provider_id: string;
  subject: string;
  order_id: OrderHash | null;
  since: Date;
  facts: Record<string, string | number | null>;
}

/** Each selects `kind, provider_id, subject, order_id, since, facts`. `p` is the provider, whose clock may be ahead. */
function sources(now: Date): readonly RawBuilder<ExceptionRow>[] {
  const ago = (interval: string) => sql`
    ${now}::timestamptz + p.clock_offset_ms * interval '1 millisecond' - ${interval}::interval`;
  const unknown = ago(`${UNKNOWN_OUTCOME_HOURS_MAX} hours`);
  const waiting = ago(`${CLAIM_WAITING_DAYS_MAX} days`);
  return [
    sql`select case c.state when 'stopped' then 'collection_stopped' else 'collection_failed' end as kind,
        c.provider_id, c.order_id::text as subject, c.order_id,
        greatest(c.updated_at, (select max(b.noted_at) from chargebacks b where b.provider_id = c.provider_id
          and b.order_id = c.order_id and b.released_at is null and c.state = 'stopped')) as since,
        jsonb_strip_nulls(jsonb_build_object('why', c.failure, 'trigger', t.reason,
          'amount', (select sum(b.amount) from chargebacks b where b.provider_id = c.provider_id
            and b.order_id = c.order_id and b.released_at is null and c.state = 'stopped'))) as facts
      from collections c left join collection_triggers t on t.provider_id = c.provider_id and t.order_id = c.order_id
      where c.state in ('failed', 'stopped') and c.failure <> 'written_off'`,
    sql`select 'chargeback', b.provider_id, b.order_id::text, b.order_id, max(b.noted_at),
        jsonb_build_object('amount', sum(b.amount))
      from chargebacks b left join collections c on c.provider_id = b.provider_id and c.order_id = b.order_id
      where b.won_at is null and b.lost_at is null and c.state is distinct from 'stopped' group by b.provider_id, b.order_id`,
    sql`select case c.state when 'held' then 'claim_held' else 'claim_without_access' end,
        c.provider_id, c.id::text, c.order_id, c.updated_at, jsonb_build_object('reason', c.reason)
      from claims c join providers p on p.id = c.provider_id
      where c.state in ('held', 'access_missing') and c.updated_at < ${waiting}`,
    // What lacks a document by our own rules has no claim yet.
    sql`select 'claim_held', e.provider_id, e.id::text, e.order_id, e.updated_at, jsonb_build_object('reason', 'documents_missing')
      from expenses e join providers p on p.id = e.provider_id
      join orders o on o.provider_id = e.provider_id and o.id = e.order_id
      where e.status = 'held' and e.updated_at < ${waiting} and o.state <> 'refunded'
        and not exists (select 1 from claims c where c.provider_id = e.provider_id and c.order_id = e.order_id)`,
    sql`select 'claim_of_refunded_order', c.provider_id, c.id::text, c.order_id, o.updated_at,
        jsonb_build_object('claim_state', c.state, 'insurer_claim_id', c.insurer_claim_id)
      from claims c join orders o on o.provider_id = c.provider_id and o.id = c.order_id
      where c.state in ('filing', 'filed', 'approved') and o.state = 'refunded'`,
    sql`select 'money_not_returned', a.provider_id, a.id::text, a.order_id, a.updated_at,
        jsonb_build_object('why', a.attention, 'amount', p.amount)
      from payment_attempts a join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id
      where a.attention is not null`,
    sql`select 'money_not_returned', r.provider_id, r.id::text, r.order_id, r.updated_at,
        jsonb_build_object('why', case when m.done > 0 then 'refund_failed_in_part' else 'refund_failed' end,
          'amount', r.amount - m.done, 'given_back', nullif(m.done, 0))
      from order_refunds r
      cross join lateral (select coalesce(sum(amount), 0) as done from refund_movements
        where provider_id = r.provider_id and order_id = r.order_id and refund_id = r.id and status = 'done') m
      where r.status = 'failed'`,
    sql`select 'outcome_unknown', a.provider_id, a.id::text, a.order_id, a.started_at, jsonb_build_object('of', 'payment')
      from payment_attempts a join providers p on p.id = a.provider_id
      where a.ended_at is null and a.inquiries > 0 and a.started_at < ${unknown}`,
    sql`select 'outcome_unknown', r.provider_id, r.id::text, r.order_id, r.created_at, jsonb_build_object('of', 'refund')
      from order_refunds r join providers p on p.id = r.provider_id
      where r.status = 'processing' and r.created_at < ${unknown}`,
    sql`select 'outcome_unknown', a.provider_id, a.id::text, a.order_id, a.started_at, jsonb_build_object('of', 'collection')
      from collection_attempts a join providers p on p.id = a.provider_id
      where a.state = 'charging' and a.started_at < ${unknown}`,
    sql`select 'outcome_unknown', c.provider_id, c.id::text, c.order_id, c.updated_at, jsonb_build_object('of', 'filing')
      from claims c join providers p on p.id = c.provider_id where c.state = 'filing' and c.updated_at < ${unknown}`,
    sql`select 'outcome_unknown', o.provider_id, o.id::text, null::uuid, o.created_at, jsonb_build_object('of', 'payout')
      from payouts o join providers p on p.id = o.provider_id where o.state = 'sending' and o.created_at < ${unknown}`,
    sql`select 'notice_undelivered', n.provider_id, n.id::text, n.order_id, n.settled_at,
        jsonb_build_object('notice', n.kind, 'why', n.state)
      from notices n where n.state in ('refused', 'given_up') and n.channel = 'email' and n.useful_until is null`,
    sql`select 'payout_refused', o.provider_id, o.id::text, null::uuid, o.settled_at,
        jsonb_build_object('why', o.refusal, 'amount', o.amount)
      from payouts o where o.state = 'refused' and not exists (
        select 1 from payouts later where later.provider_id = o.provider_id and later.payee_id = o.payee_id and later.day > o.day)`,
    sql`select 'payee_without_account', y.provider_id, y.id::text, null::uuid, min(o.moved_at), jsonb_build_object('payee', y.kind)
      from payees y join payable_orders o on o.provider_id = y.provider_id and o.payee_id = y.id and o.moved_at is not null
      join providers p on p.id = y.provider_id
      left join payout_terms t on t.provider_id = y.provider_id
      left join centers c on c.id = y.id
      where p.environment = 'production'
        and case y.kind when 'center' then c.sealed_bank_account is null else t.sealed_bank_account is null end
      group by y.provider_id, y.id, y.kind`,
    sql`select 'difference', d.provider_id, d.kind || ':' || d.reference, d.order_id, d.first_seen_at,
        jsonb_build_object('kind', d.kind, 'party', d.party, 'expected', d.expected, 'found', d.found)
      from reconciliation_differences d where d.gone_at is null
        -- One that was noted is listed as what it is; one of an order that we do not know is named here.
        and not (d.kind = 'chargeback' and exists (
          select 1 from chargebacks b where b.provider_id = d.provider_id and b.id = d.reference))`,
    sql`select 'list_unavailable', r.provider_id, party, null::uuid, min(r.at),
        jsonb_build_object('party', party, 'since', min(r.day))
      from reconciliation_runs r cross join lateral jsonb_array_elements_text(r.unavailable) as missing (party)
      where not exists (select 1 from reconciliation_runs later where later.provider_id = r.provider_id
        and later.day > r.day and not later.unavailable @> to_jsonb(party))
      group by r.provider_id, party having count(*) > 1`,
  ];
}

export interface ExceptionQuery {
  readonly environment: Environment;
  /** Only this provider's, or everybody's. */
  readonly providerId: string | null;
  /** Real time. */
  readonly now: Date;
  readonly limit: number;
  /** Only what has this name. */
  readonly named?: ExceptionName;
}

/** Everything that needs a person and was not put aside since it last happened, oldest first. */
export async function selectExceptions(
  db: Database,
  { environment, providerId, now, limit, named }: ExceptionQuery,
): Promise<Exception[]> {
  const { rows } = await sql<ExceptionRow>`
    select m.kind, m.provider_id, m.subject, m.order_id, m.since, m.facts
    from (${sql.join([...sources(now)], sql` union all `)}) as m
    join providers on providers.id = m.provider_id and providers.environment = ${environment}
    left join handled_matters h on h.provider_id = m.provider_id and h.kind = m.kind and h.subject = m.subject
    where (${providerId}::uuid is null or m.provider_id = ${providerId}::uuid)
      and (${named?.kind ?? null}::text is null or m.kind = ${named?.kind ?? null}::text)
      and (${named?.subject ?? null}::text is null or m.subject = ${named?.subject ?? null}::text)
      and (h.handled_at is null or h.handled_at < m.since)
    order by m.since, m.kind, m.subject
    limit ${limit}
  `.execute(db);
  return rows.map(({ kind, provider_id, subject, order_id, since, facts }) => ({
    kind,
    providerId: provider_id,
    subject,
    orderId: order_id,
    since,
    facts,
  }));
}

/** Puts a matter aside until it happens again. `at` is in the provider's time. */
export async function insertHandled(
  tx: Transaction,
  { providerId, kind, subject }: ExceptionName,
  handled: { readonly actor: string; readonly note: string | null; readonly at: Date },
): Promise<void> {
  const values = { actor: handled.actor, note: handled.note, handled_at: handled.at };
  await tx
    .insertInto("handled_matters")
    .values({ provider_id: providerId, kind, subject, ...values })
    .onConflict((conflict) => conflict.columns(["provider_id", "kind", "subject"]).doUpdateSet(values))
    .execute();
}
