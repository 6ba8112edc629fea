/** What every call to an outside party carries, whichever the party. */
export interface GatewayCall {
  readonly providerId: string;
  /** Made from the attempt that was written down before the call: a repeat of the call has the effect of the first. */
  readonly idempotencyKey: string;
  /** The moment of the call in the provider's time. */
  readonly at: Date;
}

/** The party did not answer in time, answered garbage, or the answer was lost: settle by inquiry, never assume a failure. */
export interface Unknown {
  readonly outcome: "unknown";
}

/** What a party answers to an inquiry about a call that never arrived. */
export interface NotFound {
  readonly outcome: "not_found";
}

/** What a party said to a call, where it said anything. */
export type Answered<Outcome> = Exclude<Outcome, Unknown | NotFound>;
