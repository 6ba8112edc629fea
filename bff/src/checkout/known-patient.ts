import type { ErrorAdditions } from "../contract/errors.ts";
import { RECOGNISED_MINUTES } from "../contract/terms.ts";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { maskEmail, sameEmail } from "../contract/vocabulary/email.ts";
import type { RecognisedPatient } from "../orders/dependencies.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { type SavedCard, savedCardsOf } from "../orders/saved-cards.ts";
import { type Beneficiary, tenantOf } from "../patients/beneficiary.ts";
import { isBlocked } from "../patients/blocked.ts";
import { findBeneficiary } from "../patients/patients.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { areTermsCurrent } from "./recognition/code-terms.ts";
import { readRecognised } from "./recognition/recognition-store.ts";
import { type Trust, trustOf } from "./recognition/trust.ts";
import { isPatientOfOrder } from "./tokens/proven-visits.ts";

export interface KnownPatientDependencies {
  /** Whether a patient has requested erasure. */
  readonly isErasing: (db: Database, beneficiaryId: string) => Promise<boolean>;
}

export interface KnownPatient {
  readonly patient: Beneficiary;
  /** The clinic that treats the patient. */
  readonly clinic: string;
  readonly cards: readonly SavedCard[];
  readonly trust: Trust;
}

/**
 * The patient of an order whom a code may recognise, and what that code unlocks. Null if no code is sent, because it
 * would unlock nothing.
 */
export async function findKnownPatient(
  { isErasing }: KnownPatientDependencies,
  db: Database,
  { provider, order, now }: { readonly provider: Provider; readonly order: OrderRecord; readonly now: Date },
): Promise<KnownPatient | null> {
  const patient = await findBeneficiary(db, { tenant: tenantOf(provider), rut: order.customer.rut });
  if (patient === null) return null;
  const cards = await savedCardsOf(db, patient);
  const facts = {
    isOffered: provider.settings.knownPatients,
    identityMatchedAt: patient.identityMatchedAt,
    identityTrustedDays: provider.settings.identityTrustedDays,
    contactChangedAt: patient.contactChangedAt,
    isErasing: await isErasing(db, patient.id),
    isBlocked: await isBlocked(db, patient),
    collides: await collides(db, order, patient),
    hasSavedCards: cards.length > 0,
  };
  const trust = trustOf(facts, now);
  return trust === null ? null : { patient, clinic: await nameOfClinic(db, provider, order.center), cards, trust };
}

/**
 * The patient whom a right code recognised for an order within the time limit, if they could still be recognised and
 * the code's terms are current.
 */
export async function recognisedPatient(
  dependencies: KnownPatientDependencies,
  db: Database,
  of: { readonly provider: Provider; readonly order: OrderRecord; readonly now: Date },
): Promise<RecognisedPatient | null> {
  const since = new Date(of.now.getTime() - RECOGNISED_MINUTES * MINUTE_MS);
  const answered = await readRecognised(db, of.order, since);
  if (answered === null) return null;
  const { beneficiaryId, terms } = answered;
  const known = await findKnownPatient(dependencies, db, of);
  if (known === null || known.patient.id !== beneficiaryId) return null;
  if (!areTermsCurrent(terms, { clinic: known.clinic, order: of.order })) return null;
  return { patient: known.patient, isTrusted: known.trust.identity, card: terms.card };
}

/**
 * Whether an order names an e-mail address other than its patient's record. One of them is wrong or a stranger's, so
 * the patient must prove their identity before any payment. A proof in a visit of the order settles it.
 */
export async function collides(db: Database, order: OrderRecord, record: Beneficiary): Promise<boolean> {
  if (sameEmail(order.customer.email, record.email)) return false;
  return !(await isPatientOfOrder(db, order, record.id));
}

/** Throws 409 `RUT_OTHER_EMAIL` if an order about to be paid collides with the record of its patient. */
export async function refuseCollision(db: Database, order: OrderRecord, patient: Beneficiary | null): Promise<void> {
  if (patient !== null && (await collides(db, order, patient))) throw otherMailbox(patient);
}

/** The hint lets the owner recognise the address and reveals almost nothing to a stranger. */
export function otherMailbox({ email }: Beneficiary): ApiError {
  const additions: ErrorAdditions = { email_hint: maskEmail(email), recovery: ["email_code", "identity"] };
  return new ApiError("RUT_OTHER_EMAIL", additions);
}
