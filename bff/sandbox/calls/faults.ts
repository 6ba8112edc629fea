/**
 * The faults that a tenant of the sandbox can request for the next calls of a gateway's method. `kill_after` kills the
 * service's own process and works only if the process was started with permission for it.
 */
export const FAULT_CAUSES = {
  slow: "It takes effect, and neither the call nor an inquiry has an answer for 45 seconds of the tenant's time.",
  fail_before: "It never arrives: nothing happens, and an inquiry finds nothing.",
  fail_after: "It takes effect, and the answer is lost.",
  twice: "It arrives twice under the same idempotency key.",
  kill_after: "It takes effect, and then the service's process is killed before it hears of it.",
} as const;
export type FaultKind = keyof typeof FAULT_CAUSES;

/** How long a call with the fault `slow` takes. */
export const SLOW_SECONDS = 45;

/** The gateways that can have faults, with their methods. */
export const FAULT_METHODS = {
  "card-processor": [
    "registerCard",
    "inquireRegistration",
    "keepCard",
    "inquireKeptCard",
    "registerStoredCard",
    "forgetCard",
    "inquireForgotten",
    "removeCard",
    "inquireRemoval",
    "listKeptCards",
    "authenticate",
    "inquireAuthentication",
    "charge",
    "inquireCharge",
    "returnCharge",
    "inquireReturn",
    "listMovements",
    "listSettlements",
  ],
  "financing-provider": [
    "authoriseLoan",
    "inquireLoan",
    "confirmLoan",
    "inquireConfirmation",
    "reduceLoan",
    "inquireReduction",
    "reportLoan",
    "inquireReport",
    "listLoans",
  ],
  "identity-registry": ["check"],
  insurer: ["fileClaim", "inquireFiling", "inquireClaim"],
  messenger: ["sendEmail", "sendMessage"],
  bank: ["transfer", "inquireTransfer", "listTransfers"],
  "tax-documents": ["issueDocument", "inquireDocument", "listDocuments"],
} as const;
export type FaultyGateway = keyof typeof FAULT_METHODS;

export interface Fault {
  readonly party: FaultyGateway;
  readonly method: string;
  readonly kind: FaultKind;
  /** How many more calls have this fault. */
  readonly calls: number;
}

/** Whether the gateway has a method of this name. */
export function isFaultPoint(party: string, method: string): party is FaultyGateway {
  return Object.entries(FAULT_METHODS).some(
    ([name, methods]) => name === party && methods.some((known) => known === method),
  );
}
