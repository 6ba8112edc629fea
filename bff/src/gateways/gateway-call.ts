import {
  INQUIRY_DELAY_LAST_SECONDS,
  INQUIRY_DELAYS_SECONDS,
  TAKEN_DELAY_LAST_SECONDS,
  TAKEN_DELAYS_SECONDS,
} from "../contract/terms.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";

/** A connector that answers later, or with more, has not answered. */
export const CONNECTOR_DEADLINE_MS = 10_000;
export const CONNECTOR_ANSWER_BYTES_MAX = 1024 * 1024;

/** The fields that every gateway call carries. */
export interface GatewayCall {
  readonly providerId: string;
  /** Derived from the stored attempt, so that a repeated call has the key of the first and no second effect. */
  readonly idempotencyKey: string;
  /** The moment of the call in the provider's time. */
  readonly at: Date;
  /** As in `AttemptCall`; absent for a call outside `runCall`. */
  readonly connector?: string | null;
}

/** A call of a stored attempt. */
export interface AttemptCall extends GatewayCall {
  /**
   * The name of the connector that took the call. Another one does not know the key, so it gets neither a repeat nor an
   * inquiry. Null: a repeat at another connector does no harm, or an earlier version stored the call.
   */
  readonly connector: string | null;
}

/** The names of the connectors that attempts record, by party. */
export interface CallConnectors {
  readonly cardProcessor: string;
  readonly financingProvider: string;
  readonly insurer: string;
  readonly bank: string;
  readonly taxDocuments: string;
}

/** The gateway gave no valid answer in time. The outcome is resolved by inquiry and never assumed to be a failure. */
export interface Unknown {
  readonly outcome: "unknown";
}

/** The answer to an inquiry about a call that never arrived. */
export interface NotFound {
  readonly outcome: "not_found";
}

/** The actual answers to a call. */
export type Answered<Outcome> = Exclude<Outcome, Unknown | NotFound>;

/** Thrown when a gateway fails to answer a read operation, such as a list or a public key. */
export class GatewayUnavailable extends Error {
  override readonly name = "GatewayUnavailable";
  readonly code = "outside_party_unavailable";
}

/**
 * The time of the next inquiry about a call, in the time of `now`, after this many inquiries without an answer.
 * `isTaken`: the gateway has accepted the call, but not completed it. The intervals are business terms.
 */
export function inquiryAt(now: Date, { inquiries = 0, isTaken = false } = {}): Date {
  const seconds = isTaken
    ? (TAKEN_DELAYS_SECONDS[inquiries] ?? TAKEN_DELAY_LAST_SECONDS)
    : (INQUIRY_DELAYS_SECONDS[inquiries] ?? INQUIRY_DELAY_LAST_SECONDS);
  return new Date(now.getTime() + seconds * SECOND_MS);
}
