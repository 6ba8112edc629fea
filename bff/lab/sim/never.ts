/**
 * The longest time that a Node timer can wait, 24 days. Limits and intervals are set to it so that only the seed
 * decides what happens in a life, and not the load of the machine: no payment is answered late, no wait for the one
 * session times out, no lease is renewed, and no table is vacuumed, which would change plans.
 */
export const NEVER_MS = 2 ** 31 - 1;
