import { claimsOfOrders } from "../claims/operations.ts";
import type { ConsentPurpose } from "../contract/orders.ts";
import type { EraseDataResponse, PatientData, WithdrawConsentResponse } from "../contract/patient-rights.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { providerOfTenant } from "../patients/beneficiary.ts";
import { withdrawConsents } from "../patients/consents.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Ids } from "../platform/ids.ts";
import { logErasure } from "./erasure-log.ts";
import { eraseOrdersAlone } from "./my-data/erase-everywhere.ts";
import { consentsInSight } from "./my-data/patient-consents.ts";
import { factsOf, ordersInSight } from "./my-data/patient-orders.ts";
import { effectsOf, isOfOrder, keptData, mustWait, owedOf } from "./my-data/rights.ts";
import { orderPart } from "./see-data.ts";
import { revokeMandates } from "./withdraw-consent.ts";

/*
 * The rights of people whose RUT appears in clinics' orders but is not registered. They never signed up, or they were
 * erased and the law requires some of their data to be kept. Only an operator who has checked the identity can act for
 * them, because they have no mailbox to which a link could be sent.
 */

export interface UnregisteredDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
}

export interface UnregisteredAct {
  readonly tenant: string;
  readonly rut: Rut;
  /** The provider that received the request. */
  readonly providerId: string;
  /** `operator:<name>` */
  readonly actor: string;
  /** The provider's time. */
  readonly now: Date;
}

/** The data that is kept under the RUT. Each reading is recorded in the audit log. */
export function seeUnregistered(
  { db, ids }: UnregisteredDependencies,
  act: UnregisteredAct,
): Promise<Omit<PatientData, "patient"> & { readonly patient: null }> {
  return inTransaction(db, async (tx) => {
    const { orders, consents } = await provenData(tx, act);
    const claims = await claimsOfOrders(
      tx,
      orders.map(({ order }) => order.orderId),
    );
    await audit(tx, ids, act, "patient_data.read");
    return {
      exported_at: act.now.toISOString(),
      patient: null,
      insurer_access: { kept: false, since: null },
      subscription: null,
      subscriptions: [],
      consents,
      orders: orders.map((order) => orderPart(order, claims)),
      expenses: [],
      email_changes: [],
      owed: owedOf(orders.map(factsOf)),
      erasure: null,
    };
  });
}

/** Withdraws the consents under the RUT for one purpose. Throws 409 `consent_not_withdrawable`. */
export function withdrawUnregistered(
  { db, ids, clock }: UnregisteredDependencies,
  act: UnregisteredAct,
  purpose: ConsentPurpose,
): Promise<WithdrawConsentResponse> {
  return inTransaction(db, async (tx) => {
    const { orders } = await provenData(tx, act);
    const facts = orders.map(factsOf);
    const owed = owedOf(facts);
    const isBusy = facts.some((order) => order.isBusy);
    const effects = effectsOf(purpose, { owed, isBusy, hasAccess: false, hasSavedCards: false, openClaims: 0 });
    if (effects === null) throw new ApiError("consent_not_withdrawable");
    const of = { rut: act.rut, providerId: providerOfTenant(act.tenant) };
    const orderIds = isOfOrder(purpose) ? { orderIds: orders.map(({ order }) => order.orderId) } : {};
    const revoked = purpose === "later_charge" && (await revokeMandates(tx, { ids, clock }, orders, act.now));
    if ((await withdrawConsents(tx, { ...of, ...orderIds }, [purpose], act.now)) || revoked)
      await audit(tx, ids, act, "patient_data.consent_withdrawn", { purpose, effects });
    return { withdrawn: purpose, effects: [...effects], owed };
  });
}

/**
 * Erases the data in the orders under the RUT that the law does not require. An open or owed order keeps its contact.
 * As there is no record on which the request could wait, `waiting` means that the erasure must be requested again
 * later.
 */
export function eraseUnregistered(
  { db, ids, clock }: UnregisteredDependencies,
  act: UnregisteredAct,
): Promise<EraseDataResponse> {
  return inTransaction(db, async (tx) => {
    const { orders, consents } = await provenData(tx, act);
    const kept = keptData(orders.map(factsOf), consents.length > 0);
    const waits = mustWait(kept);
    const person = { tenant: act.tenant, rut: act.rut, at: act.now };
    await eraseOrdersAlone(tx, person, { endsNotifications: !waits, clock });
    const [known] = orders;
    if (known !== undefined) {
      const { providerId, orderId } = known.order;
      await logErasure(tx, { ids, clock }, { subject: { kind: "order", id: orderId }, providerId, actor: act.actor });
    }
    await audit(tx, ids, act, waits ? "patient_data.erasure_requested" : "patient_data.erased");
    return { status: waits ? "waiting" : "erased", kept: [...kept] };
  });
}

async function provenData(tx: Transaction, { tenant, rut, now }: UnregisteredAct) {
  const orders = await ordersInSight(tx, { tenant, rut, email: null }, "identity");
  const consents = await consentsInSight(tx, { tenant, rut, createdAt: now }, { proof: "identity", orders });
  return { orders, consents };
}

/**
 * The audit row names no patient: its subject is the provider that received the request, because the patient has no
 * record.
 */
function audit(
  tx: Transaction,
  ids: Ids,
  { providerId, actor, now: at }: UnregisteredAct,
  act: string,
  details: object = {},
): Promise<void> {
  const subject = { kind: "unregistered_patient", id: providerId };
  return recordAudit(tx, { id: ids.uuid(), providerId, actor, credentialId: null, act, subject, details, at });
}
