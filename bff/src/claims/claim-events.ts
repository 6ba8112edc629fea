import * as z from "zod/mini";
import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import type { ClaimRecord } from "./claim-store.ts";

const claimNewsSchema = z.enum([
  "claim.filed",
  "claim.held",
  "claim.approved",
  "claim.rejected",
  "access.missing",
  "access.blocked",
]);
export type ClinicNews = z.output<typeof claimNewsSchema>;

/** The events that claims publish. */
export const claimEvents = {
  /** A claim has reached a state that its clinic may want to know. */
  "claim.moved": z.object({ order_hash: z.string(), news: claimNewsSchema }),
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof claimEvents> {}
}

export async function publishClaimNews(
  tx: Transaction,
  ids: Ids,
  { providerId, orderId }: Pick<ClaimRecord, "providerId" | "orderId">,
  news: ClinicNews,
  at: Date,
): Promise<void> {
  const payload = { order_hash: orderId, news };
  await publishEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId,
    kind: "claim.moved",
    sequence: null,
    payload,
    createdAt: at,
  });
}
