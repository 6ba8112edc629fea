import * as z from "zod";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { ApprovalSubject, ApprovedAct } from "./approval.ts";
import { endRequest, type OpenRequest, readOpenRequest, readOpenRequests } from "./approval-store.ts";
import { ApprovalRefused, approve, NO_REQUEST, requestApproval } from "./approvals.ts";

export interface TwoPeopleDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The result of an approved act. */
export interface CarriedOut {
  /** In words, for the operator who approved it. */
  readonly outcome: string;
  /** The secret, shown once to the operator who approved the act. Null if the act creates none. */
  readonly secret: { readonly name: string; readonly value: string } | null;
}

type RequestValues = ApprovalSubject["request"];

interface ActRequest<Request> {
  /** The operator's name or the provider's id. */
  readonly subject: string;
  readonly request: Request;
}

/** The approved request and its approver. */
export interface Approval {
  readonly id: string;
  readonly askedBy: string;
  readonly actor: string;
  readonly at: Date;
}

/** An act that needs two people. */
export interface TwoPersonAct<Request extends RequestValues> {
  readonly act: Exclude<ApprovedAct, "exception.resolve">;
  readonly schema: z.ZodType<Request>;
  /** Throws if the act is impossible now. Runs before the request is recorded and again before it is carried out. */
  readonly check: (tx: Transaction, requested: ActRequest<Request>) => Promise<void>;
  readonly carryOut: (tx: Transaction, requested: ActRequest<Request>, approval: Approval) => Promise<CarriedOut>;
}

export type TwoPeopleOutcome =
  | ({ readonly isDone: true } & CarriedOut)
  /** Another operator has to approve the request. */
  | { readonly isDone: false; readonly requestId: string };

/**
 * Carries out an act that another operator requested; otherwise records the request. Throws `ApprovalRefused` and the
 * errors of `check`.
 */
export function byTwoPeople<Request extends RequestValues>(
  dependencies: TwoPeopleDependencies,
  act: TwoPersonAct<Request>,
  { subject, request, actor }: ActRequest<z.input<typeof act.schema>> & { readonly actor: string },
): Promise<TwoPeopleOutcome> {
  const { db, clock, ids } = dependencies;
  const at = clock.now();
  const requested = { subject, request: act.schema.parse(request) };
  return inTransaction(db, async (tx) => {
    await act.check(tx, requested);
    const open = await requestApproval(tx, { act: act.act, ...requested }, { id: ids.uuid(), actor, at });
    if (open.askedBy !== actor)
      return { isDone: true, ...(await carryOut(tx, dependencies, act, open, { actor, at })) };
    await auditRequest(tx, dependencies, open, { act: "approval.requested", actor, at });
    return { isDone: false, requestId: open.id };
  });
}

/** Approves and carries out the open request with an id. Throws `ApprovalRefused` and the errors of `check`. */
export function approveById<Request extends RequestValues>(
  dependencies: TwoPeopleDependencies,
  act: TwoPersonAct<Request>,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<CarriedOut> {
  const at = dependencies.clock.now();
  return inTransaction(dependencies.db, async (tx) => {
    const open = await requireOpen(tx, id, at);
    await act.check(tx, { subject: open.subject, request: act.schema.parse(JSON.parse(open.request)) });
    return carryOut(tx, dependencies, act, open, { actor, at });
  });
}

/** Withdraws an operator's own open requests for an act, which a new request replaces. */
export async function replaceRequests(
  dependencies: TwoPeopleDependencies,
  { act, subject, actor }: Pick<ApprovalSubject, "act" | "subject"> & { readonly actor: string },
): Promise<void> {
  const open = await readOpenRequests(dependencies.db, dependencies.clock.now());
  const own = open.filter((one) => one.act === act && one.subject === subject && one.askedBy === actor);
  for (const { id } of own) await refuseRequest(dependencies, { id, actor });
}

/**
 * Refuses or withdraws an open request. One person may do so, because nothing is carried out. Throws `ApprovalRefused`.
 */
export function refuseRequest(
  dependencies: TwoPeopleDependencies,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<void> {
  const at = dependencies.clock.now();
  return inTransaction(dependencies.db, async (tx) => {
    const open = await requireOpen(tx, id, at);
    if (!(await endRequest(tx, id, { state: "refused", by: actor, at }))) throw new ApprovalRefused(NO_REQUEST);
    await auditRequest(tx, dependencies, open, { act: "approval.refused", actor, at });
  });
}

/** The open request with an id. Throws `ApprovalRefused`. */
export async function requireOpen(db: Database, id: string, at: Date): Promise<OpenRequest> {
  const open = z.uuid().safeParse(id).success ? await readOpenRequest(db, id, at) : null;
  if (open === null) throw new ApprovalRefused(NO_REQUEST);
  return open;
}

async function carryOut<Request extends RequestValues>(
  tx: Transaction,
  dependencies: TwoPeopleDependencies,
  act: TwoPersonAct<Request>,
  open: OpenRequest,
  by: { readonly actor: string; readonly at: Date },
): Promise<CarriedOut> {
  await approve(tx, open, by);
  await auditRequest(tx, dependencies, open, { act: "approval.approved", ...by });
  const requested = { subject: open.subject, request: act.schema.parse(JSON.parse(open.request)) };
  return act.carryOut(tx, requested, { id: open.id, askedBy: open.askedBy, ...by });
}

/** The values of a request may contain names, so the audit trail has only the id. */
function auditRequest(
  tx: Transaction,
  { ids }: TwoPeopleDependencies,
  { id, act: requested, subject, askedBy }: OpenRequest,
  { act, actor, at }: { readonly act: string; readonly actor: string; readonly at: Date },
): Promise<void> {
  const isOfProvider = !requested.startsWith("operator.") && requested !== "exception.resolve";
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: isOfProvider ? subject : null,
    actor,
    credentialId: null,
    act,
    subject: { kind: "approval", id },
    details: { act: requested, about: subject, ...(act === "approval.requested" ? {} : { requested_by: askedBy }) },
    at,
  });
}
