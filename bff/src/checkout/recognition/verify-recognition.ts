import type { VerifyRecognitionResponse } from "../../contract/orders.ts";
import { CODE_TRIES_MAX } from "../../contract/terms.ts";
import type { CardProcessor } from "../../gateways/card-processor/port.ts";
import { GatewayUnavailable } from "../../gateways/gateway-unavailable.ts";
import { recogniseIdentity } from "../../orders/identity/recognise-identity.ts";
import { isPayable } from "../../orders/orders/order.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { patientOrder } from "../../orders/orders/order-view.ts";
import { expiresTooSoon } from "../../orders/orders/readiness.ts";
import { asKeptNow, type SavedCard, savedCardView } from "../../orders/saved-cards/saved-cards.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Provider } from "../../platform/provider.ts";
import { auditWrongCode, judgeTry } from "../otp/issue-code.ts";
import { findKnownPatient, type KnownPatient, type KnownPatientDependencies } from "./known-patient.ts";
import { lockNewest, writeTry } from "./recognition-store.ts";
import { RECOGNITION_CODE_HASH } from "./send-recognition-code.ts";

export interface VerifyRecognitionDependencies extends KnownPatientDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "matches">;
  readonly cardProcessor: Pick<CardProcessor, "listKeptCards">;
  /** Puts a saved card on an order whose patient was recognised. Returns the order; `null` if the card cannot be used. */
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
 * Answers a code. The right one has the registry's match of before count for this order, names the patient's saved cards and puts
 * the newest on the order. While it lives it gives the same answer again, because an answer may be lost. Every try is
 * stored under the code's lock. Throws `order_not_payable`, `recovery_code_invalid`, and `recovery_code_expired` also where
 * what made the patient known has ended since the code was sent.
 */
export async function verifyRecognition(
  dependencies: VerifyRecognitionDependencies,
  request: RecognitionTry,
): Promise<VerifyRecognitionResponse> {
  const { provider, now } = request;
  if (!isPayable(request.order.state)) throw new ApiError("order_not_payable");
  const judged = await inTransaction(dependencies.db, (tx) => judge(dependencies, tx, request));
  // A wrong try must be committed, so its error is thrown only after the transaction.
  if ("attemptsLeft" in judged) throw new ApiError("recovery_code_invalid", { attempts_left: judged.attemptsLeft });
  if (judged.known === null) throw new ApiError("recovery_code_expired");
  const cards = await usableCards(dependencies, request, judged.known);
  const ready = await withCard(dependencies, { provider, order: judged.order, now }, cards);
  return { status: "recognised", cards: cards.map(savedCardView), order: patientOrder(ready, now) };
}

type Judged = { readonly attemptsLeft: number } | { readonly known: KnownPatient | null; readonly order: OrderRecord };

async function judge(
  dependencies: VerifyRecognitionDependencies,
  tx: Transaction,
  { provider, order, code, now }: RecognitionTry,
): Promise<Judged> {
  const sent = await lockNewest(tx, order);
  const tried = judgeTry(dependencies.keyring, RECOGNITION_CODE_HASH, { sent, code, now });
  const { id, verifiedAt } = tried.sent;
  if (!tried.isRight) {
    await writeTry(tx, id, { tries: tried.tries, verifiedAt });
    const subject = { kind: "order", id: order.orderId } as const;
    await auditWrongCode(tx, dependencies, { providerId: provider.id, subject, sent: tried.sent, at: now });
    return { attemptsLeft: CODE_TRIES_MAX - tried.tries };
  }
  const known = await findKnownPatient(dependencies, tx, { provider, order, now });
  if (known === null || known.patient.id !== tried.sent.beneficiaryId) return { known: null, order };
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
  return { known, order: trusted };
}

/**
 * The saved cards that the processor still keeps and that do not expire too soon, as their issuers know them now; none while
 * it does not answer, and the patient types a card.
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

/** The order with the newest saved card that can be used, unless it has a card or the identity is still to be proved. */
async function withCard(
  { chooseCard }: VerifyRecognitionDependencies,
  { provider, order, now }: Omit<RecognitionTry, "code">,
  cards: readonly SavedCard[],
): Promise<OrderRecord> {
  if (order.card !== null || order.identityValidatedAt === null) return order;
  for (const { id } of cards) {
    const chosen = await chooseCard({ provider, order, savedCardId: id, now });
    if (chosen !== null) return chosen;
  }
  return order;
}
