import * as z from "zod";
import { TWO_OPERATORS_FROM_CLP } from "../../contract/terms.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type Clp, clp, formatClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ResolutionRefused } from "../../platform/exceptions.ts";
import type { Ids } from "../../platform/ids.ts";
import { providerNow } from "../../platform/provider.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import type { ApprovalSubject } from "../approvals/approval.ts";
import { newestRequest, requestApproval, takeApproval } from "../approvals/approvals.ts";
import { spendSoloLimit } from "../approvals/solo-limit.ts";
import { insertHandled } from "../exception-store.ts";
import { type ExceptionsDependencies, findException } from "../list-exceptions.ts";
import { exceptionId, type ListedException, readExceptionId, versionOf } from "./exception.ts";
import { partOf, RESOLUTIONS, type Resolution, takesResolution } from "./exception-kinds.ts";

const ACT = "exception.resolve";

/** What two operators have to agree on: the resolution, and what it books, of the exception as both see it. */
function approvalSubject(
  exception: ListedException,
  { resolution, amount = null }: { readonly resolution: Resolution; readonly amount?: Clp | null },
): ApprovalSubject {
  return { act: ACT, subject: exceptionId(exception), request: { resolution, amount } };
}

const requestSchema = z.object({ resolution: z.string(), amount: z.number().nullable() });

interface RequestedResolution extends z.output<typeof requestSchema> {
  readonly askedBy: string;
  readonly askedAt: Date;
}

/** The open request of the first of two operators for an exception; null if there is none. */
export async function requestedResolution(
  db: Database,
  exception: ListedException,
  at: Date,
): Promise<RequestedResolution | null> {
  const open = await newestRequest(db, { act: ACT, subject: exceptionId(exception), at });
  if (open === null) return null;
  const { askedBy, askedAt } = open;
  return { ...requestSchema.parse(JSON.parse(open.request)), askedBy, askedAt };
}

interface ResolutionDone {
  /** False: another operator has to ask for the same. */
  readonly isDone: boolean;
  /** The result in words for the operator. */
  readonly outcome: string;
}

export interface ResolutionRequest {
  readonly resolution: Resolution;
  /** `operator:<name>` */
  readonly actor: string;
  /** At most 200 characters, without personal data. */
  readonly note: string | null;
  /** In pesos, for a resolution that books what came. */
  readonly amount?: Clp;
}

export type ResolutionDependencies = ExceptionsDependencies & { readonly ids: Ids };

export interface ResolutionOptions {
  /** Writes in the transaction of the resolution, or of the request for it. */
  readonly alongside?: (tx: Transaction, done: ResolutionDone) => Promise<void>;
  /** It is one of several that together give away too much for one person, so that each needs two. */
  readonly needsTwo?: boolean;
}

/** How often a resolution is tried again because another operator asks for the same at the same moment. */
const ATTEMPTS_MAX = 3;

/** Thrown inside a transaction to undo it: another operator has to ask for the same. */
class SecondOperatorNeeded extends Error {
  override readonly name = "SecondOperatorNeeded";
  readonly exception: ListedException;

  constructor(exception: ListedException) {
    super("A second operator is needed.");
    this.exception = exception;
  }
}

/**
 * Resolves an exception and writes an audit row in the same transaction. What gives away too much for one person is
 * only noted for the first operator, and done when another one asks for it of the exception as it was. Throws
 * `ResolutionRefused` if the exception does not exist (any more), has changed since it was listed, or does not allow
 * the resolution.
 */
export async function resolveException(
  dependencies: ResolutionDependencies,
  named: string,
  request: ResolutionRequest,
  { alongside = async () => undefined, needsTwo = false }: ResolutionOptions = {},
): Promise<ResolutionDone> {
  const { db } = dependencies;
  requireNote(request);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const done = await inTransaction(db, async (tx) => {
      const applied = await apply(tx, dependencies, named, request);
      const settled = await settle(tx, dependencies, applied, { request, needsTwo });
      await alongside(tx, settled);
      return settled;
    }).catch((error: unknown) => {
      if (!(error instanceof SecondOperatorNeeded)) throw error;
      return inTransaction(db, async (tx) => {
        const noted = await note(tx, dependencies, error.exception, request);
        if (noted !== null) await alongside(tx, noted);
        return noted;
      });
    });
    if (done !== null) return done;
  }
  throw new ResolutionRefused("Other operators ask for the same at this moment. See `aapd exceptions list`.");
}

function requireNote({ note }: ResolutionRequest): void {
  if ((note?.length ?? 0) > 200) throw new ResolutionRefused("A note has at most 200 characters.");
  if (holdsCardNumber(note ?? "")) throw new ResolutionRefused("A note must not hold a card number.");
}

/** Thrown inside a transaction to undo it: what the resolution gives away is known. */
class Weighed extends Error {
  override readonly name = "Weighed";
  readonly gives: Clp;

  constructor(gives: Clp) {
    super("Weighed.");
    this.gives = gives;
  }
}

/**
 * What a resolution would give away, found by applying and undoing it; 0 if it would be refused or needs two people
 * anyway.
 */
export async function assessResolution(
  dependencies: ResolutionDependencies,
  named: string,
  request: ResolutionRequest,
): Promise<Clp> {
  try {
    return await inTransaction(dependencies.db, async (tx) => {
      const { gives } = await apply(tx, dependencies, named, request);
      throw new Weighed(gives ?? ZERO);
    });
  } catch (error) {
    if (error instanceof Weighed) return error.gives;
    if (error instanceof ResolutionRefused) return ZERO;
    throw error;
  }
}

interface Applied {
  readonly exception: ListedException;
  readonly outcome: string;
  /** What it gives away; null: it needs two people whatever it gives away. */
  readonly gives: Clp | null;
}

/** Applies a resolution; the caller's transaction keeps or undoes it. */
async function apply(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
  { resolution, actor, note: said, amount: paid }: ResolutionRequest,
): Promise<Applied> {
  const { clock, ids } = dependencies;
  const exception = await requireException(tx, dependencies, named);
  if (!takesResolution(exception, resolution))
    throw new ResolutionRefused(`A ${exception.kind} does not take ${resolution}.`);
  const provider = await requireProvider(tx, exception.providerId);
  const at = providerNow(provider, clock.now());
  const dismiss = () => insertHandled(tx, exception, { actor, note: said, at });
  const resolving = {
    tx,
    clock,
    ids,
    exception,
    provider,
    at,
    note: said,
    amount: paid ?? null,
    actor,
    dismiss,
  };
  const done = await RESOLUTIONS[resolution].resolve(resolving);
  return typeof done === "string"
    ? { exception, outcome: done, gives: ZERO }
    : { exception, outcome: done.outcome, gives: done.amount };
}

/** Decides whether what was applied may stay, and audits it. Throws `SecondOperatorNeeded` if it may not. */
async function settle(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  { exception, outcome, gives }: Applied,
  { request, needsTwo }: { readonly request: ResolutionRequest; readonly needsTwo: boolean },
): Promise<ResolutionDone> {
  const { clock, ids } = dependencies;
  const by = { actor: request.actor, at: clock.now() };
  const approval = gives === ZERO ? null : await takeApproval(tx, approvalSubject(exception, request), by);
  if (approval === null && gives !== ZERO) {
    const isAlone = gives !== null && !needsTwo && (await spendSoloLimit(tx, { id: ids.uuid(), ...by, amount: gives }));
    if (!isAlone) throw new SecondOperatorNeeded(exception);
  }
  await audit(tx, dependencies, exception, request, approval === null ? {} : { approved_by: approval.askedBy });
  return { isDone: true, outcome };
}

/**
 * Records the first operator's request for a resolution, and changes nothing else; null if another one has requested
 * meanwhile.
 */
async function note(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  exception: ListedException,
  request: ResolutionRequest,
): Promise<ResolutionDone | null> {
  const { actor } = request;
  const { clock, ids } = dependencies;
  const open = await requestApproval(tx, approvalSubject(exception, request), {
    id: ids.uuid(),
    actor,
    at: clock.now(),
  });
  if (open.askedBy !== actor) return null;
  await audit(tx, dependencies, exception, request, { needs_second_operator: true });
  return { isDone: false, outcome: SECOND_NEEDED };
}

const SECOND_NEEDED = `Nothing is done yet: another operator has to ask for the same. An account needs two people, and so does what one operator gives away alone within 24 hours from ${formatClp(clp(TWO_OPERATORS_FROM_CLP))} on.`;

function audit(
  tx: Transaction,
  { ids, clock }: ResolutionDependencies,
  { providerId, kind, subject, orderId }: ListedException,
  { resolution, actor, note: said, amount }: ResolutionRequest,
  details: object,
): Promise<void> {
  const isDone = !("needs_second_operator" in details);
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor,
    credentialId: null,
    act: isDone ? `matter.${resolution}` : "matter.approved",
    subject: { kind, id: subject },
    details: {
      ...(orderId === null ? {} : { order_id: orderId }),
      ...(said === null ? {} : { note: said }),
      ...(amount === undefined ? {} : { amount }),
      ...(isDone ? details : { resolution }),
    },
    at: clock.now(),
  });
}

/** The exception as it was listed, with the records behind it locked until the transaction ends. */
async function requireException(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
): Promise<ListedException> {
  const within = { ...dependencies, db: tx };
  const name = readExceptionId(named);
  const listed = name === null ? null : await findException(within, name);
  if (name === null || listed === null)
    throw new ResolutionRefused("There is no exception of this name. See `aapd exceptions list`.");
  await partOf(listed.kind).hold?.(tx, listed);
  const exception = await findException(within, name);
  if (exception === null || versionOf(exception) !== name.version)
    throw new ResolutionRefused("It has changed since it was listed. See `aapd exceptions list`.");
  return exception;
}
