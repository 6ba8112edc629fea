import { CONTACT_SETTLES_DAYS } from "../../contract/terms.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";

/** The facts that decide whether a code may recognise the patient of an order. */
export interface TrustFacts {
  /** Whether the provider offers recognition. */
  readonly isOffered: boolean;
  readonly identityMatchedAt: Date | null;
  /** The provider's setting. */
  readonly identityTrustedDays: number;
  readonly contactChangedAt: Date | null;
  readonly isErasing: boolean;
  /** Whether processing of the patient's data is blocked. */
  readonly isBlocked: boolean;
  /** Whether the order names an e-mail address other than the patient's record. */
  readonly collides: boolean;
  readonly hasSavedCards: boolean;
}

/** The effect of a right code. */
export interface Trust {
  /** Whether the registry's match counts for the order. If not, the patient must enter their document. */
  readonly identity: boolean;
  /** Whether saved cards are offered. */
  readonly cards: boolean;
}

/** The steps that the patient need not repeat. Null if a code would unlock nothing; then none is sent. */
export function trustOf(facts: TrustFacts, now: Date): Trust | null {
  const { identityMatchedAt: matched, contactChangedAt: changed } = facts;
  if (!facts.isOffered || facts.isErasing || facts.isBlocked || facts.collides) return null;
  if (changed !== null && isWithin(changed, CONTACT_SETTLES_DAYS, now)) return null;
  // Without a match, and without a card saved after one, the record proves only a mailbox and a RUT.
  const identity = matched !== null && isWithin(matched, facts.identityTrustedDays, now);
  const trust = { identity, cards: facts.hasSavedCards };
  return trust.identity || trust.cards ? trust : null;
}

function isWithin(since: Date, days: number, now: Date): boolean {
  return now.getTime() - since.getTime() < days * DAY_MS;
}
