import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Environment } from "../../platform/provider.ts";
import { endOperator, insertOperator, readOperatorByToken, readOperators } from "./operator-store.ts";

/** Thrown when nobody proves who uses the command line, or an operator cannot be added or ended. For the operator. */
export class OperatorRefused extends Error {
  override readonly name = "OperatorRefused";
}

interface OperatorsDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "hmac" | "hmacsOfAllKeys">;
}

const TOKEN_HASH = "operator.token";
const NAME = /^[a-z][a-z0-9.-]{1,39}$/;

/**
 * Who uses the command line, for the audit trail: `operator:<name>`. A token names its operator; without one, staging
 * takes the machine's user, and so does production while it has no operator, so that the first one can be added.
 */
export async function identifyOperator(
  { db, keyring, environment }: Pick<OperatorsDependencies, "db" | "keyring"> & { readonly environment: Environment },
  { token, machineUser }: { readonly token: string | null; readonly machineUser: string },
): Promise<string> {
  if (token !== null) {
    const name = await readOperatorByToken(db, keyring.hmacsOfAllKeys(TOKEN_HASH, token));
    if (name === null) throw new OperatorRefused("AAPD_OPERATOR_TOKEN is no operator's, or of one who has ended.");
    return `operator:${name}`;
  }
  const isNamed = environment === "production" && (await readOperators(db)).some(({ endedAt }) => endedAt === null);
  if (isNamed)
    throw new OperatorRefused("Say who you are: AAPD_OPERATOR_TOKEN is the token that `aapd operator add` showed.");
  return `operator:${machineUser}`;
}

/** Adds an operator. Returns the token, which is kept nowhere. */
export async function addOperator(
  { db, clock, ids, keyring }: OperatorsDependencies,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<string> {
  if (!NAME.test(name)) throw new OperatorRefused("A name has 2 to 40 small letters, digits, dots and dashes.");
  const token = `op_${Buffer.from(ids.bytes(32)).toString("base64url")}`;
  const [id, at] = [ids.uuid(), clock.now()];
  await inTransaction(db, async (tx) => {
    const isNew = await insertOperator(tx, { id, name, tokenHash: keyring.hmac(TOKEN_HASH, token), at });
    if (!isNew) throw new OperatorRefused("An operator has or had this name.");
    await audit(tx, { id: ids.uuid(), actor, act: "operator.added", name, at });
  });
  return token;
}

/** Ends an operator's access to the command line. */
export async function removeOperator(
  { db, clock, ids }: OperatorsDependencies,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    if (!(await endOperator(tx, name, at))) throw new OperatorRefused("There is no such operator.");
    await audit(tx, { id: ids.uuid(), actor, act: "operator.ended", name, at });
  });
}

function audit(
  tx: Transaction,
  { name, ...entry }: { id: string; actor: string; act: string; name: string; at: Date },
): Promise<void> {
  return recordAudit(tx, { ...entry, providerId: null, credentialId: null, subject: { kind: "operator", id: name } });
}
