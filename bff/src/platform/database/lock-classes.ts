/**
 * The classes of advisory locks, each with separate ids. The numbers are arbitrary but must never change: processes of
 * two versions exclude each other by them.
 */
export const LOCK_CLASSES = {
  /** By provider: its log of events. */
  log: 7_236_103,
  /** By person: the attempts to validate their identity. */
  identityTries: 7_236_120,
  /** By RUT: proving its identity. */
  rut: 7_236_121,
  /** By provider: bookings share it, closing a day takes it exclusively (`0151_ledger_balances.sql`). */
  closing: 7_236_131,
  /** By operator: the amounts that they decide alone. */
  soloAmounts: 7_236_190,
  /** One id: the list of operators. */
  operators: 7_236_191,
} as const;
