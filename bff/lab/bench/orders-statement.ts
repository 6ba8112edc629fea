import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { readOrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../src/contract/vocabulary/rut.ts";
import { newOrder, type OrderRecord } from "../../src/orders/order-record.ts";
import { insertionOf } from "../../src/orders/order-store.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { keyring } from "./webhook-work.ts";

/** Placeholders for the values that differ in each order. */
const MARKS = { id: randomUUID(), reference: randomUUID(), keyHash: `bench.${randomUUID()}` };

export interface Caller {
  readonly providerId: string;
  readonly credentialId: string;
}

/** A provider's client_secret as stored. */
export async function readCaller(db: Database, providerId: string): Promise<Caller> {
  const { rows } = await sql<{ id: string }>`
    select id from credentials where provider_id = ${providerId} and kind = 'client_secret'`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The provider has no client_secret.");
  return { providerId, credentialId: row.id };
}

/** The statement with which the service creates an order, and its values, for others to run. */
export function orderStatement(
  db: Database,
  { providerId, credentialId }: Caller,
): { text: string; values: readonly unknown[]; at: Readonly<Record<keyof typeof MARKS, readonly number[]>> } {
  const order = sampleOrder(providerId);
  const now = new Date();
  const kept = {
    method: "POST",
    path: "/orders",
    keyHash: MARKS.keyHash,
    bodyHash: keyring.hmac("bench", "body"),
    status: 201,
    bodySealed: `=${MARKS.id}`,
    expiresAt: new Date(now.getTime() + 24 * 60 * 60 * 1_000),
    answeredAt: now,
  };
  const created = { order, environment: "production" as const, createdBy: credentialId, expiry: null };
  const { text, values } = insertionOf(db, [{ created, kept }]);
  const places = (mark: string) => values.flatMap((value, index) => (value === mark ? [index] : []));
  const at = { id: places(MARKS.id), reference: places(MARKS.reference), keyHash: places(MARKS.keyHash) };
  return { text, values, at };
}

export function sampleOrder(providerId: string): OrderRecord {
  const orderId = readOrderId(MARKS.id);
  if (orderId === null) throw new Error("A UUID is no order hash.");
  const email = "camila@example.com";
  const customer = {
    rut: parseRut("40100000-3"),
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email,
    phone_number: "+56912345678",
  };
  return newOrder(
    { reference: MARKS.reference, total_amount: 45_952, customer },
    {
      ...{ providerId, orderId, email, center: null, traceparent: null, now: new Date() },
      settings: { commissionBasisPoints: 700, commissionTax: { regime: "interest" } },
    },
  );
}
