import * as z from "zod";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { byTwoPeople, type CarriedOut, type TwoPeopleOutcome, type TwoPersonAct } from "../approvals/two-people.ts";
import {
  auditOperator,
  KEYRING_ACTOR,
  makeToken,
  NEW_OPERATOR_WAITS_MS,
  OPERATORS_MIN,
  OperatorRefused,
  type OperatorsDependencies,
} from "./operator.ts";
import {
  countOperators,
  insertOperator,
  isOperatorNameTaken,
  lockOperators,
  type OperatorMade,
} from "./operator-store.ts";
import { ROLES, type Role } from "./role.ts";

export interface NewOperator {
  readonly name: string;
  readonly role: Role;
  /** Their address at the sign-in service; null if they sign in by a link. */
  readonly email: string | null;
  /** `operator:<name>`, or `keyring:<machine's user>`. */
  readonly actor: string;
}

const NAME = /^[a-z][a-z0-9.-]{1,39}$/;
const TAKEN = "An operator has or had this name, or has this e-mail.";
const requestSchema = z.strictObject({ role: z.enum(ROLES), email: z.string().nullable() });
type AddRequest = z.output<typeof requestSchema>;

/**
 * Adds an operator once a second operator requests the same; while there are fewer than two, the holder of the keyring
 * does it alone. The secret is the token of the command line, for the role `operator` only. Throws `OperatorRefused`
 * and `ApprovalRefused`.
 */
export async function addOperator(
  dependencies: OperatorsDependencies,
  { name, role, email: given, actor }: NewOperator,
): Promise<TwoPeopleOutcome> {
  const email = given?.toLowerCase() ?? null;
  const requested = { subject: name, request: { role, email } };
  if (!actor.startsWith(KEYRING_ACTOR))
    return byTwoPeople(dependencies, addOperatorAct(dependencies), { ...requested, actor });
  const at = dependencies.clock.now();
  return inTransaction(dependencies.db, async (tx) => {
    await lockOperators(tx);
    if ((await countOperators(tx, at)) >= OPERATORS_MIN)
      throw new OperatorRefused("There are two operators, who add others. Identify yourself with AAPD_OPERATOR_TOKEN.");
    await requireFree(tx, requested);
    const done = await add(tx, dependencies, requested, { by: "keyring", at });
    const entry = { id: dependencies.ids.uuid(), actor, act: "operator.added_by_keyring", name, at };
    await auditOperator(tx, { ...entry, details: { role } });
    return { isDone: true, ...done };
  });
}

/** Adding an operator, as an act of two people. */
export function addOperatorAct(dependencies: OperatorsDependencies): TwoPersonAct<AddRequest> {
  return {
    act: "operator.add",
    schema: requestSchema,
    async check(tx, requested) {
      await lockOperators(tx);
      if ((await countOperators(tx, dependencies.clock.now())) < OPERATORS_MIN)
        throw new OperatorRefused(
          "There are fewer than two operators, so this cannot be approved. Run the command without AAPD_OPERATOR_TOKEN: the holder of the keyring adds operators, and it is audited.",
        );
      await requireFree(tx, requested);
    },
    async carryOut(tx, requested, { id, askedBy, actor, at }) {
      const done = await add(tx, dependencies, requested, { by: { approvalId: id }, at });
      const entry = { id: dependencies.ids.uuid(), actor, act: "operator.added", name: requested.subject, at };
      await auditOperator(tx, { ...entry, details: { role: requested.request.role, requested_by: askedBy } });
      return done;
    },
  };
}

async function requireFree(
  tx: Transaction,
  { subject: name, request: { email } }: { readonly subject: string; readonly request: AddRequest },
): Promise<void> {
  if (!NAME.test(name))
    throw new OperatorRefused("A name must have 2 to 40 lower-case letters, digits, dots and dashes.");
  if (await isOperatorNameTaken(tx, { name, email })) throw new OperatorRefused(TAKEN);
}

async function add(
  tx: Transaction,
  dependencies: OperatorsDependencies,
  { subject: name, request: { role, email } }: { readonly subject: string; readonly request: AddRequest },
  { by, at }: { readonly by: OperatorMade["by"]; readonly at: Date },
): Promise<CarriedOut> {
  const { token, tokenHash } = makeToken(dependencies);
  const made = { by, approvesFrom: new Date(at.getTime() + NEW_OPERATOR_WAITS_MS) };
  const operator = { id: dependencies.ids.uuid(), name, role, email, tokenHash, at, made };
  if (!(await insertOperator(tx, operator))) throw new OperatorRefused(TAKEN);
  return {
    outcome: `Added ${name} as ${role}. They cannot approve anything for 24 hours.`,
    secret: tokenSecret(role, token),
  };
}

/** Only the role `operator` uses the command line. The token of any other role is never shown. */
export function tokenSecret(role: Role, token: string): CarriedOut["secret"] {
  return role === "operator" ? { name: "AAPD_OPERATOR_TOKEN", value: token } : null;
}

/** Adds an operator who signs in by links, unless the name exists. They have no token of the command line. */
export async function ensureOperator(
  tx: Transaction,
  dependencies: Omit<OperatorsDependencies, "db">,
  { name, role }: Pick<NewOperator, "name" | "role">,
): Promise<void> {
  const { tokenHash } = makeToken(dependencies);
  const at = dependencies.clock.now();
  await insertOperator(tx, { id: dependencies.ids.uuid(), name, role, email: null, tokenHash, at, made: null });
}
