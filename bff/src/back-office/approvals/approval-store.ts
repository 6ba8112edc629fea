import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { type ApprovalSubject, type ApprovedAct, type Approver, openSince, requestText } from "./approval.ts";

export interface OpenRequest {
  readonly id: string;
  readonly act: ApprovedAct;
  readonly subject: string;
  /** The text that `requestText` returned. */
  readonly request: string;
  readonly askedBy: string;
  readonly askedAt: Date;
}

/** Records a request, unless the same one is open. Returns the open request, locked; `askedBy` is its first author. */
export async function openRequest(
  tx: Transaction,
  { id, act, subject, request, actor, at }: ApprovalSubject & { readonly id: string; actor: string; at: Date },
): Promise<OpenRequest> {
  const { rows } = await sql<Parameters<typeof toOpenRequest>[0]>`
    insert into approval_requests as r (id, act, subject, request, asked_by, asked_at, state)
    values (${id}, ${act}, ${subject}, ${requestText(request)}, ${actor}, ${at}, 'open')
    on conflict (act, subject, request) where state = 'open' do update set
      -- A lapsed request is made again.
      asked_by = case when r.asked_at < ${openSince(at)} then excluded.asked_by else r.asked_by end,
      asked_at = case when r.asked_at < ${openSince(at)} then excluded.asked_at else r.asked_at end
    returning id, act, subject, request, asked_by, asked_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new RequestMissing("a stored request was not returned");
  return toOpenRequest(row);
}

/** Thrown when a request that was just written is not returned: a defect. */
class RequestMissing extends Error {
  override readonly name = "RequestMissing";
}

/** The open request with exactly these values, locked; null if there is none or it has lapsed. */
export async function lockOpenRequest(
  tx: Transaction,
  { act, subject, request, at }: ApprovalSubject & { readonly at: Date },
): Promise<OpenRequest | null> {
  const row = await openRequests(tx, at)
    .where("act", "=", act)
    .where("subject", "=", subject)
    .where("request", "=", requestText(request))
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toOpenRequest(row);
}

/** The newest open request about a subject; null if there is none. */
export async function readNewestRequest(
  db: Database,
  { act, subject, at }: Pick<ApprovalSubject, "act" | "subject"> & { readonly at: Date },
): Promise<OpenRequest | null> {
  const row = await openRequests(db, at)
    .where("act", "=", act)
    .where("subject", "=", subject)
    .orderBy("asked_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toOpenRequest(row);
}

/** The open request with an id; null if there is none, or it has ended or lapsed. */
export async function readOpenRequest(db: Database, id: string, at: Date): Promise<OpenRequest | null> {
  const row = await openRequests(db, at).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toOpenRequest(row);
}

/** All open requests, oldest first. */
export async function readOpenRequests(db: Database, at: Date): Promise<OpenRequest[]> {
  return (await openRequests(db, at).orderBy("asked_at").orderBy("id").execute()).map(toOpenRequest);
}

/** Ends an open request; returns false if it has ended. */
export async function endRequest(
  tx: Transaction,
  id: string,
  { state, by, at }: { readonly state: "approved" | "refused"; readonly by: string; readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("approval_requests")
    .set({ state, ended_by: by, ended_at: at })
    .where("id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes at most `limit` open requests made before a moment. Returns how many. */
export async function deleteLapsed(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const lapsed = db
    .selectFrom("approval_requests")
    .select("id")
    .where("state", "=", "open")
    .where("asked_at", "<", before)
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("approval_requests").where("id", "in", lapsed).executeTakeFirst();
  return Number(numDeletedRows);
}

/** The facts that decide what an operator may approve; null if no operator of this name is recorded, as in staging. */
export async function readApprover(db: Database, actor: string): Promise<(Approver & { isEnded: boolean }) | null> {
  const name = actor.replace(/^operator:/, "");
  const row = await db
    .selectFrom("operators")
    .select(["approves_from", "ended_at"])
    .where("name", "=", name)
    .executeTakeFirst();
  if (row === undefined) return null;
  const makers = await db
    .selectFrom("approval_requests")
    .select(["asked_by", "ended_by"])
    .where("subject", "=", name)
    .where("act", "in", ["operator.add", "operator.change_role"])
    .where("state", "=", "approved")
    .execute();
  return {
    approvesFrom: row.approves_from,
    isEnded: row.ended_at !== null,
    makers: makers.map(({ asked_by: askedBy, ended_by }) => ({ askedBy, approvedBy: ended_by ?? askedBy })),
  };
}

function openRequests(db: Database, at: Date) {
  return db
    .selectFrom("approval_requests")
    .select(["id", "act", "subject", "request", "asked_by", "asked_at"])
    .where("state", "=", "open")
    .where("asked_at", ">=", openSince(at));
}

function toOpenRequest(row: {
  readonly id: string;
  readonly act: ApprovedAct;
  readonly subject: string;
  readonly request: string;
  readonly asked_by: string;
  readonly asked_at: Date;
}): OpenRequest {
  const { id, act, subject, request } = row;
  return { id, act, subject, request, askedBy: row.asked_by, askedAt: row.asked_at };
}
