import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { type ApprovalSubject, whyNotApprove } from "./approval.ts";
import {
  endRequest,
  lockOpenRequest,
  type OpenRequest,
  openRequest,
  readApprover,
  readNewestRequest,
} from "./approval-store.ts";

export type { OpenRequest } from "./approval-store.ts";

export interface ActingOperator {
  /** `operator:<name>` */
  readonly actor: string;
  /** Real time. */
  readonly at: Date;
}

/**
 * Records an operator's request for an act that needs two people. Returns the open request; `askedBy` is its first
 * author.
 */
export function requestApproval(
  tx: Transaction,
  subject: ApprovalSubject,
  by: ActingOperator & { readonly id: string },
): Promise<OpenRequest> {
  return openRequest(tx, { ...subject, ...by });
}

/**
 * Approves another operator's request and returns who made it; null if there is none. If two approvals run at once, the
 * second waits and finds none.
 */
export async function takeApproval(
  tx: Transaction,
  subject: ApprovalSubject,
  { actor, at }: ActingOperator,
): Promise<{ readonly askedBy: string } | null> {
  const open = await lockOpenRequest(tx, { ...subject, at });
  if (open === null || open.askedBy === actor) return null;
  await approve(tx, open, { actor, at });
  return { askedBy: open.askedBy };
}

/** Thrown when an operator may not approve a request. The message is for the operator. */
export class ApprovalRefused extends Error {
  override readonly name = "ApprovalRefused";
}

/** Approves an open request of another operator. Throws `ApprovalRefused`. */
export async function approve(
  tx: Transaction,
  { id, askedBy }: Pick<OpenRequest, "id" | "askedBy">,
  { actor, at }: ActingOperator,
): Promise<void> {
  const [approver, asker] = [await readApprover(tx, actor), await readApprover(tx, askedBy)];
  if (asker?.isEnded === true)
    throw new ApprovalRefused("The operator who made this request has been removed. Another operator has to make it.");
  const why = whyNotApprove({ approver, approverActor: actor }, { asker, askerActor: askedBy }, at);
  if (why !== null) throw new ApprovalRefused(why);
  if (!(await endRequest(tx, id, { state: "approved", by: actor, at }))) throw new ApprovalRefused(NO_REQUEST);
}

export const NO_REQUEST = "There is no open request with this id. See `aapd approvals list`.";

/** The newest open request about a subject; null if there is none. */
export function newestRequest(
  db: Database,
  requested: Pick<ApprovalSubject, "act" | "subject"> & { readonly at: Date },
): Promise<OpenRequest | null> {
  return readNewestRequest(db, requested);
}
