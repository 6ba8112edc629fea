import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../checkout/self-service-links.ts";
import { blockedLongEnoughAt, chargeMoment } from "../collection/collection.ts";
import { announceIfBlocked } from "../collection/trigger-charge.ts";
import { dueNow, readUpcomingInNotification } from "../collection/upcoming-charge.ts";
import { INSURERS } from "../contract/onboarding.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import { sameEmail } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Notification, NotificationOf } from "../notifications/notification.ts";
import { type Upcoming, undatedOf } from "../notifications/notification-definition.ts";
import { type NotifyPatientDependencies, notifyPatient, wasNotified } from "../notifications/notify-patient.ts";
import { paidAndKept } from "../orders/order-amounts.ts";
import { aboutOrder, findOrder } from "../orders/order-reads.ts";
import { isPseudonym } from "../patients/beneficiary.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { publicCredentials, requireProvider } from "../tenants/providers.ts";
import { type AccessTerms, isClaimOver } from "./claim-reads.ts";
import type { ClaimRecord } from "./claim-store.ts";

export type NotifyClaimDependencies = NotifyPatientDependencies & MintSelfServiceTokenDependencies & AccessTerms;

type Claim = Pick<ClaimRecord, "id" | "providerId" | "beneficiaryId" | "orderId">;

/** The notifications to a patient about a filed claim. */
type ClaimNotification =
  /** `isCharged`: whether this approval makes the deferred part due. */
  | { readonly kind: "claim_approved"; readonly reimbursed: Clp; readonly isCharged: boolean }
  | { readonly kind: "claim_rejected"; readonly reason: string }
  | {
      readonly kind: "access_blocked";
      readonly since: Date;
      /** When the patient gave the latest refused access; null for the first notification. */
      readonly refusedAccessAt: Date | null;
    };

/** Notifies the patient in the transaction of the cause, once per cause. Never notifies an erased patient. */
export async function notifyClaim(
  dependencies: NotifyClaimDependencies,
  tx: Transaction,
  claim: Claim,
  news: ClaimNotification,
): Promise<void> {
  const cause = causeOf(claim, news);
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  const provider = await requireProvider(tx, claim.providerId);
  if (patient === null || isPseudonym(patient)) return;
  // Checked before a link is created, because a patient who was already notified needs no second link.
  if (news.kind === "access_blocked" && (await wasOrderNotified(tx, claim, news))) return;
  const order = await findOrder(tx, claim);
  // A refunded order needs no access.
  if (news.kind === "access_blocked" && order?.state === "refunded") return;
  const about = order === null ? null : await aboutOrder(tx, provider, order);
  const addressed = {
    firstName: patient.firstName,
    clinic: about?.clinic ?? provider.name,
    insurer: INSURERS[patient.insurer],
  };
  const at = providerNow(provider, dependencies.clock.now());
  const notification = await notificationOf(dependencies, tx, claim, { ...addressed, rut: patient.rut, news, at });
  const to = { rut: patient.rut, orderId: claim.orderId, beneficiaryId: patient.id, ...(about !== null && { about }) };
  await notifyPatient(dependencies, tx, {
    ...to,
    provider,
    cause,
    to: patient.email,
    telephone: patient.phoneNumber,
    notification,
  });
  // Blocked access leads to an early charge, so the address on the order is notified too. It gets no link, because only
  // the record's owner may give access.
  if (notification.kind !== "access_blocked") return;
  if (order === null || sameEmail(order.customer.email, patient.email)) return;
  const copy = { ...notification, firstName: order.customer.firstName, accessUrl: null };
  await notifyPatient(dependencies, tx, {
    ...to,
    provider,
    cause: `${cause}:order`,
    to: order.customer.email,
    notification: copy,
  });
}

/** Whether the order's own address was notified of the blocked access. Without that nothing is charged early. */
export async function wasOrderNotified(
  tx: Transaction,
  claim: Claim,
  blocked: Extract<ClaimNotification, { kind: "access_blocked" }>,
): Promise<boolean> {
  const provider = await requireProvider(tx, claim.providerId);
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  const order = await findOrder(tx, claim);
  if (patient === null || order === null) return false;
  const cause = causeOf(claim, blocked);
  const isSame = sameEmail(order.customer.email, patient.email);
  return wasNotified(tx, { provider, cause: isSame ? cause : `${cause}:order` });
}

function causeOf({ id }: Claim, news: ClaimNotification): string {
  if (news.kind !== "access_blocked") return `${news.kind}:${id}`;
  // Access that is blocked again after it worked is a new cause, as is each newly given access that was refused.
  return `access_blocked:${id}:${(news.refusedAccessAt ?? news.since).getTime()}`;
}

interface NotifiedClaim {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  readonly rut: Rut;
  readonly news: ClaimNotification;
  readonly at: Date;
}

async function notificationOf(
  dependencies: NotifyClaimDependencies,
  tx: Transaction,
  claim: Claim,
  { rut, news, at, ...about }: NotifiedClaim,
): Promise<Notification> {
  switch (news.kind) {
    case "claim_approved":
      return {
        ...about,
        kind: news.kind,
        reimbursed: news.reimbursed,
        charge: news.isCharged ? await approvedCharge(tx, claim, at) : null,
        settled: await settledAmount(tx, claim, at),
        undated: undatedOf(await upcomingOfClaim(tx, claim, at)),
      };
    case "claim_rejected":
      return { ...about, kind: news.kind, reason: news.reason, charge: await chargeAhead(tx, claim, at) };
    case "access_blocked":
      return {
        ...about,
        kind: news.kind,
        accessUrl: (await linkToGiveAccess(dependencies, tx, { ...claim, rut }))?.url ?? null,
        earlyCharge: await earlyChargeOf(tx, claim, { blockedSince: news.since, at }),
        isRefusedAgain: news.refusedAccessAt !== null,
      };
  }
}

/** The charge that the approval has made due. */
async function approvedCharge(
  tx: Transaction,
  claim: Claim,
  at: Date,
): Promise<NotificationOf<"claim_approved">["charge"]> {
  const due = await dueNow(tx, claim, { at, claimEnded: isClaimOver });
  const order = await findOrder(tx, claim);
  const upcoming = await upcomingOfClaim(tx, claim, at);
  if (due === null || order === null || upcoming?.kind !== "on_day") return null;
  const { amount, commission, day } = upcoming;
  const isToday = day === santiagoDay(at);
  return { amount, commission, day, isToday, cardEnding: due.card.last4, paidBefore: paidAndKept(order) };
}

/** What the patient has paid and kept once nothing is left to charge; null before, and while the bank holds some. */
async function settledAmount(tx: Transaction, claim: Claim, at: Date): Promise<Clp | null> {
  const order = await findOrder(tx, claim);
  const upcoming = await upcomingOfClaim(tx, claim, at);
  if (order === null || upcoming?.kind !== "none") return null;
  return order.payments.some(({ disputed, lost }) => disputed > lost) ? null : paidAndKept(order);
}

/** The remaining charge, with its day if it has one; null if nothing is owed. */
async function chargeAhead(
  tx: Transaction,
  claim: Claim,
  at: Date,
): Promise<NotificationOf<"claim_rejected">["charge"]> {
  const upcoming = await upcomingOfClaim(tx, claim, at);
  if (upcoming?.kind === "on_day" || upcoming?.kind === "by_day") return { kind: upcoming.kind, day: upcoming.day };
  return undatedOf(upcoming);
}

/**
 * The charge that blocked access would bring forward, announced to the patient in this transaction. Null if there is
 * none, another trigger has made it due, or its day has come without an announcement.
 */
async function earlyChargeOf(
  tx: Transaction,
  claim: Claim,
  { blockedSince, at }: { readonly blockedSince: Date; readonly at: Date },
): Promise<NotificationOf<"access_blocked">["earlyCharge"]> {
  const upcoming = await upcomingOfClaim(tx, claim, at);
  if (upcoming?.kind !== "by_day") return null;
  const { amount } = upcoming;
  const chargeAt = chargeMoment(blockedLongEnoughAt(blockedSince));
  const isNotified = await announceIfBlocked(tx, claim, { chargeAt, amount, notifiedAt: at });
  return isNotified ? { day: santiagoDay(chargeAt), amount } : null;
}

async function upcomingOfClaim(tx: Transaction, claim: Claim, at: Date): Promise<Upcoming | null> {
  const order = await findOrder(tx, claim);
  return order === null ? null : readUpcomingInNotification(tx, order, { at, claimEnded: isClaimOver });
}

/**
 * A 30-day link for the patient to give access, for the first time or again; null if the provider has no widget. Only
 * the service creates such links.
 */
export async function linkToGiveAccess(
  dependencies: MintSelfServiceTokenDependencies & Pick<NotifyPatientDependencies, "clock">,
  tx: Transaction,
  { providerId, beneficiaryId, rut }: Pick<Claim, "providerId" | "beneficiaryId"> & { readonly rut: Rut },
): Promise<{ readonly id: string; readonly url: string } | null> {
  const { clock } = dependencies;
  const provider = await requireProvider(tx, providerId);
  const credentials = await publicCredentials({ db: tx, clock }, providerId);
  // A provider without public credentials has no widget to open. The patient is notified without a link.
  if (credentials === null) return null;
  const now = providerNow(provider, clock.now());
  return mintSelfServiceToken(dependencies, tx, {
    provider,
    publicKey: credentials.publicKey,
    purpose: "insurer_access",
    beneficiaryId,
    rut,
    now,
  });
}

/**
 * Notifies the patient that a claim was filed, in the transaction that records it. Never notifies an erased patient.
 */
export async function notifyFiled(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  claim: Pick<ClaimRecord, "id" | "providerId" | "beneficiaryId" | "orderId">,
): Promise<void> {
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  if (patient === null || isPseudonym(patient)) return;
  const provider = await requireProvider(tx, claim.providerId);
  const order = await findOrder(tx, claim);
  const about = order === null ? null : await aboutOrder(tx, provider, order);
  await notifyPatient(dependencies, tx, {
    provider,
    ...(about !== null && { about }),
    cause: `claim_filed:${claim.id}`,
    to: patient.email,
    rut: patient.rut,
    telephone: patient.phoneNumber,
    orderId: claim.orderId,
    beneficiaryId: patient.id,
    notification: {
      kind: "claim_filed",
      firstName: patient.firstName,
      clinic: about?.clinic ?? provider.name,
      insurer: INSURERS[patient.insurer],
    },
  });
}
