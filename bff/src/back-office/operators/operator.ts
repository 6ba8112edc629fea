import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";

export interface OperatorsDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys">;
}

/** Thrown when an operator cannot be identified, added, changed or ended. The message is for the operator. */
export class OperatorRefused extends Error {
  override readonly name = "OperatorRefused";
}

/** Thrown when an operator's token has expired. The message is for the operator. */
export class TokenExpired extends OperatorRefused {
  constructor(endsAt: Date) {
    super(`Your token expired at ${endsAt.toISOString()}. Renew it with \`aapd operator renew\`.`);
  }
}

/** With fewer operators no approval is possible: the holder of the keyring adds them. */
export const OPERATORS_MIN = 2;
/** A new operator, or one with a new role, approves nothing for this time. */
export const NEW_OPERATOR_WAITS_MS = DAY_MS;

/** A token of the command line expires after this time. `TOKEN_WARNING_MS`: how long before its operator is warned. */
export const TOKEN_VALID_MS = 90 * DAY_MS;
export const TOKEN_WARNING_MS = 14 * DAY_MS;

/** The prefix of the keyring holder as an actor: `keyring:<machine's user>`. */
export const KEYRING_ACTOR = "keyring:";

const TOKEN_HASH = "operator.token";

/** A new token of the command line, and the hash by which it is stored. */
export function makeToken({ ids, keyring }: Pick<OperatorsDependencies, "ids" | "keyring">) {
  const token = `op_${Buffer.from(ids.bytes(32)).toString("base64url")}`;
  return { token, tokenHash: keyring.hmac(TOKEN_HASH, token) };
}

/** The hashes by which a token may be stored, one for each key of the keyring. */
export function tokenHashes(keyring: Pick<Keyring, "hmacsOfAllKeys">, token: string): readonly string[] {
  return keyring.hmacsOfAllKeys(TOKEN_HASH, token);
}

export function auditOperator(
  tx: Transaction,
  { name, ...entry }: { id: string; actor: string; act: string; name: string; at: Date; details?: object },
): Promise<void> {
  return recordAudit(tx, { ...entry, providerId: null, credentialId: null, subject: { kind: "operator", id: name } });
}
