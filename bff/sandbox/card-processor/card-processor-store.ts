import { sql } from "kysely";
import type { CardBrand, CardKind } from "../../src/contract/orders.ts";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { ProcessorMovement, RegisteredCard } from "../../src/gateways/card-processor.ts";
import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { AGAIN } from "../calls/sandbox-call.ts";
import type { CardBehaviour } from "./card.ts";

export type AuthenticationState = "pending" | "authenticated" | "failed" | "abandoned";

/** A card as the sandbox's processor stores it, without its number and security code. */
export interface StoredCard {
  readonly id: string;
  readonly providerId: string;
  readonly orderHash: OrderId;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName: string;
  readonly kind: CardKind;
  readonly behaviour: CardBehaviour;
  readonly chargesCaptured: number;
  readonly chargesDeclined: number;
  readonly callsLost: number;
  readonly registeredAt: Date;
}

/** A card as the processor reports it: one enrolled in a window like Transbank's, without expiry and holder. */
export function reportedCard(card: NewCard): RegisteredCard {
  const { id, brand, last4, expMonth, expYear, holderName, kind, behaviour, registeredAt } = card;
  if (behaviour === "enrolled_in_window") return { id, brand, last4, kind, authenticatedAt: registeredAt };
  return { id, brand, last4, expMonth, expYear, holderName, kind };
}

export type NewCard = Omit<StoredCard, "chargesCaptured" | "chargesDeclined" | "callsLost">;

export async function insertCard(
  tx: Transaction,
  card: NewCard,
  /** The kept card that it was registered from; `null`: it was typed. */
  storedCardId: string | null,
): Promise<void> {
  await tx
    .insertInto("sandbox_cards")
    .values({
      id: card.id,
      provider_id: card.providerId,
      order_hash: card.orderHash,
      brand: card.brand,
      last4: card.last4,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      holder_name: card.holderName,
      kind: card.kind,
      behaviour: card.behaviour,
      charges_captured: 0,
      charges_declined: 0,
      calls_lost: 0,
      registered_at: card.registeredAt,
      stored_card_id: storedCardId,
    })
    .execute();
}

/** A provider's card that was not removed, locked until the end of the transaction. */
export function lockCard(
  tx: Transaction,
  card: { readonly providerId: string; readonly cardId: string },
): Promise<StoredCard | undefined> {
  return lockRow(tx, { ...card, isRemoved: false });
}

/** The card that a kept one was copied from. It may be removed; the kept one stays. */
export async function lockSource(
  tx: Transaction,
  card: { readonly providerId: string; readonly cardId: string },
): Promise<StoredCard | undefined> {
  return (await lockCard(tx, card)) ?? lockRow(tx, { ...card, isRemoved: true });
}

async function lockRow(
  tx: Transaction,
  { providerId, cardId, isRemoved }: { providerId: string; cardId: string; isRemoved: boolean },
): Promise<StoredCard | undefined> {
  const row = await tx
    .selectFrom("sandbox_cards")
    .selectAll()
    .where("id", "=", cardId)
    .where("provider_id", "=", providerId)
    .where("removed_at", isRemoved ? "is not" : "is", null)
    .forUpdate()
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      providerId: row.provider_id,
      orderHash: row.order_hash,
      brand: row.brand,
      last4: row.last4,
      expMonth: row.exp_month,
      expYear: row.exp_year,
      holderName: row.holder_name,
      kind: row.kind,
      behaviour: row.behaviour as CardBehaviour,
      chargesCaptured: row.charges_captured,
      chargesDeclined: row.charges_declined,
      callsLost: row.calls_lost,
      registeredAt: row.registered_at,
    }
  );
}

/** Removes an order's card, if it exists. */
export async function writeRemoved(
  tx: Transaction,
  {
    providerId,
    orderHash,
    cardId,
    at,
  }: { readonly providerId: string; readonly orderHash: OrderId; readonly cardId: string; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("sandbox_cards")
    .set({ removed_at: at })
    .where("id", "=", cardId)
    .where("provider_id", "=", providerId)
    .where("order_hash", "=", orderHash)
    .where("removed_at", "is", null)
    .execute();
}

/** Keeps a card for a customer. */
export async function insertKeptCard(
  tx: Transaction,
  kept: { readonly id: string; readonly cardId: string; readonly customer: string; readonly at: Date },
): Promise<void> {
  await tx
    .insertInto("sandbox_kept_cards")
    .values({ id: kept.id, card_id: kept.cardId, customer: kept.customer, kept_at: kept.at, forgotten_at: null })
    .execute();
}

/** The cards that are kept for a customer, oldest first, each with the provider and the order of its source. */
export async function findKeptCards(
  db: Database,
  customer: string,
): Promise<readonly { readonly storedCardId: string; readonly cardId: string; readonly providerId: string }[]> {
  const rows = await db
    .selectFrom("sandbox_kept_cards as kept")
    .innerJoin("sandbox_cards as card", "card.id", "kept.card_id")
    .select(["kept.id", "kept.card_id", "card.provider_id"])
    .where("kept.customer", "=", customer)
    .where("kept.forgotten_at", "is", null)
    .orderBy("kept.kept_at")
    .orderBy("kept.id")
    .execute();
  return rows.map((row) => ({ storedCardId: row.id, cardId: row.card_id, providerId: row.provider_id }));
}

/** Forgets a customer's card, if it is kept. */
export async function writeForgotten(
  tx: Transaction,
  { storedCardId, customer, at }: { readonly storedCardId: string; readonly customer: string; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("sandbox_kept_cards")
    .set({ forgotten_at: at })
    .where("id", "=", storedCardId)
    .where("customer", "=", customer)
    .where("forgotten_at", "is", null)
    .execute();
}

/** Counts one more charge of a card as captured, declined or lost. */
export async function countCharge(
  tx: Transaction,
  cardId: string,
  what: "charges_captured" | "charges_declined" | "calls_lost",
): Promise<void> {
  await tx
    .updateTable("sandbox_cards")
    .set({ [what]: sql`${sql.ref(what)} + 1` })
    .where("id", "=", cardId)
    .execute();
}

export interface StoredAuthentication {
  readonly id: string;
  readonly providerId: string;
  readonly cardId: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  readonly purpose: "payment" | "mandate";
  readonly returnUrl: string;
  readonly state: AuthenticationState;
  readonly expiresAt: Date;
  readonly pageExpiresAt: Date;
}

export async function insertAuthentication(
  tx: Transaction,
  authentication: Omit<StoredAuthentication, "state">,
  createdAt: Date,
): Promise<void> {
  await tx
    .insertInto("sandbox_authentications")
    .values({
      id: authentication.id,
      provider_id: authentication.providerId,
      card_id: authentication.cardId,
      order_hash: authentication.orderHash,
      amount: authentication.amount,
      purpose: authentication.purpose,
      return_url: authentication.returnUrl,
      state: "pending",
      expires_at: authentication.expiresAt,
      page_expires_at: authentication.pageExpiresAt,
      created_at: createdAt,
    })
    .execute();
}

export async function findAuthentication(db: Database, id: string): Promise<StoredAuthentication | undefined> {
  const row = await db.selectFrom("sandbox_authentications").selectAll().where("id", "=", id).executeTakeFirst();
  return (
    row && {
      id: row.id,
      providerId: row.provider_id,
      cardId: row.card_id,
      orderHash: row.order_hash,
      amount: clp(row.amount),
      purpose: row.purpose as StoredAuthentication["purpose"],
      returnUrl: row.return_url,
      state: row.state,
      expiresAt: row.expires_at,
      pageExpiresAt: row.page_expires_at,
    }
  );
}

/** Ends a pending authentication; one that has ended stays unchanged. */
export async function endAuthentication(
  db: Database,
  id: string,
  state: Exclude<AuthenticationState, "pending">,
): Promise<void> {
  await db
    .updateTable("sandbox_authentications")
    .set({ state })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .execute();
}

/** The data of a challenge that the bank's page shows. */
export async function findChallenge(
  db: Database,
  id: string,
): Promise<(StoredAuthentication & { readonly last4: string; readonly behaviour: CardBehaviour }) | undefined> {
  const authentication = await findAuthentication(db, id);
  if (authentication === undefined) return undefined;
  const card = await db
    .selectFrom("sandbox_cards")
    .select(["last4", "behaviour"])
    .where("id", "=", authentication.cardId)
    .executeTakeFirst();
  return card && { ...authentication, last4: card.last4, behaviour: card.behaviour as CardBehaviour };
}

type NewMovement = Omit<ProcessorMovement, "amount"> & {
  readonly amount: Clp;
  readonly providerId: string;
  readonly cardId: string;
};

/** A repeated movement whose key the processor has forgotten is listed under that key with the suffix `:again`. */
export async function insertMovement(tx: Transaction, movement: NewMovement): Promise<void> {
  const { providerId, kind, idempotencyKey } = movement;
  await tx
    .insertInto("sandbox_movements")
    .values({
      id: movement.id,
      provider_id: movement.providerId,
      kind: movement.kind,
      charge_id: movement.chargeId,
      card_id: movement.cardId,
      idempotency_key: sql<string>`${idempotencyKey}::text || case when exists (
        select from sandbox_movements
        where provider_id = ${providerId} and kind = ${kind} and idempotency_key = ${idempotencyKey}
      ) then ${AGAIN} else '' end`,
      order_hash: movement.orderHash,
      amount: movement.amount,
      returned: 0,
      at: movement.at,
    })
    .execute();
}

export interface StoredCharge {
  readonly id: string;
  readonly cardId: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  readonly returned: Clp;
  readonly cardKind: CardKind;
  readonly behaviour: CardBehaviour;
}

/** A provider's charge, locked until the end of the transaction. */
export async function lockCharge(
  tx: Transaction,
  { providerId, chargeId }: { providerId: string; chargeId: string },
): Promise<StoredCharge | undefined> {
  const row = await tx
    .selectFrom("sandbox_movements as charge")
    .innerJoin("sandbox_cards as card", "card.id", "charge.card_id")
    .select(["charge.id", "charge.card_id", "charge.order_hash", "charge.amount", "charge.returned"])
    .select(["card.kind", "card.behaviour"])
    .where("charge.id", "=", chargeId)
    .where("charge.provider_id", "=", providerId)
    .where("charge.kind", "=", "charge")
    .forUpdate("charge")
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      cardId: row.card_id,
      orderHash: row.order_hash,
      amount: clp(row.amount),
      returned: clp(row.returned),
      cardKind: row.kind,
      behaviour: row.behaviour as CardBehaviour,
    }
  );
}

/** The returned amount; `null` if it returns nothing. */
export async function findReturn(
  db: Database,
  returnId: string,
): Promise<{ readonly amount: Clp; readonly chargeId: string } | null> {
  const row = await db
    .selectFrom("sandbox_movements")
    .select(["amount", "charge_id"])
    .where("id", "=", returnId)
    .where("kind", "=", "return")
    .executeTakeFirst();
  return row === undefined ? null : { amount: clp(row.amount), chargeId: row.charge_id };
}

export async function addReturned(tx: Transaction, chargeId: string, amount: Clp): Promise<void> {
  await tx
    .updateTable("sandbox_movements")
    .set({ returned: sql`returned + ${amount}::bigint` })
    .where("id", "=", chargeId)
    .execute();
}

/** Charges of one order, oldest first. */
export async function findChargesOfOrder(
  tx: Transaction,
  { providerId, orderHash }: { providerId: string; orderHash: OrderId },
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom("sandbox_movements")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("order_hash", "=", orderHash)
    .where("kind", "=", "charge")
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * One page of a provider's movements in [from, to), oldest first; `after` is the last movement of the previous page.
 */
export async function pageMovements(
  db: Database,
  { providerId, from, to, after }: { providerId: string; from: Date; to: Date; after: { at: Date; id: string } | null },
): Promise<readonly ProcessorMovement[]> {
  const start = after ?? { at: from, id: "" };
  const rows = await db
    .selectFrom("sandbox_movements")
    .select(["id", "kind", "charge_id", "idempotency_key", "order_hash", "amount", "at"])
    .where("provider_id", "=", providerId)
    .where("at", "<", to)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("at", "id"), ">", tuple(start.at, start.id)))
    .orderBy("at")
    .orderBy("id")
    .limit(PAGE_ITEMS_MAX)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    chargeId: row.charge_id,
    idempotencyKey: row.idempotency_key,
    orderHash: row.order_hash,
    amount: clp(row.amount),
    at: row.at,
  }));
}
