import * as z from "zod";
import { TWO_OPERATORS_FROM_CLP } from "../../contract/terms.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type Clp, clp, formatClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ResolutionRefused } from "../../platform/exceptions.ts";
import type { Ids } from "../../platform/ids.ts";
import { providerNow } from "../../platform/provider.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { requireProvider } from "../../tenants/providers.ts";
import type { ApprovalSubject } from "../approvals/approval.ts";
import { newestRequest, requestApproval, takeApproval } from "../approvals/approvals.ts";
import { spendSoloLimit } from "../approvals/solo-limit.ts";
import { insertHandled } from "../exception-store.ts";
import { type ExceptionsDependencies, findException } from "../list-exceptions.ts";
import { exceptionId, type ListedException, readExceptionId, versionOf } from "./exception.ts";
import { partOf, RESOLUTIONS, type Resolution, takesResolution } from "./exception-kinds.ts";

const ACT = "exception.resolve";

/**
 * The subject of an approval by two operators: the resolution and the amount it books, for the exception as both see
 * it.
 */
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

/** The open request of a first operator for an exception; null if there is none. */
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
  /** False if another operator has to request the same. */
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
  /** In pesos, for a resolution that books a received amount. */
  readonly amount?: Clp;
  readonly day?: CalendarDay;
}

export type ResolutionDependencies = ExceptionsDependencies & { readonly ids: Ids };

export interface ResolutionOptions {
  /** Runs in the transaction of the resolution, or of the request for it. */
  readonly alongside?: (tx: Transaction, done: ResolutionDone) => Promise<void>;
  /** One of several that together exceed one person's limit, so that each needs two. */
  readonly needsTwo?: boolean;
}

/** How often a resolution is retried when another operator requests the same at the same moment. */
const ATTEMPTS_MAX = 3;

/** Thrown inside a transaction to roll it back: another operator has to request the same. */
class SecondOperatorNeeded extends Error {
  override readonly name = "SecondOperatorNeeded";
  readonly exception: ListedException;

  constructor(exception: ListedException) {
    super("A second operator is needed.");
    this.exception = exception;
  }
}

/**
 * Resolves an exception and writes an audit row in the same transaction. Above one person's limit, the first operator's
 * request is only recorded; it is carried out when another operator requests the same for the unchanged exception.
 * Throws `ResolutionRefused` if the exception does not exist (any more), has changed since it was listed, or does not
 * allow the resolution.
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
  throw new ResolutionRefused("Other operators are requesting the same at this moment. See `aapd exceptions list`.");
}

function requireNote({ note }: ResolutionRequest): void {
  if ((note?.length ?? 0) > 200) throw new ResolutionRefused("A note may have at most 200 characters.");
  if (holdsCardNumber(note ?? "")) throw new ResolutionRefused("A note must not contain a card number.");
}

/** Thrown inside a transaction to roll it back once the decided amount is known. */
class Weighed extends Error {
  override readonly name = "Weighed";
  readonly gives: Clp;

  constructor(gives: Clp) {
    super("Weighed.");
    this.gives = gives;
  }
}

/**
 * The amount that a resolution would decide on, found by applying it and rolling back; 0 if it would be refused or
 * needs two people anyway.
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
  /** The decided amount; null if two people are always needed. */
  readonly gives: Clp | null;
}

/** Applies a resolution; the caller's transaction commits or rolls back. */
async function apply(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
  { resolution, actor, note, amount: paid, day }: ResolutionRequest,
): Promise<Applied> {
  const { clock, ids } = dependencies;
  const exception = await requireException(tx, dependencies, named);
  if (!takesResolution(exception, resolution))
    throw new ResolutionRefused(`The resolution ${resolution} does not apply to ${exception.kind}.`);
  const provider = await requireProvider(tx, exception.providerId);
  const at = providerNow(provider, clock.now());
  const dismiss = () => insertHandled(tx, exception, { actor, note, at });
  const resolving = {
    tx,
    clock,
    ids,
    exception,
    provider,
    at,
    note,
    amount: paid ?? null,
    day: day ?? null,
    actor,
    dismiss,
  };
  const done = await RESOLUTIONS[resolution].resolve(resolving);
  return typeof done === "string"
    ? { exception, outcome: done, gives: ZERO }
    : { exception, outcome: done.outcome, gives: done.amount };
}

/**
 * Decides whether the applied resolution may be committed, and audits it. Throws `SecondOperatorNeeded` if it may not.
 */
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
 * Records the first operator's request for a resolution, and changes nothing else; null if another operator has
 * requested it meanwhile.
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

const SECOND_NEEDED = `Nothing is done yet: another operator has to request the same. Two people are needed for an account, and for one operator's decisions within 24 hours from ${formatClp(clp(TWO_OPERATORS_FROM_CLP))} on.`;

function audit(
  tx: Transaction,
  { ids, clock }: ResolutionDependencies,
  { providerId, kind, subject, orderId }: ListedException,
  { resolution, actor, note, amount, day }: ResolutionRequest,
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
      ...(note === null ? {} : { note }),
      ...(amount === undefined ? {} : { amount }),
      ...(day === undefined ? {} : { day }),
      ...(isDone ? details : { resolution }),
    },
    at: clock.now(),
  });
}

/** The exception as listed, with its records locked until the transaction ends. */
async function requireException(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
): Promise<ListedException> {
  const within = { ...dependencies, db: tx };
  const name = readExceptionId(named);
  const listed = name === null ? null : await findException(within, name);
  if (name === null || listed === null)
    throw new ResolutionRefused("There is no exception with this name. See `aapd exceptions list`.");
  await partOf(listed.kind).hold?.(tx, listed);
  const exception = await findException(within, name);
  if (exception === null || versionOf(exception) !== name.version)
    throw new ResolutionRefused("It has changed since it was listed. See `aapd exceptions list`.");
  return exception;
}
