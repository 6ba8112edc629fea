import type { SavedCardView } from "../contract/orders.ts";
import type { KeptCard } from "../gateways/card-processor.ts";
import { type Beneficiary, isPseudonym } from "../patients/beneficiary.ts";
import { noteIdentityMatch } from "../patients/patients.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { scheduleTimers } from "../platform/timers/timer-store.ts";
import { askToRemove } from "./card-removals.ts";
import { shownExpiry } from "./order-view.ts";
import {
  type KeptCardRecord,
  readKeptCards,
  readUses,
  type SavedCardRecord,
  type SavedCardUse,
  takeOffOrders,
  writeRemoving,
  writeShown,
} from "./saved-cards/saved-card-store.ts";

/*
 * Saved cards: a patient may have the processor keep the card of an order for later ones. The service stores the
 * processor's id and the data that may be shown. A card is saved once it has paid the order, and removed when its
 * patient asks for it.
 */

export type { KeptCardRecord as SavedCard, SavedCardUse } from "./saved-cards/saved-card-store.ts";

/** Asks the processor to save or remove a card, until it has answered. */
export const SETTLE_SAVED_CARD_TIMER = "saved_card.settle";

/** The timer that settles a card in its current state. */
export function settlingTimer({ id, providerId, state }: SavedCardRecord, dueAt: Date) {
  return {
    kind: SETTLE_SAVED_CARD_TIMER,
    key: `${id}:${state}`,
    providerId,
    dueAt,
    payload: { saved_card_id: id },
  };
}

/** A patient's saved cards, newest first. */
export async function savedCardsOf(db: Database, patient: Beneficiary): Promise<readonly KeptCardRecord[]> {
  return isPseudonym(patient) ? [] : readKeptCards(db, { beneficiaryId: patient.id, states: ["saved"] });
}

/** The cards of a patient that the processor keeps: saved ones, and those with an unconfirmed removal. */
export function cardsKeptOf(db: Database, { id }: Beneficiary): Promise<readonly KeptCardRecord[]> {
  return readKeptCards(db, { beneficiaryId: id, states: ["saved", "removing"] });
}

/** The orders for which a patient's saved cards were chosen, oldest first. */
export function usesOfSavedCards(db: Database, beneficiaryId: string): Promise<SavedCardUse[]> {
  return readUses(db, beneficiaryId);
}

/**
 * The saved cards that the processor still keeps, with their issuers' current data. A replaced card is shown with its
 * new digits from now on.
 */
export async function asKeptNow(
  db: Database,
  cards: readonly KeptCardRecord[],
  kept: readonly KeptCard[],
): Promise<readonly KeptCardRecord[]> {
  const now: KeptCardRecord[] = [];
  for (const card of cards) {
    const found = kept.find(({ storedCardId }) => storedCardId === card.storedCardId);
    if (found === undefined) continue;
    const { brand, last4, expMonth, expYear } = found;
    const shown = { brand, last4, expMonth, expYear };
    if (Object.entries(shown).some(([name, value]) => card[name as keyof typeof shown] !== value))
      await writeShown(db, { id: card.id, ...shown });
    now.push({ ...card, ...shown });
  }
  return now;
}

/** A saved card as a message names it. With new digits from its issuer, it counts as another card. */
export interface NamedCard {
  readonly id: string;
  readonly last4: string;
}

/** Whether a saved card is the one in a message. */
export function isNamedCard(named: NamedCard | null, { id, last4 }: NamedCard): boolean {
  return named?.id === id && named.last4 === last4;
}

/** A saved card as its patient sees it. */
export function savedCardView({ id, brand, last4, ...card }: KeptCardRecord): SavedCardView {
  return { id, brand, last4, ...shownExpiry(card) };
}

/**
 * Takes a patient's saved cards out of use at once, all of them or one (`id`), also on unpaid orders, and has the
 * processor remove them. A payment in progress continues, because its patient started it. Returns whether there was
 * any.
 */
export async function removeSavedCards(
  tx: Transaction,
  { clock }: { readonly clock: Clock },
  of: { readonly beneficiaryId: string; readonly id: string | null; readonly at: Date },
): Promise<boolean> {
  const removed = await writeRemoving(tx, of);
  if (removed.length === 0) return false;
  const takenOff = await takeOffOrders(
    tx,
    removed.map(({ id }) => id),
    of.at,
  );
  for (const card of takenOff) await askToRemove(tx, { clock }, card, { cardIds: [card.cardId], at: of.at });
  const dueAt = clock.now();
  await scheduleTimers(
    tx,
    removed.map((card) => settlingTimer(card, dueAt)),
  );
  return true;
}

/**
 * Ends trust in a recognition that may not have been the patient's: after an objection or a lost chargeback. Removes
 * their saved cards; the registry must match them again.
 */
export async function endTrust(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  patient: Beneficiary,
  at: Date,
): Promise<void> {
  await noteIdentityMatch(tx, patient, null);
  await removeSavedCards(tx, dependencies, { beneficiaryId: patient.id, id: null, at });
}
