import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";
import type { TimelineOrder, TimelineRow } from "../platform/timeline.ts";

type RegisteredPatient = ErasedPatient & { readonly beneficiaryId: string };

export async function lockMailbox(tx: Transaction, userId: string): Promise<string[] | null> {
  const held = await sql`select 1 from users where id = ${userId} for no key update`.execute(tx);
  if (held.rows.length === 0) return null;
  const patients = await tx.selectFrom("beneficiaries").select("id").where("user_id", "=", userId).execute();
  return patients.map(({ id }) => id);
}

export async function deleteMarketing(tx: Transaction, { rut, tenant }: ErasedPatient): Promise<void> {
  await tx
    .deleteFrom("consents")
    .where("rut", "=", rut)
    .where("purpose", "=", "marketing")
    .where(ofTenant("provider_id", tenant))
    .execute();
}

export async function writeUpdated(tx: Transaction, { beneficiaryId, at }: RegisteredPatient): Promise<void> {
  await tx.updateTable("beneficiaries").set({ updated_at: at }).where("id", "=", beneficiaryId).execute();
}

export async function deleteUsers(
  tx: Transaction,
  ids: readonly string[],
  usedElsewhere: RawBuilder<unknown>,
): Promise<void> {
  if (ids.length === 0) return;
  // Lock the users before checking whether they are used. A sign-up with one of these addresses then comes either
  // before, and the delete sees it, or after, and creates a new user.
  await tx
    .selectFrom("users")
    .select("id")
    .where("id", "in", [...ids])
    .orderBy("id")
    .forUpdate()
    .execute();
  await sql`
    delete from users u where u.id = any(${[...ids]}::uuid[])
      and not exists (select from beneficiaries b where b.user_id = u.id)
      and not exists (select from (${usedElsewhere}) as used where used.user_id = u.id)
  `.execute(tx);
}

export async function readUserOf(tx: Transaction, beneficiaryId: string): Promise<string> {
  const row = await tx
    .selectFrom("beneficiaries")
    .select("user_id")
    .where("id", "=", beneficiaryId)
    .executeTakeFirstOrThrow();
  return row.user_id;
}

/** Replaces the RUT by `pseudonym` and the user by a new one whose address cannot receive mail. */
export async function writePseudonym(
  tx: Transaction,
  { beneficiaryId, tenant, at }: RegisteredPatient,
  { userId, pseudonym }: { readonly userId: string; readonly pseudonym: string },
): Promise<void> {
  const email = `${userId}@erased.invalid`;
  await sql`insert into users (id, tenant, email, email_key, created_at)
    values (${userId}, ${tenant}, ${email}, ${email}, ${at})`.execute(tx);
  await sql`update beneficiaries set rut = ${pseudonym}, user_id = ${userId}, first_name = '', last_name = '',
      phone_number = '', sealed_insurer_access = null, insurer_access_at = null, updated_at = ${at}
    where id = ${beneficiaryId}`.execute(tx);
}

export function consentEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, c.id::text as subject, null::bigint as amount,
        jsonb_build_object('purpose', c.purpose, 'step', c.step) as facts
      from consents c cross join lateral (values
        ('consent.accepted', c.accepted_at), ('consent.withdrawn', c.withdrawn_at)) as moment (what, at)
      where c.provider_id = ${providerId}::uuid and c.order_id = ${orderId}::uuid and moment.at is not null`,
  ];
}
