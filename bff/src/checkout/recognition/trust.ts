import { CONTACT_SETTLES_DAYS } from "../../contract/terms.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";

/** What decides whether the patient of an order may be recognised by a code. */
export interface TrustFacts {
  /** Whether the provider has it set. */
  readonly isOffered: boolean;
  readonly identityMatchedAt: Date | null;
  /** The provider's setting. */
  readonly identityTrustedDays: number;
  readonly contactChangedAt: Date | null;
  readonly isErasing: boolean;
  /** Whether nothing is to be done with the patient's data for the time being. */
  readonly isBlocked: boolean;
  /** Whether the order names another mailbox than the patient's record. */
  readonly collides: boolean;
  readonly hasSavedCards: boolean;
}

/** What a right code is good for. */
export interface Trust {
  /** Whether the registry's match counts for the order; otherwise the patient is asked for the document. */
  readonly identity: boolean;
  /** Whether saved cards are offered. */
  readonly cards: boolean;
}

/** What the patient would not be asked for again; `null`: a code would be good for nothing, and none is sent. */
export function trustOf(facts: TrustFacts, now: Date): Trust | null {
  const { identityMatchedAt: matched, contactChangedAt: changed } = facts;
  if (!facts.isOffered || facts.isErasing || facts.isBlocked || facts.collides) return null;
  if (changed !== null && isWithin(changed, CONTACT_SETTLES_DAYS, now)) return null;
  // Who has no match, and no card that was kept after one, is only a mailbox with a RUT beside it.
  const identity = matched !== null && isWithin(matched, facts.identityTrustedDays, now);
  const trust = { identity, cards: facts.hasSavedCards };
  return trust.identity || trust.cards ? trust : null;
}

function isWithin(since: Date, days: number, now: Date): boolean {
  return now.getTime() - since.getTime() < days * DAY_MS;
}
