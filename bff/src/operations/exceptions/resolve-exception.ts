import type { Clp } from "../../contract/vocabulary/clp.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ResolutionRefused } from "../../platform/exceptions.ts";
import type { Ids } from "../../platform/ids.ts";
import { providerNow } from "../../platform/provider.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { type ListedException, readExceptionId, versionOf } from "./exception.ts";
import { partOf, RESOLUTIONS, type Resolution, takesResolution } from "./exception-kinds.ts";
import { insertHandled } from "./exception-store.ts";
import { type ExceptionsDependencies, findException } from "./list-exceptions.ts";

export interface ResolutionDone {
  /** The result in words for the operator. */
  readonly outcome: string;
}

interface Request {
  readonly resolution: Resolution;
  /** `operator:<name>` */
  readonly actor: string;
  /** At most 200 characters, without personal data. */
  readonly note: string | null;
  /** In pesos, for a resolution that books what came. */
  readonly amount?: Clp;
}

type ResolutionDependencies = ExceptionsDependencies & { readonly ids: Ids };

/**
 * Resolves an exception and writes an audit row in the same transaction. Throws `ResolutionRefused` if the exception does
 * not exist (any more), has changed since it was listed, or does not allow the resolution.
 */
export async function resolveException(
  dependencies: ResolutionDependencies,
  named: string,
  request: Request,
): Promise<ResolutionDone> {
  const { db, clock, ids } = dependencies;
  const { resolution, actor, note, amount = null } = request;
  if ((note?.length ?? 0) > 200) throw new ResolutionRefused("A note has at most 200 characters.");
  return inTransaction(db, async (tx) => {
    const exception = await requireException(tx, dependencies, named);
    if (!takesResolution(exception, resolution))
      throw new ResolutionRefused(`A ${exception.kind} does not take ${resolution}.`);
    const putAside = async () => {
      const at = providerNow(await requireProvider(tx, exception.providerId), clock.now());
      await insertHandled(tx, exception, { actor, note, at });
      return at;
    };
    const outcome = await RESOLUTIONS[resolution].resolve({ tx, clock, ids, exception, note, amount, actor, putAside });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: exception.providerId,
      actor,
      credentialId: null,
      act: `matter.${resolution}`,
      subject: { kind: exception.kind, id: exception.subject },
      details: {
        ...(exception.orderId === null ? {} : { order_id: exception.orderId }),
        ...(note === null ? {} : { note }),
        ...(amount === null ? {} : { amount }),
      },
      at: clock.now(),
    });
    return { outcome };
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
