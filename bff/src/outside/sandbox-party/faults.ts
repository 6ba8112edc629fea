/**
 * Misbehaviour that a tenant of the sandbox may ask for: the next calls of one method of one outside party
 * - `fail_before`: never arrive; nothing happens, and an inquiry finds nothing;
 * - `fail_after`: take effect, and the answer is lost;
 * - `slow`: take effect, and neither the call nor an inquiry has an answer for 45 seconds of the tenant's time;
 * - `twice`: arrive twice under the same idempotency key;
 * - `kill_after`: take effect, and then our own process is killed before it hears of it. Only where the process was
 *   started so that it may be killed.
 */
export const FAULT_KINDS = ["slow", "fail_before", "fail_after", "twice", "kill_after"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How long a `slow` call takes. */
export const SLOW_SECONDS = 45;

/** What can misbehave, and the methods of its port. */
export const FAULT_METHODS = {
  "card-processor": [
    "registerCard",
    "authenticate",
    "inquireAuthentication",
    "charge",
    "inquireCharge",
    "returnCharge",
    "inquireReturn",
  ],
  "financing-provider": [
    "authoriseLoan",
    "inquireLoan",
    "confirmLoan",
    "inquireConfirmation",
    "reduceLoan",
    "inquireReduction",
  ],
  "identity-registry": ["check"],
  insurer: ["fileClaim", "inquireFiling", "inquireClaim"],
  messenger: ["sendEmail"],
} as const;
export type FaultyParty = keyof typeof FAULT_METHODS;

export interface Fault {
  readonly party: FaultyParty;
  readonly method: string;
  readonly kind: FaultKind;
  /** How many calls are still to misbehave. */
  readonly calls: number;
}

/** True when the party has a method of this name. */
export function isFaultPoint(party: string, method: string): party is FaultyParty {
  return Object.entries(FAULT_METHODS).some(
    ([name, methods]) => name === party && methods.some((known) => known === method),
  );
}
