import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

/*
 * Empties other features' tables of one person, in one place and one transaction: what an erasure leaves behind has to be
 * seen at a glance. ADR `a-patients-data.md` says what goes and what stays.
 */

/** Somebody's wish to be erased. */
export interface Erasure {
  readonly beneficiaryId: string;
  readonly providerId: string;
  readonly actor: string;
  readonly state: "waiting" | "done";
  readonly requestedAt: Date;
}

export async function readErasure(db: Database, beneficiaryId: string): Promise<Erasure | null> {
  const row = await db
    .selectFrom("erasures")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { actor, state } = row;
  return { actor, state, beneficiaryId, providerId: row.provider_id, requestedAt: row.requested_at };
}

/**
 * Writes the wish; one that was written before stays as it was, unless it waits, a link brought it and now an operator does,
 * who has checked the identity: then it is theirs. Says whether there is anything new in it.
 */
export async function insertErasure(tx: Transaction, erasure: Omit<Erasure, "state">): Promise<boolean> {
  const result = await tx
    .insertInto("erasures")
    .values({
      beneficiary_id: erasure.beneficiaryId,
      provider_id: erasure.providerId,
      actor: erasure.actor,
      state: "waiting",
      requested_at: erasure.requestedAt,
      done_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .column("beneficiary_id")
        .doUpdateSet({ actor: erasure.actor, provider_id: erasure.providerId })
        .where("erasures.state", "=", "waiting")
        .where("erasures.actor", "=", "patient")
        .where("excluded.actor", "<>", "patient"),
    )
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** Takes a wish back that waits. Says whether there was one. */
export async function deleteWaitingErasure(tx: Transaction, beneficiaryId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom("erasures")
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function writeErasureDone(tx: Transaction, beneficiaryId: string, at: Date): Promise<void> {
  await tx
    .updateTable("erasures")
    .set({ state: "done", done_at: at })
    .where("beneficiary_id", "=", beneficiaryId)
    .execute();
}

/** A link to their data that was sent to somebody, at a mailbox. */
export interface SentLink {
  readonly beneficiaryId: string;
  readonly sentAt: Date;
}

/**
 * Holds a mailbox until the transaction ends, and reads which links it was sent since a moment, for whichever patient;
 * forgets what was sent before. `null` where the mailbox is gone.
 */
export async function lockMailboxLinks(tx: Transaction, userId: string, since: Date): Promise<SentLink[] | null> {
  const held = await sql`select 1 from users where id = ${userId} for no key update`.execute(tx);
  if (held.rows.length === 0) return null;
  const patients = tx.selectFrom("beneficiaries").select("id").where("user_id", "=", userId);
  await tx.deleteFrom("data_links").where("beneficiary_id", "in", patients).where("sent_at", "<=", since).execute();
  const rows = await tx.selectFrom("data_links").selectAll().where("beneficiary_id", "in", patients).execute();
  return rows.map(({ beneficiary_id, sent_at }) => ({ beneficiaryId: beneficiary_id, sentAt: sent_at }));
}

export async function insertDataLink(tx: Transaction, { beneficiaryId, sentAt }: SentLink): Promise<void> {
  await tx.insertInto("data_links").values({ beneficiary_id: beneficiaryId, sent_at: sentAt }).execute();
}

/** The person whose rows are emptied. */
export interface ErasedPerson {
  readonly beneficiaryId: string;
  readonly tenant: string;
  readonly rut: string;
  readonly at: Date;
  /** The orders that go with the person: those addressed to this mailbox, or (null) all under the RUT. */
  readonly addressedTo: string | null;
}

/** The same, where there may be no record. */
type OrdersOf = Omit<ErasedPerson, "beneficiaryId"> & { readonly beneficiaryId: string | null };

/**
 * Erases what no law and no open order keeps: documents and what stood on them, what insurers said, the plan, codes that were
 * sent, changes of address, what tokens hold, and the consent to offers. Returns the names of the files, which the storage
 * still has.
 */
export async function eraseAtOnce(tx: Transaction, person: ErasedPerson): Promise<string[]> {
  const { beneficiaryId, at } = person;
  const files = await tx
    .deleteFrom("expense_files")
    .using("expenses")
    .whereRef("expenses.provider_id", "=", "expense_files.provider_id")
    .whereRef("expenses.id", "=", "expense_files.expense_id")
    .where("expenses.beneficiary_id", "=", beneficiaryId)
    .returning("expense_files.storage_name")
    .execute();
  await tx
    .updateTable("expenses")
    .set({ name: null, service_date: null, receipt_id: null, receipt_rut: null, doctor_rut: null })
    .set({ total: null, subtypes: [] })
    .where("beneficiary_id", "=", beneficiaryId)
    .execute();
  await eraseClaims(tx, beneficiaryId);
  for (const table of ["subscriptions", "recoveries", "recovery_identity_checks", "data_links"] as const)
    await tx.deleteFrom(table).where("beneficiary_id", "=", beneficiaryId).execute();
  await eraseTokens(tx, person);
  await eraseUndelivered(tx, person);
  await eraseEmailChanges(tx, beneficiaryId);
  await eraseMarketing(tx, person);
  await tx.updateTable("beneficiaries").set({ updated_at: at }).where("id", "=", beneficiaryId).execute();
  return files.map(({ storage_name }) => storage_name);
}

/** A consent to offers is the proof of nothing that was done. */
async function eraseMarketing(tx: Transaction, { rut, tenant }: OrdersOf): Promise<void> {
  await tx
    .deleteFrom("consents")
    .where("rut", "=", rut)
    .where("purpose", "=", "marketing")
    .where(providerOf("provider_id", tenant))
    .execute();
}

/**
 * What insurers have said and paid. That one has a claim, and whether and when it approved it, stays with the order: that made
 * the deferred part due. Why we stopped one ourselves says nothing of anybody's health.
 */
async function eraseClaims(tx: Transaction, beneficiaryId: string): Promise<void> {
  await sql`update collection_triggers t set evidence = t.evidence - 'reimbursed'
    from claims c where c.provider_id = t.provider_id and c.order_id = t.order_id and c.beneficiary_id = ${beneficiaryId}
      and t.evidence ? 'reimbursed'`.execute(tx);
  await sql`update claims set reimbursed = null, reason = case state when 'stopped' then reason end
    where beneficiary_id = ${beneficiaryId}`.execute(tx);
}

/**
 * Links that were sent stop working, but for those with which somebody pays what they still owe, and an objection, which is
 * the old mailbox's. What partners wrote into tokens about this person is forgotten.
 */
async function eraseTokens(tx: Transaction, person: ErasedPerson): Promise<void> {
  const { beneficiaryId, at } = person;
  await tx
    .updateTable("widget_tokens")
    .set({ used_at: at })
    .where("beneficiary_id", "=", beneficiaryId)
    .where("used_at", "is", null)
    .where("purpose", "not in", ["card_change", "pay_early", "objection"])
    .execute();
  await forgetInTokens(tx, person);
}

/** What tokens of theirs, of their orders, and of their RUT hold of them. */
async function forgetInTokens(tx: Transaction, person: OrdersOf): Promise<void> {
  const { beneficiaryId, tenant, rut } = person;
  await tx
    .updateTable("widget_tokens")
    .set({ rut: null, user_data: "{}", provider_data: null })
    .where(sql<boolean>`(beneficiary_id = ${beneficiaryId}::uuid or ${isOfOrders(person)}
      or (order_id is null and (rut = ${rut} or user_data ->> 'rut' = ${rut})))`)
    .where(providerOf("provider_id", tenant))
    .execute();
}

/** The person whose orders are emptied, and who has no record. */
type Unregistered = Pick<ErasedPerson, "tenant" | "rut" | "at">;

/**
 * The same for somebody under whose RUT nobody is registered: what orders, tokens and notices hold of them. Orders that are
 * open, owed or kept stay as they are; `endsNotifications`: there is none of which anything is still to be told. `realNow` is real
 * time.
 */
export async function eraseOrdersAlone(
  tx: Transaction,
  { tenant, rut, at }: Unregistered,
  { endsNotifications, realNow }: { readonly endsNotifications: boolean; readonly realNow: Date },
): Promise<void> {
  const person = { beneficiaryId: null, tenant, rut, at, addressedTo: null };
  await forgetInTokens(tx, person);
  await eraseUndelivered(tx, person);
  if (endsNotifications) await endNotifications(tx, person, realNow);
  await eraseMarketing(tx, person);
  await pseudonymiseUnpaidOrders(tx, person);
  await thinRefusedCredits(tx, person);
}

/** What could not be delivered is kept for a while to be sent again; not for somebody who is to be erased. */
async function eraseUndelivered(tx: Transaction, person: OrdersOf): Promise<void> {
  await sql`update notices set sealed_email = null, sealed_message = null
    where state in ('refused', 'given_up') and ${isNotifiedTo(person)}`.execute(tx);
}

/**
 * What still waits to be told to somebody who is erased now is not told any more, and of what could not be, nothing is left
 * that a person could send again. `at` is real time.
 */
export async function endNotifications(tx: Transaction, person: OrdersOf, at: Date): Promise<void> {
  await sql`update notices set sealed_email = null, sealed_message = null, useful_until = ${at},
      state = case state when 'waiting' then 'given_up' else state end, settled_at = coalesce(settled_at, ${at})
    where state in ('waiting', 'refused', 'given_up') and ${isNotifiedTo(person)}`.execute(tx);
}

/** Notices to a registration, wherever they went, and of the orders that go with it. */
function isNotifiedTo(person: OrdersOf) {
  return sql<boolean>`(beneficiary_id = ${person.beneficiaryId}::uuid or ${isOfOrders(person)})
    and ${providerOf("provider_id", person.tenant)}`;
}

/** Nothing is owed any more that they could pay. Links about an order that stays as it was find its patient by the order. */
async function endPaymentLinks(tx: Transaction, person: ErasedPerson): Promise<void> {
  const links = tx
    .updateTable("widget_tokens")
    .where("beneficiary_id", "=", person.beneficiaryId)
    .where("purpose", "in", ["card_change", "pay_early"])
    .where("used_at", "is", null);
  await links.set({ used_at: person.at }).where(isOfOrders(person)).execute();
  await links.set({ beneficiary_id: null }).execute();
}

/** What belongs to the orders that go with a person: tokens, notices. */
function isOfOrders({ rut, addressedTo }: OrdersOf) {
  return sql<boolean>`(provider_id, order_id) in
    (select provider_id, id from orders where customer_rut = ${rut} and ${isAddressedTo(addressedTo)})`;
}

function isAddressedTo(mailbox: string | null) {
  return mailbox === null ? sql<boolean>`true` : sql<boolean>`lower(customer_email) = ${mailbox.toLowerCase()}`;
}

/** The addresses that a patient has left, where nobody else uses them. */
async function eraseEmailChanges(tx: Transaction, beneficiaryId: string): Promise<void> {
  const changes = await tx
    .deleteFrom("email_changes")
    .where("beneficiary_id", "=", beneficiaryId)
    .returning(["old_user_id", "new_user_id"])
    .execute();
  await deleteUnusedUsers(
    tx,
    changes.flatMap(({ old_user_id, new_user_id }) => [old_user_id, new_user_id]),
  );
}

/** A parent's address stays for the children. */
async function deleteUnusedUsers(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // Locked before it is asked who uses them: whoever signs up under one of these addresses just now comes before, and is
  // seen by the next statement, or after, and makes a user anew.
  await tx
    .selectFrom("users")
    .select("id")
    .where("id", "in", [...ids])
    .orderBy("id")
    .forUpdate()
    .execute();
  await tx
    .deleteFrom("users as u")
    .where("u.id", "in", [...ids])
    .where((where) =>
      where.not(where.exists(where.selectFrom("beneficiaries as b").select("b.id").whereRef("b.user_id", "=", "u.id"))),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom("email_changes as c")
            .select("c.id")
            .where((any) =>
              any.or([any("c.old_user_id", "=", any.ref("u.id")), any("c.new_user_id", "=", any.ref("u.id"))]),
            ),
        ),
      ),
    )
    .execute();
}

/**
 * What remains when nothing is open any more: the record becomes a pseudonym under which the kept orders hang together, and
 * the RUT is free again. Orders from which no money moved, and their events, name nobody, but for a refused credit.
 * `pseudonym` stands in the RUT's place.
 */
export async function pseudonymise(
  tx: Transaction,
  person: ErasedPerson,
  { userId, pseudonym }: { readonly userId: string; readonly pseudonym: string },
): Promise<void> {
  const { beneficiaryId, tenant, at } = person;
  await endPaymentLinks(tx, person);
  const before = await tx
    .selectFrom("beneficiaries")
    .select("user_id")
    .where("id", "=", beneficiaryId)
    .executeTakeFirstOrThrow();
  const email = `${userId}@erased.invalid`;
  await sql`insert into users (id, tenant, email, email_key, created_at)
    values (${userId}, ${tenant}, ${email}, ${email}, ${at})`.execute(tx);
  await sql`update beneficiaries set rut = ${pseudonym}, user_id = ${userId}, first_name = '', last_name = '',
      phone_number = '', sealed_insurer_access = null, insurer_access_at = null, updated_at = ${at}
    where id = ${beneficiaryId}`.execute(tx);
  await deleteUnusedUsers(tx, [before.user_id]);
  await pseudonymiseUnpaidOrders(tx, person);
  await thinRefusedCredits(tx, person);
}

const NOBODY = { rut: "", first_name: "", last_name: "", email: "", phone_number: "" };
/** What of a card names its holder, and stands for the mandate to charge it; brand and last digits name nobody. */
const NOBODYS_CARD = { id: "", holderName: "" };

/** Whose credit was refused: how an attempt to pay has ended tells it, whatever has become of the order since. */
const CREDIT_REFUSED = sql<boolean>`exists (select 1 from payment_attempts a
  where a.provider_id = orders.provider_id and a.order_id = orders.id and a.state = 'failed')`;

const NO_MONEY_MOVED = sql<boolean>`not exists (select 1
  from order_payments p where p.provider_id = orders.provider_id and p.order_id = orders.id
    and p.status in ('processing', 'captured', 'undone'))`;

/** An order that was only cancelled or ran out is nobody's business, also where a card was declined before. */
async function pseudonymiseUnpaidOrders(tx: Transaction, { tenant, rut, addressedTo }: OrdersOf): Promise<void> {
  await sql`with emptied as (
      update orders set customer_rut = '', customer_first_name = '', customer_last_name = '', customer_email = '',
        customer_phone = '', card = null
      where customer_rut = ${rut} and state in ('cancelled', 'expired') and ${providerOf("provider_id", tenant)}
        and ${isAddressedTo(addressedTo)} and ${NO_MONEY_MOVED} and not ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${JSON.stringify(NOBODYS_CARD)}::jsonb
      from emptied where p.provider_id = emptied.provider_id and p.order_id = emptied.id
    )
    update events set payload = jsonb_set(jsonb_set(payload, '{order,customer}', ${JSON.stringify(NOBODY)}::jsonb),
      '{order,payment_method}', 'null')
    from emptied
    where events.provider_id = emptied.provider_id and events.order_id = emptied.id and payload -> 'order' ? 'customer'
  `.execute(tx);
}

/**
 * A refused credit is kept with its reasons, so that it can be given back: to an operator by the RUT, by a link to the
 * mailbox. Telephone and card have nothing to do with it.
 */
async function thinRefusedCredits(tx: Transaction, { tenant, rut, addressedTo }: OrdersOf): Promise<void> {
  await sql`with thinned as (
      update orders set customer_phone = '', card = null
      where customer_rut = ${rut} and ${providerOf("provider_id", tenant)} and ${isAddressedTo(addressedTo)}
        and ${NO_MONEY_MOVED} and ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${JSON.stringify(NOBODYS_CARD)}::jsonb
      from thinned where p.provider_id = thinned.provider_id and p.order_id = thinned.id
    )
    update events set payload = jsonb_set(jsonb_set(payload, '{order,customer,phone_number}', '""'),
      '{order,payment_method}', 'null')
    from thinned
    where events.provider_id = thinned.provider_id and events.order_id = thinned.id and payload -> 'order' ? 'customer'
  `.execute(tx);
}

function providerOf(column: string, tenant: string) {
  return tenant === "everybody" ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${tenant}::uuid`;
}
