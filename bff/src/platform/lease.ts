/** Who works on what is written down, and until when (real time) that is believed. */
export interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** Longer than an inquiry and a call to a gateway may take together; a lease is prolonged with each answer that is written. */
const LEASE_MS = 30_000;

export function leaseFrom(realNow: Date, id: string): Lease {
  return { id, until: new Date(realNow.getTime() + LEASE_MS) };
}
