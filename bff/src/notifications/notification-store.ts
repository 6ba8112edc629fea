import { sql } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { type NewTimer, timerWith } from "../platform/timers/timer-store.ts";
import type { NotificationChannel, NotificationKind } from "./notification.ts";

/** A notification waiting to be sent. */
export interface WaitingNotification {
  readonly id: string;
  readonly providerId: string;
  readonly orderId: string | null;
  readonly beneficiaryId: string | null;
  /** Identifies the cause. There is one notification per cause and channel, ever. */
  readonly cause: string;
  readonly kind: NotificationKind;
  readonly channel: NotificationChannel;
  /** The e-mail or the message, sealed. */
  readonly sealed: string;
  /** Real time. */
  readonly usefulUntil: Date | null;
}

/** Stores a notification with the timer that sends it, unless its cause already has one on this channel. */
export async function insertNotification(
  tx: Transaction,
  { id, providerId, orderId, beneficiaryId, cause, kind, channel, sealed, usefulUntil }: WaitingNotification,
  timer: NewTimer,
  at: Date,
): Promise<void> {
  const [email, message] = channel === "email" ? [sealed, null] : [null, sealed];
  await sql`
    with stored as (
      insert into notices (id, provider_id, order_id, beneficiary_id, cause, kind, channel, sealed_email,
        sealed_message, state, useful_until, created_at)
      values (${id}, ${providerId}, ${orderId}, ${beneficiaryId}, ${cause}, ${kind}, ${channel}, ${email},
        ${message}, 'waiting', ${usefulUntil}, ${at})
      on conflict (provider_id, cause, channel) do nothing
      returning id
    ),
    scheduled as (${timerWith("stored", timer)})
    select from stored`.execute(tx);
}

/** Whether a cause has a notification on any channel. */
export async function isCauseKnown(
  tx: Transaction,
  { providerId, cause }: Pick<WaitingNotification, "providerId" | "cause">,
): Promise<boolean> {
  const row = await tx
    .selectFrom("notices")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("cause", "=", cause)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads a waiting notification; `null` if it has been settled. */
export async function readWaitingNotification(db: Database, id: string): Promise<WaitingNotification | null> {
  const row = await db
    .selectFrom("notices")
    .selectAll()
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  const sealed = row?.sealed_email ?? row?.sealed_message;
  if (row === undefined || sealed == null) return null;
  const { cause, channel } = row;
  const kind = row.kind as NotificationKind;
  const { provider_id: providerId, order_id: orderId, beneficiary_id: beneficiaryId, useful_until: usefulUntil } = row;
  return { id, providerId, orderId, beneficiaryId, cause, kind, channel, sealed, usefulUntil };
}

/**
 * Settles a notification. Address and text are deleted if it was sent or had limited usefulness. Those of other
 * undelivered notifications are kept for a while, so that they can be sent again.
 */
export async function settleNotification(
  tx: Database,
  id: string,
  end: {
    readonly state: "sent" | "refused" | "given_up";
    readonly refusal: "no_smtputf8" | null;
    readonly at: Date;
  },
): Promise<void> {
  await tx
    .updateTable("notices")
    .set((set) => {
      const kept = (column: "sealed_email" | "sealed_message") =>
        end.state === "sent" ? null : set.case().when("useful_until", "is", null).then(set.ref(column)).end();
      return {
        state: end.state,
        refusal: end.refusal,
        sealed_email: kept("sealed_email"),
        sealed_message: kept("sealed_message"),
        settled_at: end.at,
      };
    })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .execute();
}

/** Makes an undelivered notification wait again; false if its text is no longer stored. */
export async function waitAgain(
  tx: Transaction,
  { providerId, id }: { providerId: string; id: string },
): Promise<boolean> {
  const result = await tx
    .updateTable("notices")
    .set({ state: "waiting", refusal: null, settled_at: null })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("state", "in", ["refused", "given_up"])
    .where((where) => where.or([where("sealed_email", "is not", null), where("sealed_message", "is not", null)]))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Deletes address and text of at most `limit` undelivered notifications settled before a moment. Returns how many there
 * were.
 */
export async function emptyUndelivered(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update notices set sealed_email = null, sealed_message = null where id in (
      select id from notices
      where state in ('refused', 'given_up') and settled_at < ${before} and coalesce(sealed_email, sealed_message) is not null
      limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
