import { RECOGNISED_MINUTES } from "../contract/terms.ts";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import type { RecognisedPatient } from "../orders/dependencies.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { type SavedCard, savedCardsOf } from "../orders/saved-cards.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { isBlocked } from "../patients/blocked.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { collides } from "./collision.ts";
import { areTermsCurrent } from "./recognition/code-terms.ts";
import { readRecognised } from "./recognition/recognition-store.ts";
import { type Trust, trustOf } from "./recognition/trust.ts";

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
