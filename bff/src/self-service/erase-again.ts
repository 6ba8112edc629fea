import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { readOrderId } from "../contract/vocabulary/identifiers.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import { findOrder } from "../orders/order-reads.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type EraseDependencies, eraseData } from "./erase-data.ts";
import { ERASURE_NAMES_BEGIN, type LoggedErasure, loggedErasureSchema } from "./erasure-log.ts";
import { readErasure } from "./my-data/erasure-store.ts";
import { eraseUnregistered } from "./unregistered.ts";

/** The transaction of an erasure ends slightly later than the time in the log. */
const MARGIN_MS = MINUTE_MS;

export interface ErasedAgain {
  /** How many erasures the database had forgotten. */
  readonly erased: number;
  /** Records and orders whose erasure is refused in their present state, for an operator. */
  readonly refused: readonly string[];
}

/** Repeats the logged erasures since the moment to which the database was restored. May be repeated. */
export async function eraseAgain(
  dependencies: EraseDependencies & { readonly files: Pick<FileStorage, "list" | "get"> },
  restoredTo: Date,
): Promise<ErasedAgain> {
  const since = new Date(restoredTo.getTime() - MARGIN_MS).toISOString();
  let erased = 0;
  const refused: string[] = [];
  for (const logged of await readErasureLog(dependencies.files)) {
    if (logged.at < since) continue;
    try {
      if (await eraseOne(dependencies, logged)) erased += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push(logged.subject.id);
    }
  }
  return { erased, refused };
}

/** Returns whether there was anything to erase. */
async function eraseOne(dependencies: EraseDependencies, logged: LoggedErasure): Promise<boolean> {
  const { db, clock } = dependencies;
  const { subject, providerId, actor } = logged;
  const provider = await requireProvider(db, providerId);
  const act = { providerId, actor, now: providerNow(provider, clock.now()) };
  if (subject.kind === "beneficiary") {
    const patient = await findBeneficiaryById(db, subject.id);
    if (patient === null || (await readErasure(db, subject.id)) !== null) return false;
    await eraseData(dependencies, { ...act, patient });
    return true;
  }
  const orderId = readOrderId(subject.id);
  const order = orderId === null ? null : await findOrder(db, { providerId, orderId });
  if (order === null) return false;
  await eraseUnregistered(dependencies, { ...act, tenant: tenantOf(provider), rut: order.customer.rut });
  return true;
}

/** The names of the log's files. */
export function erasureLogNames(storage: Pick<FileStorage, "list">): Promise<readonly string[]> {
  return storage.list(ERASURE_NAMES_BEGIN);
}

/** The log, oldest first. */
export async function readErasureLog(storage: Pick<FileStorage, "list" | "get">): Promise<readonly LoggedErasure[]> {
  const entries: LoggedErasure[] = [];
  for (const name of await erasureLogNames(storage))
    entries.push(loggedErasureSchema.parse(JSON.parse(new TextDecoder().decode(await storage.get(name)))));
  return entries.toSorted((a, b) => a.at.localeCompare(b.at));
}
