/** Sessions of the operators' console, opened by the sign-in service or by a link of the command line. */

import { HOUR_MS, MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import {
  endSessionOf,
  insertSession,
  markSeen,
  readLiveSession,
  type Session,
} from "./console/sign-in/session-store.ts";
import type { KnownOperator } from "./operators/operator-store.ts";
import { actorOf } from "./operators.ts";

/** A session ends after so long without a request. `SESSION_HOURS`: its longest duration, a working day. */
export const SESSION_IDLE_MINUTES = 30;

export const SESSION_HOURS = 10;

const TOKEN_HASH = "operator.session";

export interface SessionDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
}

export type SignedInBy = "link" | "open_id";

/**
 * Begins a session in the transaction of its proof. Returns the token for the operator's cookie, which is not stored.
 */
export async function beginSession(
  tx: Transaction,
  { clock, ids, keyring }: Omit<SessionDependencies, "db">,
  { id: operatorId, name }: KnownOperator,
  by: SignedInBy,
): Promise<string> {
  const token = Buffer.from(ids.bytes(32)).toString("base64url");
  const [id, at] = [ids.uuid(), clock.now()];
  const endsAt = new Date(at.getTime() + SESSION_HOURS * HOUR_MS);
  await insertSession(tx, { id, operatorId, tokenHash: keyring.hmac(TOKEN_HASH, token), at, endsAt });
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: null,
    actor: actorOf(name),
    credentialId: null,
    act: "operator.signed_in",
    subject: { kind: "operator", id: name },
    details: { by },
    at,
  });
  return token;
}

/** The session of a cookie's token; null if it is invalid or expired. */
export async function findSession(
  { db, clock, keyring }: Omit<SessionDependencies, "ids">,
  token: string,
): Promise<Session | null> {
  const now = clock.now();
  const seenSince = new Date(now.getTime() - SESSION_IDLE_MINUTES * MINUTE_MS);
  const tokenHashes = keyring.hmacsOfAllKeys(TOKEN_HASH, token);
  const session = await readLiveSession(db, { tokenHashes, now, seenSince });
  if (session !== null && now.getTime() - session.seenAt.getTime() >= MINUTE_MS) await markSeen(db, session.id, now);
  return session;
}

export async function endSession(
  { db, clock, ids }: Omit<SessionDependencies, "keyring">,
  { id, operator }: Session,
): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    await endSessionOf(tx, id, at);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: null,
      actor: actorOf(operator.name),
      credentialId: null,
      act: "operator.signed_out",
      subject: { kind: "operator", id: operator.name },
      at,
    });
  });
}
