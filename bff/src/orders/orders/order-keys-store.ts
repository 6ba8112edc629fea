import { type RawBuilder, sql } from "kysely";

/*
 * Sets of orders as SQL, for statements of other rooms that ask whether an order of theirs is one of them.
 */

/** Orders that were refunded in full, with since when: `provider_id, id, updated_at`. */
export const refundedOrderKeys: RawBuilder<unknown> = sql`
  select provider_id, id, updated_at from orders where state = 'refunded'`;
