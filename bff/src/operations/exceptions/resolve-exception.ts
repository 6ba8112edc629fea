import { TWO_OPERATORS_FROM_CLP } from "../../contract/terms.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { type Clp, ZERO } from "../../contract/vocabulary/clp.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ResolutionRefused } from "../../platform/exceptions.ts";
import type { Ids } from "../../platform/ids.ts";
import { providerNow } from "../../platform/provider.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { takeApproval, writeApproval } from "./approval-store.ts";
import { type ListedException, readExceptionId, versionOf } from "./exception.ts";
import { partOf, RESOLUTIONS, type Resolution, takesResolution } from "./exception-kinds.ts";
import { insertHandled } from "./exception-store.ts";
import { type ExceptionsDependencies, findException } from "./list-exceptions.ts";

export interface ResolutionDone {
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

/** What is written in the transaction of a resolution, or of its noting. */
export type Alongside = (tx: Transaction, done: ResolutionDone) => Promise<void>;

/** Thrown inside a transaction that must not be: another operator has to want the same. */
class SecondOperatorNeeded extends Error {
  override readonly name = "SecondOperatorNeeded";
  readonly exception: ListedException;

  constructor(exception: ListedException) {
    super("A second operator is needed.");
    this.exception = exception;
  }
}

/**
 * Resolves an exception and writes an audit row in the same transaction. What gives much away is only noted for the first
 * operator, and done when another one asks for it of the exception as it was. Throws `ResolutionRefused` if the exception
 * does not exist (any more), has changed since it was listed, or does not allow the resolution.
 */
export async function resolveException(
  dependencies: ResolutionDependencies,
  named: string,
  request: ResolutionRequest,
  alongside: Alongside = async () => undefined,
): Promise<ResolutionDone> {
  const withIt = async (tx: Transaction, resolving: Promise<ResolutionDone>) => {
    const done = await resolving;
    await alongside(tx, done);
    return done;
  };
  if ((request.note?.length ?? 0) > 200) throw new ResolutionRefused("A note has at most 200 characters.");
  if (holdsCardNumber(request.note ?? "")) throw new ResolutionRefused("A note must not hold a card number.");
  try {
    return await inTransaction(dependencies.db, (tx) => withIt(tx, resolve(tx, dependencies, named, request)));
  } catch (error) {
    if (!(error instanceof SecondOperatorNeeded)) throw error;
    return await inTransaction(dependencies.db, (tx) =>
      withIt(tx, approve(tx, dependencies, error.exception, request)),
    );
  }
}

async function resolve(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  named: string,
  request: ResolutionRequest,
): Promise<ResolutionDone> {
  const { clock, ids } = dependencies;
  const { resolution, actor, note, amount: paid = null } = request;
  const exception = await requireException(tx, dependencies, named);
  if (!takesResolution(exception, resolution))
    throw new ResolutionRefused(`A ${exception.kind} does not take ${resolution}.`);
  const provider = await requireProvider(tx, exception.providerId);
  const at = providerNow(provider, clock.now());
  const done = await RESOLUTIONS[resolution].resolve({
    tx,
    clock,
    ids,
    exception,
    provider,
    at,
    note,
    amount: paid,
    actor,
    putAside: () => insertHandled(tx, exception, { actor, note, at }),
  });
  const { outcome, amount } = typeof done === "string" ? { outcome: done, amount: ZERO } : done;
  const isWeighty = amount === null || amount >= TWO_OPERATORS_FROM_CLP;
  const approvedBy = isWeighty
    ? await takeApproval(tx, { exception, version: versionOf(exception), resolution, actor })
    : null;
  if (isWeighty && approvedBy === null) throw new SecondOperatorNeeded(exception);
  await audit(tx, dependencies, exception, request, approvedBy === null ? {} : { approved_by: approvedBy });
  return { isDone: true, outcome };
}

/** Notes that the first of two operators wants a resolution, and changes nothing else. */
async function approve(
  tx: Transaction,
  dependencies: ResolutionDependencies,
  exception: ListedException,
  request: ResolutionRequest,
): Promise<ResolutionDone> {
  const { resolution, actor } = request;
  const approval = { exception, version: versionOf(exception), resolution, actor };
  await writeApproval(tx, approval, dependencies.clock.now());
  await audit(tx, dependencies, exception, request, { needs_second_operator: true });
  return { isDone: false, outcome: "Nothing is done yet: another operator has to ask for the same." };
}

function audit(
  tx: Transaction,
  { ids, clock }: ResolutionDependencies,
  { providerId, kind, subject, orderId }: ListedException,
  { resolution, actor, note, amount }: ResolutionRequest,
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
