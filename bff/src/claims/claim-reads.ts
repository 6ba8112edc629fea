import type { MissingStep, OrderClaim } from "../contract/orders.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import type { UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import { publishedStatus } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { areClaimsWithdrawn } from "../patients/consents.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { providerOfTenant, tenantOf } from "../patients/tenant.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { type ClaimRecord, readClaimOfOrder } from "./claim-store.ts";
import { claimView, documentsMissingOf } from "./claim-view.ts";
import { findExpenseOfOrder } from "./expenses/expense-progress.ts";
import { type FilingFacts, lackingOf, unapprovedBecause } from "./unfiled.ts";

/**
 * The claim of an order; `null` if it has none. The caller must hold the lock on the order's expense, because filing
 * and what the insurer finds missing are recorded only under that lock.
 */
export function claimOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ClaimRecord | null> {
  return readClaimOfOrder(tx, order);
}

type PaidOrder = Pick<OrderRecord, "providerId" | "orderId" | "state" | "customer">;

/** What is known of the claim of an order, and the patient; `null` if nobody is registered under the order's RUT. */
export async function readFilingFacts(
  db: Database,
  { providerId, orderId, state, customer }: PaidOrder,
): Promise<{ readonly facts: FilingFacts; readonly patient: Beneficiary | null }> {
  const tenant = tenantOf(await requireProvider(db, providerId));
  // The order of an erased patient has a pseudonym in place of the RUT.
  const rut = readRut(customer.rut);
  const patient = rut === null ? null : await findBeneficiary(db, { tenant, rut });
  const isWithdrawn = rut === null || (await areClaimsWithdrawn(db, { rut, providerId: providerOfTenant(tenant) }));
  const expense = await findExpenseOfOrder(db, { providerId, orderId });
  const claim = await readClaimOfOrder(db, { providerId, orderId });
  const facts: FilingFacts = {
    order: publishedStatus(state),
    expense: expense?.status ?? null,
    claim: claim && { state: claim.state, wasFiled: claim.filedAt !== null, isBlocked: claim.blockedSince !== null },
    rejectionCode: claim?.rejectionCode ?? null,
    documents: expense === null ? [] : documentsMissingOf(expense, claim),
    hasAccess: patient === null ? null : patient.sealedInsurerAccess !== null,
    isWithdrawn,
  };
  return { facts, patient };
}

/** Why nothing is approved, for the patient who is told of the charge of the latest day. */
export async function readUnapprovedBecause(db: Database, order: PaidOrder): Promise<UnapprovedBecause> {
  return unapprovedBecause((await readFilingFacts(db, order)).facts);
}

/** The registered patient of an order, and whether its claim waits for their access to the insurer. */
export async function readAccessFacts(
  db: Database,
  order: PaidOrder,
): Promise<{ readonly patient: Beneficiary | null; readonly isMissing: boolean }> {
  const { facts, patient } = await readFilingFacts(db, order);
  return { patient, isMissing: lackingOf(facts)?.access === true };
}

/** The claim of a paid order as its clinic sees it, and what its patient has still to do so that it can be filed. */
export async function readFiling(
  db: Database,
  order: PaidOrder,
): Promise<{ readonly claim: OrderClaim | null; readonly missing_step: MissingStep | null }> {
  const { facts } = await readFilingFacts(db, order);
  return { claim: claimView(facts), missing_step: lackingOf(facts)?.access === true ? "insurer_access" : null };
}
