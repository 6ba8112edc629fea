/** What every call to any gateway carries. */
export interface GatewayCall {
  readonly providerId: string;
  /** Derived from the stored attempt, so that a repeated call has the key of the first and no second effect. */
  readonly idempotencyKey: string;
  /** The moment of the call in the provider's time. */
  readonly at: Date;
}

/**
 * The gateway did not answer in time, or not with a valid answer. The outcome is settled by inquiry and never assumed
 * to be a failure.
 */
export interface Unknown {
  readonly outcome: "unknown";
}

/** The answer to an inquiry about a call that never arrived. */
export interface NotFound {
  readonly outcome: "not_found";
}

/** The actual answers to a call. */
export type Answered<Outcome> = Exclude<Outcome, Unknown | NotFound>;
