import { findConsents } from "../consents/consents.ts";
import type { EraseDataResponse, KeptData } from "../contract/patient-rights.ts";
import { type TellPatientDependencies, tellPatient } from "../notices/tell-patient.ts";
import type { Beneficiary } from "../people/beneficiary.ts";
import { findBeneficiaryById } from "../people/people.ts";
import { providerOfTenant } from "../people/tenant.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { rescheduleTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import { type Provider, providerNow } from "../providers/provider.ts";
import { requireProvider } from "../providers/provider-reads.ts";
import {
  type Erasure,
  eraseAtOnce,
  insertErasure,
  pseudonymise,
  readErasure,
  writeErasureDone,
} from "./erasure-store.ts";
import { lockPatient } from "./lock-patient.ts";
import { factsOf, patientOrders } from "./patient-orders.ts";
import { keptData, mustWait } from "./rights.ts";
import type { RightsAct } from "./see-data.ts";
import { withdrawNow } from "./withdraw-consent.ts";

/** Tries again, daily, to erase who still owed something; its key is the beneficiary's id. */
export const ERASE_TIMER = "patient_rights.erase";
/** Removes an erased patient's files from the storage. */
export const REMOVE_FILES_TIMER = "patient_rights.remove_files";

const DAY_MS = 24 * 60 * 60 * 1_000;

export interface EraseDependencies extends TellPatientDependencies {
  readonly db: Database;
}

/**
 * Erases a patient as far as that may be now. Every consent is withdrawn, the sealed insurer access destroyed, documents and
 * what stood on them erased; name and address as well, unless something is still owed or open: then they go by themselves
 * when that is over. What the law keeps is kept, and named. Asked again, it tells how things stand.
 */
export function eraseData(dependencies: EraseDependencies, act: RightsAct): Promise<EraseDataResponse> {
  return inTransaction(dependencies.db, async (tx) => {
    const { now, actor, providerId } = act;
    const wish = { beneficiaryId: act.patient.id, providerId, actor, requestedAt: now };
    // Of two at once the second waits here for the first.
    const isNew = await insertErasure(tx, wish);
    const patient = await lockPatient(tx, act.patient);
    if (isNew) await audit(dependencies, tx, wish, "patient_data.erasure_requested", now);
    const kept = await erase(dependencies, tx, { patient, wish, now });
    if (!mustWait(kept)) return { status: "erased", kept: [...kept] };
    if (isNew) await beginWaiting(dependencies, tx, patient, providerId);
    return { status: "waiting", kept: [...kept] };
  });
}

/**
 * Finishes an erasure that waited, once nothing is owed or open. `null`: there is nothing to wait for any more; otherwise
 * when to look again, in real time.
 */
export async function finishErasure(dependencies: EraseDependencies, beneficiaryId: string): Promise<Date | null> {
  const { db, clock } = dependencies;
  return inTransaction(db, async (tx) => {
    const known = await findBeneficiaryById(tx, beneficiaryId);
    const wish = await readErasure(tx, beneficiaryId);
    if (known === null || wish?.state !== "waiting") return null;
    const patient = await lockPatient(tx, known);
    const now = providerNow(await requireProvider(tx, wish.providerId), clock.now());
    const kept = await erase(dependencies, tx, { patient, wish, now });
    return mustWait(kept) ? new Date(clock.now().getTime() + DAY_MS) : null;
  });
}

interface Erasing {
  readonly patient: Beneficiary;
  readonly wish: Omit<Erasure, "state">;
  readonly now: Date;
}

/** Does what may be done now; returns what stays. */
async function erase(
  dependencies: EraseDependencies,
  tx: Transaction,
  { patient, wish, now }: Erasing,
): Promise<readonly KeptData[]> {
  const { tenant, rut, id } = patient;
  await withdrawNow(tx, patient, ["claim_mandate", "health_data", "insurer_access", "marketing"], now);
  const person = { beneficiaryId: id, tenant, rut, at: now };
  await removeFiles(dependencies, tx, wish.providerId, await eraseAtOnce(tx, person));
  const orders = (await patientOrders(tx, person)).map(factsOf);
  const consents = await findConsents(tx, { rut, providerId: providerOfTenant(tenant) });
  const kept = keptData(orders, consents.length > 0);
  if (mustWait(kept)) return kept;
  await tell(dependencies, tx, patient, { provider: await requireProvider(tx, wish.providerId), isWaiting: false });
  await pseudonymise(tx, person, dependencies.ids.uuid());
  await writeErasureDone(tx, id, now);
  await audit(dependencies, tx, wish, "patient_data.erased", now);
  return kept;
}

async function beginWaiting(
  dependencies: EraseDependencies,
  tx: Transaction,
  patient: Beneficiary,
  providerId: string,
): Promise<void> {
  const dueAt = new Date(dependencies.clock.now().getTime() + DAY_MS);
  await rescheduleTimer(tx, { kind: ERASE_TIMER, key: patient.id, providerId, dueAt, payload: {} });
  await tell(dependencies, tx, patient, { provider: await requireProvider(tx, providerId), isWaiting: true });
}

/** The storage is no part of the transaction: a timer empties it afterwards, and again until it has answered. */
async function removeFiles(
  { ids, clock }: EraseDependencies,
  tx: Transaction,
  providerId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const key = ids.uuid();
  await scheduleTimer(tx, { kind: REMOVE_FILES_TIMER, key, providerId, dueAt: clock.now(), payload: { names } });
}

function tell(
  dependencies: EraseDependencies,
  tx: Transaction,
  patient: Beneficiary,
  { provider, isWaiting }: { readonly provider: Provider; readonly isWaiting: boolean },
): Promise<void> {
  return tellPatient(dependencies, tx, {
    provider,
    cause: `data_erased:${patient.id}:${isWaiting ? "waiting" : "done"}`,
    to: patient.email,
    notice: { kind: "data_erased", isWaiting },
  });
}

function audit(
  { ids }: EraseDependencies,
  tx: Transaction,
  { providerId, actor, beneficiaryId }: Omit<Erasure, "state">,
  act: string,
  at: Date,
): Promise<void> {
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor,
    credentialId: null,
    act,
    subject: { kind: "beneficiary", id: beneficiaryId },
    at,
  });
}
