/**
 * The longest time that a Node timer can wait, 24 days. Limits and intervals are set to it so that only the seed, and
 * not the machine's load, decides a life. No payment is answered late, no wait for the one session times out, no lease
 * is renewed, and no table is vacuumed, which would change plans.
 */
export const NEVER_MS = 2 ** 31 - 1;
