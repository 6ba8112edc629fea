import * as z from "zod/mini";
import { clpSchema } from "../contract/vocabulary/clp.ts";
import type { PayloadsOf } from "../platform/outbox.ts";

/** The events that refunds publish besides those of their order. Partners do not receive them. */
export const refundEvents = {
  /** An operator has made the bank transfer that a refund owed. `amount` includes the commission. */
  "refund.transfer_made": z.object({ order_hash: z.string(), movement_id: z.string(), amount: clpSchema }),
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof refundEvents> {}
}
