import { sql } from "kysely";
import * as z from "zod/mini";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/**
 * `open`: the page is shown. `started`: the patient is at Webpay. `finishing`: the patient came back, and Transbank's
 * answer is awaited. `enrolled`: the card is known, but not its brand. `lost`: the answer never came; Transbank may
 * hold a card that cannot be charged.
 */
export type EnrolmentState =
  | "open"
  | "started"
  | "finishing"
  | "enrolled"
  | "registered"
  | "declined"
  | "abandoned"
  | "lost";

export interface Enrolment {
  readonly id: string;
  readonly providerId: string;
  readonly orderHash: string;
  readonly returnUrl: string;
  /** In the provider's time. */
  readonly expiresAt: Date;
  /** In real time. */
  readonly closesAt: Date;
  readonly state: EnrolmentState;
  readonly username: string | null;
  readonly token: string | null;
  readonly returnedAt: Date | null;
  readonly finishTries: number;
  readonly cardId: string | null;
  readonly userId: string | null;
  /** What the card is for; null if the call did not say it. */
  readonly clinic: string | null;
  readonly total: number | null;
}

const COLUMNS = sql`
  id, provider_id as "providerId", order_hash as "orderHash", return_url as "returnUrl", expires_at as "expiresAt",
  closes_at as "closesAt", state, username, token, returned_at as "returnedAt", finish_tries as "finishTries",
  card_id as "cardId", user_id as "userId", clinic, total
`;

export async function insertEnrolment(
  tx: Transaction,
  enrolment: Pick<
    Enrolment,
    "id" | "providerId" | "orderHash" | "returnUrl" | "expiresAt" | "closesAt" | "clinic" | "total"
  >,
): Promise<void> {
  const { id, providerId, orderHash, returnUrl, expiresAt, closesAt, clinic, total } = enrolment;
  await sql`
    insert into enrolments (id, provider_id, order_hash, return_url, expires_at, closes_at, state, clinic, total)
    values (${id}::uuid, ${providerId}, ${orderHash}, ${returnUrl}, ${expiresAt}::timestamptz,
      ${closesAt}::timestamptz, 'open', ${clinic}, ${total}::bigint)
  `.execute(tx);
}

const idSchema = z.uuid();

/** The enrolment with this id, which may be any text of an address. */
export async function findEnrolment(db: Database, id: string): Promise<Enrolment | undefined> {
  if (!idSchema.safeParse(id).success) return undefined;
  const { rows } = await sql<Enrolment>`select ${COLUMNS} from enrolments where id = ${id}::uuid`.execute(db);
  return rows[0];
}

/**
 * Stores the token of a new try and invalidates the previous one. Returns false if the page no longer waits for one.
 */
export async function startEnrolment(
  db: Database,
  id: string,
  { username, token }: { readonly username: string; readonly token: string },
): Promise<boolean> {
  const { rows } = await sql`
    update enrolments set state = 'started', username = ${username}, token = ${token}
    where id = ${id}::uuid and state in ('open', 'started') returning id
  `.execute(db);
  return rows.length > 0;
}

/** Takes the right to finish, for a while; undefined if another request has it, or if the enrolment has ended. */
export async function claimFinish(
  db: Database,
  id: string,
  { token, now, until }: { readonly token: string; readonly now: Date; readonly until: Date },
): Promise<Enrolment | undefined> {
  const { rows } = await sql<Enrolment>`
    update enrolments set state = 'finishing', returned_at = coalesce(returned_at, ${now}::timestamptz),
      finish_lease_until = ${until}::timestamptz, finish_tries = finish_tries + 1
    where id = ${id}::uuid and token = ${token}
      and (state = 'started' or (state = 'finishing' and finish_lease_until <= ${now}::timestamptz))
    returning ${COLUMNS}
  `.execute(db);
  return rows[0];
}

/** Lets the next request try again at once. */
export async function releaseFinish(db: Database, id: string, now: Date): Promise<void> {
  await sql`
    update enrolments set finish_lease_until = ${now}::timestamptz where id = ${id}::uuid and state = 'finishing'
  `.execute(db);
}

export async function recordEnrolled(
  tx: Transaction,
  id: string,
  { userId, cardId }: { readonly userId: string; readonly cardId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update enrolments set state = 'enrolled', token = null, user_id = ${userId}::uuid, card_id = ${cardId}::uuid
    where id = ${id}::uuid and state = 'finishing' returning id
  `.execute(tx);
  return rows.length > 0;
}

export async function recordRegistered(tx: Transaction, id: string): Promise<boolean> {
  const { rows } = await sql`
    update enrolments set state = 'registered' where id = ${id}::uuid and state = 'enrolled' returning id
  `.execute(tx);
  return rows.length > 0;
}

/** Ends an enrolment without a card. The token of a lost one stays, for the operator. */
export async function endEnrolment(
  db: Database,
  id: string,
  { from, to }: { readonly from: readonly EnrolmentState[]; readonly to: "declined" | "abandoned" | "lost" },
): Promise<void> {
  await sql`
    update enrolments set state = ${to}, token = case when ${to} = 'lost' then token end
    where id = ${id}::uuid and state = any(${from}::text[])
  `.execute(db);
}

/** Enrolments whose answer was lost: the operator must ask Transbank to delete their users. */
export async function listLostEnrolments(
  db: Database,
): Promise<readonly { readonly id: string; readonly username: string; readonly returnedAt: Date }[]> {
  const { rows } = await sql<{ id: string; username: string; returnedAt: Date }>`
    select id, username, returned_at as "returnedAt" from enrolments where state = 'lost' order by returned_at limit 1000
  `.execute(db);
  return rows;
}
