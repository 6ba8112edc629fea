import type { DeclineReason } from "../../src/contract/errors.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { RegisteredCard } from "../../src/gateways/card-processor.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import type { CardBehaviour } from "./card.ts";

/** A card that was sealed in the browser, without its number and security code. */
export type SealedBefore = Required<Omit<RegisteredCard, "id" | "authenticatedAt">> & {
  readonly behaviour: CardBehaviour;
};

/** One visit of the processor's own page. */
export interface PageVisit {
  readonly id: string;
  readonly providerId: string;
  readonly orderHash: OrderId;
  readonly returnUrl: string;
  readonly state: "pending" | "registered" | "declined" | "abandoned";
  /** Null if the card is typed on the page. */
  readonly sealed: SealedBefore | null;
  readonly cardId: string | null;
  readonly declineReason: DeclineReason | null;
  readonly expiresAt: Date;
  readonly pageExpiresAt: Date;
}

export async function insertVisit(
  tx: Transaction,
  visit: Omit<PageVisit, "state" | "cardId" | "declineReason">,
  createdAt: Date,
): Promise<void> {
  await tx
    .insertInto("sandbox_card_registrations")
    .values({
      id: visit.id,
      provider_id: visit.providerId,
      order_hash: visit.orderHash,
      return_url: visit.returnUrl,
      state: "pending",
      sealed: visit.sealed === null ? null : JSON.stringify(visit.sealed),
      expires_at: visit.expiresAt,
      page_expires_at: visit.pageExpiresAt,
      created_at: createdAt,
    })
    .execute();
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function findVisit(db: Database, id: string): Promise<PageVisit | undefined> {
  if (!UUID.test(id)) return undefined;
  const row = await db.selectFrom("sandbox_card_registrations").selectAll().where("id", "=", id).executeTakeFirst();
  return (
    row && {
      id: row.id,
      providerId: row.provider_id,
      orderHash: row.order_hash,
      returnUrl: row.return_url,
      state: row.state,
      sealed: row.sealed as SealedBefore | null,
      cardId: row.card_id,
      declineReason: row.decline_reason,
      expiresAt: row.expires_at,
      pageExpiresAt: row.page_expires_at,
    }
  );
}

/** How a visit ends. */
export type VisitEnd =
  | { readonly state: "registered"; readonly cardId: string }
  | { readonly state: "declined"; readonly reason: DeclineReason }
  | { readonly state: "abandoned" };

/** Ends a pending visit; one that has ended stays unchanged. Returns whether it was pending. */
export async function endVisit(db: Database, id: string, end: VisitEnd): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("sandbox_card_registrations")
    .set({
      state: end.state,
      sealed: null,
      ...(end.state === "registered" && { card_id: end.cardId }),
      ...(end.state === "declined" && { decline_reason: end.reason }),
    })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
