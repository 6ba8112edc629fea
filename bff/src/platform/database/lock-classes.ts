/**
 * The classes of advisory locks, each with ids of its own. The numbers are arbitrary, and stay as they are: processes
 * of two versions lock each other out by them.
 */
export const LOCK_CLASSES = {
  /** By provider: its log of events. */
  log: 7_236_103,
  /** By person: the tries to validate their identity. */
  identityTries: 7_236_120,
  /** By RUT: who proves it. */
  rut: 7_236_121,
  /** By provider: who books shares it, and who closes days holds it alone (`0151_ledger_balances.sql`). */
  closing: 7_236_131,
  /** By operator: what they give away alone. */
  soloAmounts: 7_236_190,
  /** One id: who is an operator. */
  operators: 7_236_191,
} as const;
