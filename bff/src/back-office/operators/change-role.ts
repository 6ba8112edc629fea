import * as z from "zod";
import { byTwoPeople, type TwoPeopleOutcome, type TwoPersonAct } from "../approvals/two-people.ts";
import { tokenSecret } from "./add-operator.ts";
import {
  auditOperator,
  makeToken,
  NEW_OPERATOR_WAITS_MS,
  OperatorRefused,
  type OperatorsDependencies,
} from "./operator.ts";
import { lockOperators, readOperatorNamed, writeRole } from "./operator-store.ts";
import { ROLES, type Role } from "./role.ts";

const requestSchema = z.strictObject({ role: z.enum(ROLES) });

/**
 * Changes an operator's role once a second operator requests the same. Throws `OperatorRefused` and `ApprovalRefused`.
 */
export function changeRole(
  dependencies: OperatorsDependencies,
  { name, role, actor }: { readonly name: string; readonly role: Role; readonly actor: string },
): Promise<TwoPeopleOutcome> {
  return byTwoPeople(dependencies, changeRoleAct(dependencies), { subject: name, request: { role }, actor });
}

/**
 * Changing a role, as an act of two people. The operator's token ends with the role; a new `operator` gets another one,
 * and approves nothing for 24 hours.
 */
export function changeRoleAct(dependencies: OperatorsDependencies): TwoPersonAct<z.output<typeof requestSchema>> {
  return {
    act: "operator.change_role",
    schema: requestSchema,
    async check(tx, { subject: name, request: { role } }) {
      await lockOperators(tx);
      const operator = await readOperatorNamed(tx, { name });
      if (operator === null) throw new OperatorRefused("There is no such operator.");
      if (operator.role === role) throw new OperatorRefused(`Their role is already ${role}.`);
    },
    async carryOut(tx, { subject: name, request: { role } }, { askedBy, actor, at }) {
      const { token, tokenHash } = makeToken(dependencies);
      const approvesFrom = new Date(at.getTime() + NEW_OPERATOR_WAITS_MS);
      await writeRole(tx, { name, role, tokenHash, at, approvesFrom });
      const entry = { id: dependencies.ids.uuid(), actor, act: "operator.role_changed", name, at };
      await auditOperator(tx, { ...entry, details: { role, requested_by: askedBy } });
      return { outcome: `The role of ${name} is now ${role}.`, secret: tokenSecret(role, token) };
    },
  };
}
