/* Visits of the card processor's page, for another feature that a card is given to. */

import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { CardRegistration, GivenWithCard, RegistrationPurpose } from "./card-registration.ts";
import { dropOpenRegistrations, findRegistration, lastRegistration, writeGiven } from "./card-registration-store.ts";
import type { OrderKey } from "./order-store.ts";

/** The last visit of an order's patient for a purpose; with `widgetTokenId`, of those that this link began. */
export function lastVisit(
  db: Database,
  key: OrderKey,
  of: { readonly purpose: RegistrationPurpose; readonly widgetTokenId?: string },
): Promise<CardRegistration | null> {
  return lastRegistration(db, key, of);
}

/** A visit by its id; null if the order has none with it. */
export function findVisit(db: Database, key: OrderKey, id: string): Promise<CardRegistration | null> {
  return findRegistration(db, key, id);
}

/** Drops a visit that is open, because the patient begins anew. The order is locked. */
export function dropOpenVisit(
  tx: Transaction,
  key: OrderKey,
  { purpose, at }: { readonly purpose: RegistrationPurpose; readonly at: Date },
): Promise<void> {
  return dropOpenRegistrations(tx, key, purpose, at);
}

/** Keeps what the patient gave with their last press, for a visit that is open already. The order is locked. */
export function keepGiven(tx: Transaction, visit: CardRegistration, given: GivenWithCard | null): Promise<void> {
  return writeGiven(tx, visit, given);
}
