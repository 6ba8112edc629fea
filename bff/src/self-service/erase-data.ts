import type { OpenedWidgetToken } from "../checkout/open-widget-token.ts";
import { objectionEndOf } from "../checkout/operations.ts";
import type { ErrorAdditions } from "../contract/errors.ts";
import type { EraseDataResponse, KeptData } from "../contract/patient-rights.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { type Beneficiary, pseudonymOf } from "../patients/beneficiary.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { cancelTimer, rescheduleTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import { requireProvider } from "../tenants/providers.ts";
import { logErasure } from "./erasure-log.ts";
import {
  type ErasedPerson,
  endNotificationsOf,
  eraseUnkept,
  pseudonymise,
  removeCardsOf,
} from "./my-data/erase-everywhere.ts";
import {
  deleteWaitingErasure,
  type Erasure,
  insertErasure,
  readErasure,
  writeErasureDone,
} from "./my-data/erasure-store.ts";
import { lockPatient, requireSettledAddress } from "./my-data/lock-patient.ts";
import { consentsInSight } from "./my-data/patient-consents.ts";
import { factsOf, ordersInSight } from "./my-data/patient-orders.ts";
import { keptData, mustWait, proofOf } from "./my-data/rights.ts";
import type { RightsAct } from "./see-data.ts";
import { withdrawSignUp } from "./withdraw-consent.ts";

/**
 * Tries again daily to erase a patient with a charge or an order still open; the timer's key is the beneficiary's id.
 */
export const ERASE_TIMER = "patient_rights.erase";
/** Removes an erased patient's files from the storage. */
export const REMOVE_FILES_TIMER = "patient_rights.remove_files";

/**
 * How long the address of an erased patient is kept for their last notification: longer than all its delivery tries
 * take.
 */
const LAST_NOTIFICATION_MS = 2 * DAY_MS;

export interface EraseDependencies extends NotifyPatientDependencies {
  readonly db: Database;
}

/**
 * Erases a patient as far as is allowed now. Withdraws the consents of the sign-up (agreements about money owed stay),
 * destroys the sealed insurer access, and erases documents and the data read from them. Name and address are erased too
 * unless money is owed or an order is open; a timer then erases them later.
 *
 * Data that the law requires stays and is named in the response. Orders that the actor may not see are neither changed
 * nor named, and do not delay the erasure. A repeated request returns the present status. Throws 409
 * `email_change_unsettled`.
 */
export function eraseData(dependencies: EraseDependencies, act: RightsAct): Promise<EraseDataResponse> {
  return inTransaction(dependencies.db, async (tx) => {
    const { now, actor, providerId } = act;
    const wish = { beneficiaryId: act.patient.id, providerId, actor, requestedAt: now };
    // Of two concurrent requests the second waits here for the first.
    const patient = await lockPatient(tx, act.patient);
    await requireSettledAddress(tx, patient, now);
    const isNew = await insertErasure(tx, wish);
    if (isNew) {
      await follow(dependencies, tx, wish);
      await audit(dependencies, tx, wish, "patient_data.erasure_requested", now);
      await eraseNow(dependencies, tx, { patient, wish, now });
    }
    const kept = [...(await keptOf(tx, patient, actor))];
    // A request by an operator covers more orders than one by a link, so a later request by a link must not finish it
    // early.
    const erasure = (await readErasure(tx, patient.id)) ?? wish;
    if (mustWait(await keptOf(tx, patient, erasure.actor))) {
      if (isNew) await beginWaiting(dependencies, tx, patient, wish);
      return { status: "waiting", kept };
    }
    await finish(dependencies, tx, { patient, wish: erasure, now });
    return { status: "erased", kept };
  });
}

/**
 * The status of the erasure that used up a link, for a patient whose answer was lost. A waiting erasure is not reported
 * as done.
 */
export async function erasureOf(db: Database, { token }: OpenedWidgetToken): Promise<ErrorAdditions> {
  const erasure = token.beneficiaryId === null ? null : await readErasure(db, token.beneficiaryId);
  return erasure === null ? {} : { erasure_status: erasure.state === "done" ? "erased" : "waiting" };
}

/** Whether a patient has requested an erasure that is waiting or done. */
export async function isErasing(db: Database, beneficiaryId: string): Promise<boolean> {
  return (await readErasure(db, beneficiaryId)) !== null;
}

/**
 * Finishes a waiting erasure once nothing is owed or open. Until then it changes nothing, because the patient may
 * continue to use the service. Returns when to try again, in real time; `null` if there is nothing left to wait for.
 */
export async function finishErasure(dependencies: EraseDependencies, beneficiaryId: string): Promise<Date | null> {
  const { db, clock } = dependencies;
  return inTransaction(db, async (tx) => {
    const known = await findBeneficiaryById(tx, beneficiaryId);
    if (known === null || (await readErasure(tx, beneficiaryId))?.state !== "waiting") return null;
    const patient = await lockPatient(tx, known);
    // The patient may have signed up again while this waited for the lock; that has ended the erasure.
    const wish = await readErasure(tx, beneficiaryId);
    if (wish === null) return null;
    const now = providerNow(await requireProvider(tx, wish.providerId), clock.now());
    const isOpen = (await objectionEndOf(tx, beneficiaryId, now)) !== null;
    if (isOpen || mustWait(await keptOf(tx, patient, wish.actor))) return new Date(clock.now().getTime() + DAY_MS);
    await finish(dependencies, tx, { patient, wish, now });
    return null;
  });
}

/**
 * Ends a waiting erasure because the patient has signed up again. They are notified, since a sign-up does not prove
 * that it was the patient. Erased data stays erased.
 */
export async function endWaitingErasure(
  dependencies: EraseDependencies,
  tx: Transaction,
  { patient, provider, now }: { readonly patient: Beneficiary; readonly provider: Provider; readonly now: Date },
): Promise<void> {
  if (!(await deleteWaitingErasure(tx, patient.id))) return;
  await cancelTimer(tx, { kind: ERASE_TIMER, key: patient.id });
  const ended = { beneficiaryId: patient.id, providerId: provider.id, actor: "patient", requestedAt: now };
  await follow(dependencies, tx, ended);
  const id = await audit(dependencies, tx, ended, "patient_data.erasure_ended", now);
  const cause = `data_erasure_ended:${id}`;
  await notifyPatient(dependencies, tx, {
    provider,
    cause,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: { kind: "data_erasure_ended" },
  });
}

interface Erasing {
  readonly patient: Beneficiary;
  readonly wish: Omit<Erasure, "state">;
  readonly now: Date;
}

/** The part of an erasure that does not depend on anything owed or open. */
async function eraseNow(
  dependencies: EraseDependencies,
  tx: Transaction,
  { patient, wish, now }: Erasing,
): Promise<void> {
  await withdrawSignUp(tx, dependencies, patient, {
    purposes: ["claim_mandate", "health_data", "insurer_access", "saved_card", "marketing"],
    at: now,
  });
  await removeFiles(dependencies, tx, wish.providerId, await eraseUnkept(tx, personOf(patient, wish, now)));
}

/** The data visible to the actor that is kept, with the reasons. */
async function keptOf(tx: Transaction, patient: Beneficiary, actor: string): Promise<readonly KeptData[]> {
  const proof = proofOf(actor);
  const orders = await ordersInSight(tx, patient, proof);
  const consents = await consentsInSight(tx, patient, { proof, orders });
  return keptData(orders.map(factsOf), consents.length > 0);
}

/** Finishes the erasure, including the data that was added while it waited. */
async function finish(dependencies: EraseDependencies, tx: Transaction, erasing: Erasing): Promise<void> {
  const { patient, wish, now } = erasing;
  await eraseNow(dependencies, tx, erasing);
  await endNotificationsOf(tx, personOf(patient, wish, now), dependencies.clock.now());
  await notifyPatient(dependencies, tx, {
    provider: await requireProvider(tx, wish.providerId),
    cause: `data_erased:${patient.id}:done`,
    to: patient.email,
    rut: patient.rut,
    notification: { kind: "data_erased", isWaiting: false },
    usefulForMs: LAST_NOTIFICATION_MS,
  });
  await removeCardsOf(tx, dependencies.clock, personOf(patient, wish, now));
  await pseudonymise(tx, personOf(patient, wish, now), {
    userId: dependencies.ids.uuid(),
    pseudonym: pseudonymOf(patient.id),
  });
  await writeErasureDone(tx, patient.id, now);
  await audit(dependencies, tx, wish, "patient_data.erased", now);
}

function personOf({ id, tenant, rut, email }: Beneficiary, { actor }: Erasing["wish"], at: Date): ErasedPerson {
  return { beneficiaryId: id, tenant, rut, at, addressedTo: proofOf(actor) === "identity" ? null : email };
}

async function beginWaiting(
  dependencies: EraseDependencies,
  tx: Transaction,
  patient: Beneficiary,
  { providerId, requestedAt }: Erasing["wish"],
): Promise<void> {
  const dueAt = new Date(dependencies.clock.now().getTime() + DAY_MS);
  await rescheduleTimer(tx, { kind: ERASE_TIMER, key: patient.id, providerId, dueAt, payload: {} });
  const provider = await requireProvider(tx, providerId);
  // The timestamp makes the cause unique, so that a patient who ends an erasure and requests it again is notified
  // again.
  const cause = `data_erased:${patient.id}:waiting:${requestedAt.toISOString()}`;
  await notifyPatient(dependencies, tx, {
    provider,
    cause,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: { kind: "data_erased", isWaiting: true },
  });
}

/**
 * The storage is not part of the transaction, so a timer removes the files afterwards and repeats it until the storage
 * has answered.
 */
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

function follow(
  dependencies: EraseDependencies,
  tx: Transaction,
  { beneficiaryId, providerId, actor }: Omit<Erasure, "state">,
): Promise<void> {
  return logErasure(tx, dependencies, { subject: { kind: "beneficiary", id: beneficiaryId }, providerId, actor });
}

async function audit(
  { ids }: EraseDependencies,
  tx: Transaction,
  { providerId, actor, beneficiaryId }: Omit<Erasure, "state">,
  act: string,
  at: Date,
): Promise<string> {
  const id = ids.uuid();
  const subject = { kind: "beneficiary", id: beneficiaryId } as const;
  await recordAudit(tx, { id, providerId, actor, credentialId: null, act, subject, at });
  return id;
}
