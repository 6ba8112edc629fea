import { CODE_DIGITS, CODE_LIFETIME_MINUTES, CODES_PER_DAY_MAX } from "../../contract/terms.ts";
import { DAY_MS, MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import { orderHashSchema } from "../../contract/vocabulary/identifiers.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { findOrder } from "../../orders/order-reads.ts";
import { declinedCards } from "../../orders/order-view.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import { isOpenToTries } from "../issue-code.ts";
import { findKnownPatient, type KnownPatientDependencies } from "../known-patient.ts";
import { cardOfCode } from "./code-terms.ts";
import { areAllAnswered, countSent, lockRecognition, writeCode } from "./recognition-store.ts";

/** The keyring purpose of the hash of a code. */
export const RECOGNITION_CODE_HASH = "recognition.code";

export interface SendRecognitionDependencies extends NotifyPatientDependencies, KnownPatientDependencies {
  readonly db: Database;
  readonly keyring: Pick<Keyring, "hmac" | "seal">;
  readonly findProvider: (providerId: string) => Promise<Provider>;
  /** The host of the widget. Browsers fill the code in only there. */
  readonly widgetHost: string;
}

/**
 * Sends the code of a request to the patient of its order, if they are known and the requested card is theirs.
 * Otherwise sends nothing.
 */
export async function sendRecognitionCode(
  dependencies: SendRecognitionDependencies,
  { key: id, providerId, payload }: ClaimedTimer,
): Promise<void> {
  const { db, clock, ids, keyring } = dependencies;
  const orderId = orderHashSchema.parse((payload as { readonly order_id?: unknown }).order_id);
  const provider = await dependencies.findProvider(providerId);
  const now = providerNow(provider, clock.now());
  await inTransaction(db, async (tx) => {
    const requested = await lockRecognition(tx, id);
    const order = await findOrder(tx, { providerId, orderId });
    if (requested === null || requested.codeHash !== "" || order === null || !isOpenToTries(requested, now)) return;
    const known = await findKnownPatient(dependencies, tx, { provider, order, now });
    if (known === null) return;
    const { patient, clinic } = known;
    const card = cardOfCode({ cards: known.cards, declined: declinedCards(order) }, requested.askedCard, now);
    if (card === undefined) return;
    const terms = { clinic, total: order.total, today: order.first, card };
    // A daily limit per patient across clinics, which each create orders. It is silent, as every refusal here is.
    const since = new Date(now.getTime() - DAY_MS);
    if ((await countSent(tx, { beneficiaryId: patient.id, since })) >= CODES_PER_DAY_MAX) return;
    const code = ids.digits(CODE_DIGITS);
    await writeCode(tx, id, {
      beneficiaryId: patient.id,
      codeHash: keyring.hmac(RECOGNITION_CODE_HASH, `${id}:${code}`),
      terms,
    });
    await notifyPatient(dependencies, tx, {
      provider,
      about: { clinic, reference: order.reference, paidOn: null, cardEnding: null },
      cause: `recognition_code:${id}`,
      to: patient.email,
      // An unanswered code may not have arrived: a number may be wrong, or receive no messages.
      ...((await areAllAnswered(tx, requested)) && { telephone: patient.phoneNumber }),
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: {
        kind: "recognition_code",
        code,
        host: dependencies.widgetHost,
        ...terms,
        cardEnding: card?.last4 ?? null,
      },
      usefulForMs: CODE_LIFETIME_MINUTES * MINUTE_MS,
    });
  });
}
