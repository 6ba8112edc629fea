import { createHash } from "node:crypto";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";

/** What an operator may do about something, each with an audit row. */
export const RESOLUTIONS = {
  retry: "charge again, with the card as it is now, within the caps of the card brands",
  release: "let the collection go on",
  write_off: "give the collection up for good",
  chargeback_won: "the bank has given the money back: nothing is booked",
  chargeback_lost: "the bank keeps the money: book that the service bears it",
  file_again: "file the claim again, with the documents that are there",
  give_up_claim: "give the claim up: nothing is filed any more",
  claim_withdrawn: "it was withdrawn at the insurer: it is not asked about any more",
  ask_again: "ask the outside party now what became of it",
  paid_back: "book that the patient was paid back otherwise; the note says how",
  send_again: "send it again, to the same address",
  handled: "put it aside; it comes back if it happens again",
} as const;
export type Resolution = keyof typeof RESOLUTIONS;

/** What needs a person, and what a person can do about it beside looking. */
export const EXCEPTION_KINDS = {
  collection_failed: { means: "The deferred part was given up.", acts: ["retry", "write_off", "handled"] },
  collection_stopped: {
    means: "The patient's bank took money back; the collection waits.",
    acts: ["release", "chargeback_lost", "write_off"],
  },
  chargeback: {
    means: "The patient's bank took money back.",
    acts: ["chargeback_won", "chargeback_lost", "handled"],
  },
  claim_held: { means: "The claim waits for a document.", acts: ["file_again", "give_up_claim", "handled"] },
  claim_without_access: { means: "The claim waits for access to the insurer.", acts: ["give_up_claim", "handled"] },
  claim_of_refunded_order: {
    means: "A claim was filed for an order that was given back in full.",
    acts: ["claim_withdrawn", "handled"],
  },
  money_not_returned: { means: "Money could not be given back to a card.", acts: ["paid_back", "handled"] },
  outcome_unknown: { means: "Nobody knows how a call to an outside party ended.", acts: ["ask_again", "handled"] },
  notice_undelivered: { means: "A mail to the patient could not be delivered.", acts: ["send_again", "handled"] },
  payout_refused: { means: "The bank refused a payout.", acts: ["handled"] },
  payee_without_account: { means: "A payee has told no bank account.", acts: ["handled"] },
  difference: { means: "Books and a party's list do not agree.", acts: ["handled"] },
  list_unavailable: { means: "A party's list could not be had for two days or more.", acts: ["handled"] },
} as const satisfies Record<string, { means: string; acts: readonly Resolution[] }>;
export type ExceptionKind = keyof typeof EXCEPTION_KINDS;

export interface ExceptionName {
  readonly providerId: string;
  readonly kind: ExceptionKind;
  /** What it is about: an order, a claim, a payout, a difference. */
  readonly subject: string;
}

export interface Exception extends ExceptionName {
  readonly orderId: OrderHash | null;
  /** Since when, in the provider's time. */
  readonly since: Date;
  /** What else is known, in one word or number each; nothing personal. */
  readonly facts: Readonly<Record<string, string | number | null>>;
}

/**
 * How an operator names a matter: `collection_failed:<provider>:<order>@<as it was>`. The end changes with what is known of
 * it, so that nothing is done about what has changed since it was listed.
 */
export function exceptionId(exception: Exception): string {
  const { kind, providerId, subject } = exception;
  return `${kind}:${providerId}:${subject}@${versionOf(exception)}`;
}

/** A short name for what is known of a matter. */
export function versionOf({ since, facts }: Pick<Exception, "since" | "facts">): string {
  const known = JSON.stringify([since.getTime(), Object.entries(facts).toSorted(([a], [b]) => a.localeCompare(b))]);
  return createHash("sha256").update(known).digest("hex").slice(0, 8);
}

/** Reads what an operator typed; `null` for what names no matter. */
export function readExceptionId(text: string): (ExceptionName & { readonly version: string }) | null {
  const [, name = "", version = ""] = /^(.+)@([0-9a-f]{8})$/.exec(text) ?? [];
  const [kind = "", providerId = "", ...subject] = name.split(":");
  const isNamed = isExceptionKind(kind) && /^[0-9a-f-]{36}$/.test(providerId) && subject.length > 0;
  return isNamed ? { kind, providerId, subject: subject.join(":"), version } : null;
}

function isExceptionKind(text: string): text is ExceptionKind {
  return Object.hasOwn(EXCEPTION_KINDS, text);
}

/** May this be done about this? */
export function takesAct({ kind }: Pick<Exception, "kind">, act: Resolution): boolean {
  const acts: readonly Resolution[] = EXCEPTION_KINDS[kind].acts;
  return acts.includes(act);
}
