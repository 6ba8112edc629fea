import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { countActs } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Environment } from "../platform/provider.ts";
import {
  auditOperator,
  KEYRING_ACTOR,
  OPERATORS_MIN,
  OperatorRefused,
  type OperatorsDependencies,
  TokenExpired,
  tokenHashes,
} from "./operators/operator.ts";
import {
  countOperators,
  endOperator,
  type KnownOperator,
  type OperatorRecord,
  readOperatorByToken,
  readOperatorNamed,
  readOperators,
} from "./operators/operator-store.ts";

type TokenReader = Pick<OperatorsDependencies, "db" | "keyring">;

/** For the audit trail. */
export function actorOf(name: string): string {
  return `operator:${name}`;
}

/** The name of an actor that `actorOf` made. */
export function nameOf(actor: string): string {
  return actor.replace(/^operator:/, "");
}

/** The operator whose token this is; null if there is none or they have ended. */
export function operatorOfToken({ db, keyring }: TokenReader, token: string): Promise<KnownOperator | null> {
  return readOperatorByToken(db, tokenHashes(keyring, token));
}

/** The operator with a name or an e-mail; null if there is none or they have ended. */
export function operatorNamed(
  db: Database,
  named: { readonly name: string } | { readonly email: string },
): Promise<KnownOperator | null> {
  return readOperatorNamed(db, named);
}

/** All current and former operators, oldest first. */
export function listOperators(db: Database): Promise<OperatorRecord[]> {
  return readOperators(db);
}

/** The user of the command line. */
export interface Identified {
  /** For the audit trail: `operator:<name>`, or `keyring:<machine's user>`. */
  readonly actor: string;
  /** When their token expires; null if they use none. */
  readonly tokenEndsAt: Date | null;
}

/**
 * Identifies the user of the command line. A token names its operator. Without one, the machine's user is the operator
 * in staging, and in production until an operator is added. While there are fewer than two operators, the holder of the
 * keyring needs no token to add one or renew a token (`managesOperators`). An expired token still identifies its
 * operator to renew it. Throws `OperatorRefused`.
 */
export async function identifyOperator(
  { db, clock, keyring, environment }: TokenReader & Pick<OperatorsDependencies, "clock"> & EnvironmentOf,
  { token, machineUser, managesOperators = null }: Identification,
): Promise<Identified> {
  const now = clock.now();
  if (token !== null) {
    const operator = await operatorOfToken({ db, keyring }, token);
    if (operator === null) throw new OperatorRefused("AAPD_OPERATOR_TOKEN does not belong to a current operator.");
    if (operator.role !== "operator")
      throw new OperatorRefused("Your role uses only the console. The command line needs the role `operator`.");
    const { name, tokenEndsAt } = operator;
    if (managesOperators !== "renews" && now >= tokenEndsAt) throw new TokenExpired(tokenEndsAt);
    return { actor: actorOf(name), tokenEndsAt };
  }
  const isKeyring = managesOperators !== null && (await countOperators(db, now)) < OPERATORS_MIN;
  if (isKeyring) return { actor: `${KEYRING_ACTOR}${machineUser}`, tokenEndsAt: null };
  const isNamed = environment === "production" && (await readOperators(db)).some(({ endedAt }) => endedAt === null);
  if (isNamed) throw new OperatorRefused("Set AAPD_OPERATOR_TOKEN to the token that `aapd operator add` showed you.");
  return { actor: actorOf(machineUser), tokenEndsAt: null };
}

interface EnvironmentOf {
  readonly environment: Environment;
}

export interface Identification {
  readonly token: string | null;
  readonly machineUser: string;
  /** How the command changes operators, if it does. */
  readonly managesOperators?: "adds" | "renews" | null;
}

/** Ends an operator's access to the command line and to the console, at once. */
export async function removeOperator(
  { db, clock, ids }: Pick<OperatorsDependencies, "db" | "clock" | "ids">,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    if (!(await endOperator(tx, name, at))) throw new OperatorRefused("There is no such operator.");
    await auditOperator(tx, { id: ids.uuid(), actor, act: "operator.ended", name, at });
  });
}

/** The acts that change operators or their roles. */
const OPERATOR_CHANGES = [
  "operator.added",
  "operator.added_by_keyring",
  "operator.role_changed",
  "operator.token_renewed_by_keyring",
  "operator.ended",
] as const;

/** How often operators changed in the last 24 hours, by act; 0 for an act that did not occur. */
export async function countOperatorChanges({
  db,
  clock,
}: Pick<OperatorsDependencies, "db" | "clock">): Promise<Map<string, number>> {
  const since = new Date(clock.now().getTime() - DAY_MS);
  const counted = await countActs(db, { subjectKind: "operator", acts: OPERATOR_CHANGES, since });
  return new Map(OPERATOR_CHANGES.map((act) => [act, counted.get(act) ?? 0]));
}
