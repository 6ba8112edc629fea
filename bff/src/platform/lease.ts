/** The process that works on a row, and until when (real time). */
export interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** Longer than one inquiry and one gateway call together. Each recorded answer renews the lease. */
const LEASE_MS = 30_000;

export function leaseFrom(realNow: Date, id: string): Lease {
  return { id, until: new Date(realNow.getTime() + LEASE_MS) };
}
