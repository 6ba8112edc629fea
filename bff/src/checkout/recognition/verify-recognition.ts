import type { VerifyRecognitionResponse } from "../../contract/orders.ts";
import { CODE_TRIES_MAX } from "../../contract/terms.ts";
import type { CardProcessor } from "../../gateways/card-processor.ts";
import { GatewayUnavailable } from "../../gateways/gateway-call.ts";
import { isPayable } from "../../orders/order.ts";
import type { OrderCard, OrderRecord } from "../../orders/order-record.ts";
import { patientOrder } from "../../orders/order-view.ts";
import { expiresTooSoon } from "../../orders/readiness.ts";
import { recogniseIdentity } from "../../orders/recognise-identity.ts";
import { asKeptNow, isNamedCard, type SavedCard, savedCardView } from "../../orders/saved-cards.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Provider } from "../../platform/provider.ts";
import { auditWrongCode, classifyTry } from "../issue-code.ts";
import { findKnownPatient, type KnownPatient, type KnownPatientDependencies } from "../known-patient.ts";
import { isPageShown } from "../page-state.ts";
import { areTermsCurrent, type CodeTerms } from "./code-terms.ts";
import { lockNewest, type Recognition, writeTry } from "./recognition-store.ts";
import { RECOGNITION_CODE_HASH } from "./send-recognition-code.ts";

export interface VerifyRecognitionDependencies extends KnownPatientDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "matches">;
  readonly cardProcessor: Pick<CardProcessor, "listKeptCards">;
  /** Puts a saved card on an order whose patient was recognised. Returns the order; null if the card cannot be used. */
  readonly chooseCard: (chosen: {
    readonly provider: Provider;
    readonly order: OrderRecord;
    readonly savedCardId: string;
    readonly now: Date;
  }) => Promise<OrderRecord | null>;
}

export interface RecognitionTry {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly code: string;
  readonly now: Date;
}

/**
 * Answers a code. The right one counts the registry's earlier match for this order, returns the patient's saved cards,
 * and puts the card of its message on the order. While valid, it gets the same answer again, because an answer may be
 * lost. Every attempt is stored under the code's lock.
 * Throws `order_not_payable`, `page_not_shown`, `recovery_code_invalid`, and `recovery_code_expired`, also if the
 * patient's trust or the payment in the message has changed since the code was sent.
 */
export async function verifyRecognition(
  dependencies: VerifyRecognitionDependencies,
  request: RecognitionTry,
): Promise<VerifyRecognitionResponse> {
  const { provider, now } = request;
  if (!isPayable(request.order.state)) throw new ApiError("order_not_payable");
  // Depends on the order alone, so that it reveals nothing about its patient.
  if (!(await isPageShown(dependencies.db, request.order, now))) throw new ApiError("page_not_shown");
  const judged = await inTransaction(dependencies.db, (tx) => judge(dependencies, tx, request));
  // A wrong attempt must be committed, so its error is thrown only after the transaction.
  if ("attemptsLeft" in judged) throw new ApiError("recovery_code_invalid", { attempts_left: judged.attemptsLeft });
  if (judged.known === null) throw new ApiError("recovery_code_expired");
  const { known, sent } = judged;
  const cards = await usableCards(dependencies, request, known);
  const named = cards.find((card) => isNamedCard(sent.terms.card, card)) ?? null;
  const isAskedFor = sent.askedCard !== null;
  const ready = await withCard(dependencies, { provider, order: judged.order, now }, named, isAskedFor);
  return {
    status: "recognised",
    stored_card: named?.id ?? null,
    cards: cards.map(savedCardView),
    order: patientOrder(ready, now),
  };
}

/** A code that was sent. */
type SentCode = Recognition & { readonly terms: CodeTerms };

type Judged =
  | { readonly attemptsLeft: number }
  | { readonly known: null }
  | { readonly known: KnownPatient; readonly sent: SentCode; readonly order: OrderRecord };

async function judge(
  dependencies: VerifyRecognitionDependencies,
  tx: Transaction,
  { provider, order, code, now }: RecognitionTry,
): Promise<Judged> {
  const sent = await lockNewest(tx, order);
  const tried = classifyTry(dependencies.keyring, RECOGNITION_CODE_HASH, { sent, code, now });
  const { id, verifiedAt } = tried.sent;
  if (!tried.isRight) {
    await writeTry(tx, id, { tries: tried.tries, verifiedAt });
    const subject = { kind: "order", id: order.orderId } as const;
    await auditWrongCode(tx, dependencies, { providerId: provider.id, subject, sent: tried.sent, at: now });
    return { attemptsLeft: CODE_TRIES_MAX - tried.tries };
  }
  const { terms } = tried.sent;
  const known = await findKnownPatient(dependencies, tx, { provider, order, now });
  if (known === null || known.patient.id !== tried.sent.beneficiaryId) return { known: null };
  if (terms === null || !areTermsCurrent(terms, { clinic: known.clinic, order })) return { known: null };
  await writeTry(tx, id, { tries: tried.tries, verifiedAt: verifiedAt ?? now });
  if (verifiedAt === null)
    await recordAudit(tx, {
      id: dependencies.ids.uuid(),
      providerId: provider.id,
      actor: "patient",
      credentialId: null,
      act: "patient.recognised",
      subject: { kind: "order", id: order.orderId },
      details: { identity: known.trust.identity },
      at: now,
    });
  const trusted = known.trust.identity ? await recogniseIdentity(tx, order, now) : order;
  return { known, sent: { ...tried.sent, terms }, order: trusted };
}

/**
 * The saved cards that the processor still keeps and that do not expire too soon, with their issuers' current data.
 * Empty if the processor does not answer; then the patient types a card.
 */
async function usableCards(
  { db, cardProcessor }: VerifyRecognitionDependencies,
  { provider, now }: Pick<RecognitionTry, "provider" | "now">,
  { patient, cards }: KnownPatient,
): Promise<readonly SavedCard[]> {
  if (cards.length === 0) return [];
  try {
    const kept = await cardProcessor.listKeptCards({ providerId: provider.id, customer: patient.id });
    return (await asKeptNow(db, cards, kept)).filter((card) => !expiresTooSoon(card, now));
  } catch (error) {
    if (error instanceof GatewayUnavailable) return [];
    throw error;
  }
}

/**
 * The order with the card of the code's message, unless the identity is still to be proved. A card already on the order
 * stays, unless its patient requested this one instead.
 */
async function withCard(
  { chooseCard }: VerifyRecognitionDependencies,
  { provider, order, now }: Omit<RecognitionTry, "code">,
  named: SavedCard | null,
  isAskedFor: boolean,
): Promise<OrderRecord> {
  if (named === null || order.identityValidatedAt === null) return order;
  if (order.card !== null && (!isAskedFor || isSameCard(order.card, named))) return order;
  return (await chooseCard({ provider, order, savedCardId: named.id, now })) ?? order;
}

/** Whether an order's card is this saved one. An earlier answer to the same code may have put it there. */
function isSameCard(card: OrderCard, { brand, last4, expMonth, expYear }: SavedCard): boolean {
  return card.brand === brand && card.last4 === last4 && card.expMonth === expMonth && card.expYear === expYear;
}
