import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Environment } from "../../platform/provider.ts";
import { approve, requestApproval } from "../approvals/approvals.ts";
import {
  countOperators,
  endOperator,
  insertOperator,
  isOperatorTaken,
  type KnownOperator,
  lockOperators,
  type OperatorRecord,
  readOperatorByToken,
  readOperatorNamed,
  readOperators,
} from "./operator-store.ts";
import type { Role } from "./role.ts";

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

/** For the audit trail. */
export function actorOf(name: string): string {
  return `operator:${name}`;
}

/** The name of an actor that `actorOf` made. */
export function nameOf(actor: string): string {
  return actor.replace(/^operator:/, "");
}

/** The operator whose token this is; null if it is nobody's, or that of one who has ended. */
export function operatorOfToken(
  { db, keyring }: Pick<OperatorsDependencies, "db" | "keyring">,
  token: string,
): Promise<KnownOperator | null> {
  return readOperatorByToken(db, keyring.hmacsOfAllKeys(TOKEN_HASH, token));
}

/** The operator of a name or an e-mail; null if there is none, or none any more. */
export function operatorNamed(
  db: Database,
  named: { readonly name: string } | { readonly email: string },
): Promise<KnownOperator | null> {
  return readOperatorNamed(db, named);
}

/** Everybody who is or was an operator, in the order in which they were added. */
export function listOperators(db: Database): Promise<OperatorRecord[]> {
  return readOperators(db);
}

/**
 * Who uses the command line, for the audit trail: `operator:<name>`. A token names its operator; without one, staging
 * takes the machine's user, and so does production while it has no operator. To add operators, the holder of the keyring needs no
 * token while there are fewer than two: `keyring:<machine's user>`.
 */
export async function identifyOperator(
  { db, keyring, environment }: Pick<OperatorsDependencies, "db" | "keyring"> & { readonly environment: Environment },
  {
    token,
    machineUser,
    addsOperators = false,
  }: { readonly token: string | null; readonly machineUser: string; readonly addsOperators?: boolean },
): Promise<string> {
  if (token !== null) {
    const operator = await operatorOfToken({ db, keyring }, token);
    if (operator === null) throw new OperatorRefused("AAPD_OPERATOR_TOKEN is no operator's, or of one who has ended.");
    return actorOf(operator.name);
  }
  if (addsOperators && (await countOperators(db)) < OPERATORS_MIN) return `${KEYRING}${machineUser}`;
  const isNamed = environment === "production" && (await readOperators(db)).some(({ endedAt }) => endedAt === null);
  if (isNamed)
    throw new OperatorRefused("Say who you are: AAPD_OPERATOR_TOKEN is the token that `aapd operator add` showed.");
  return actorOf(machineUser);
}

const KEYRING = "keyring:";
/** While there are fewer, nobody can approve: the holder of the keyring adds operators. */
export const OPERATORS_MIN = 2;
/** A new operator approves nothing for so long. */
export const NEW_OPERATOR_WAITS_MS = DAY_MS;

export interface NewOperator {
  readonly name: string;
  readonly role: Role;
  /** By which the sign-in service names them; null: they sign in by a link. */
  readonly email: string | null;
  /** `operator:<name>`, or `keyring:<machine's user>`. */
  readonly actor: string;
}

/**
 * Adds an operator, once a second operator asks for the same; while there are fewer than two, the holder of the keyring does it
 * alone. Returns the token of the command line, which is kept nowhere, and is null for every role but `operator`: the command
 * line can do everything, so that it is for nobody else. Throws `OperatorRefused` and `ApprovalRefused`.
 */
export async function addOperator(
  { db, clock, ids, keyring }: OperatorsDependencies,
  { name, role, email: given, actor }: NewOperator,
): Promise<{ readonly isDone: true; readonly token: string | null } | { readonly isDone: false }> {
  if (!NAME.test(name)) throw new OperatorRefused("A name has 2 to 40 small letters, digits, dots and dashes.");
  const email = given?.toLowerCase() ?? null;
  const at = clock.now();
  return inTransaction(db, async (tx) => {
    await lockOperators(tx);
    const isKeyring = actor.startsWith(KEYRING);
    await requireEnoughOperators(tx, isKeyring);
    if (await isOperatorTaken(tx, { name, email })) throw new OperatorRefused(TAKEN);
    const entry = { actor, name, at };
    const subject = { act: "operator.add", subject: name, request: { role, email } } as const;
    const open = isKeyring ? null : await requestApproval(tx, subject, { id: ids.uuid(), actor, at });
    if (open !== null && open.askedBy === actor) {
      await audit(tx, { ...entry, id: ids.uuid(), act: "operator.requested", details: { role } });
      return { isDone: false };
    }
    if (open !== null) await approve(tx, open, { actor, at });
    const made = {
      by: open === null ? ("keyring" as const) : { approvalId: open.id },
      approvesFrom: new Date(at.getTime() + NEW_OPERATOR_WAITS_MS),
    };
    const token = newToken(ids);
    const tokenHash = keyring.hmac(TOKEN_HASH, token);
    if (!(await insertOperator(tx, { id: ids.uuid(), name, role, email, tokenHash, at, made })))
      throw new OperatorRefused(TAKEN);
    const act = open === null ? "operator.added_by_keyring" : "operator.added";
    const details = open === null ? { role } : { role, requested_by: open.askedBy };
    await audit(tx, { ...entry, id: ids.uuid(), act, details });
    return { isDone: true, token: role === "operator" ? token : null };
  });
}

const TAKEN = "An operator has or had this name, or this e-mail.";

async function requireEnoughOperators(tx: Transaction, isKeyring: boolean): Promise<void> {
  const isEnough = (await countOperators(tx)) >= OPERATORS_MIN;
  if (isKeyring && isEnough)
    throw new OperatorRefused("There are two operators: they add others. Say who you are with AAPD_OPERATOR_TOKEN.");
  if (!isKeyring && !isEnough)
    throw new OperatorRefused(
      "There are fewer than two operators, so that nobody could approve this. Run the command without AAPD_OPERATOR_TOKEN: the holder of the keyring adds them, and it is audited.",
    );
}

/** A token of the command line. Who gets none has one that nobody knows. */
function newToken(ids: Ids): string {
  return `op_${Buffer.from(ids.bytes(32)).toString("base64url")}`;
}

/** Adds an operator who signs in by links, where there is none of the name; theirs is no token of the command line. */
export async function ensureOperator(
  tx: Transaction,
  { clock, ids, keyring }: Omit<OperatorsDependencies, "db">,
  { name, role }: Pick<NewOperator, "name" | "role">,
): Promise<void> {
  const tokenHash = keyring.hmac(TOKEN_HASH, newToken(ids));
  await insertOperator(tx, { id: ids.uuid(), name, role, email: null, tokenHash, at: clock.now(), made: null });
}

/** Ends an operator's access to the command line and to the console, at once. */
export async function removeOperator(
  { db, clock, ids }: Pick<OperatorsDependencies, "db" | "clock" | "ids">,
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
  { name, ...entry }: { id: string; actor: string; act: string; name: string; at: Date; details?: object },
): Promise<void> {
  return recordAudit(tx, { ...entry, providerId: null, credentialId: null, subject: { kind: "operator", id: name } });
}
