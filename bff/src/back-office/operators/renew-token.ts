import * as z from "zod";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApprovalRefused } from "../approvals/approvals.ts";
import { byTwoPeople, replaceRequests, type TwoPersonAct } from "../approvals/two-people.ts";
import {
  auditOperator,
  KEYRING_ACTOR,
  makeToken,
  OPERATORS_MIN,
  OperatorRefused,
  type OperatorsDependencies,
} from "./operator.ts";
import { countOperators, lockOperators, readOperatorNamed, writeToken } from "./operator-store.ts";

const ACT = "operator.reissue_token";
/** The second operator compares the last characters with those shown to the first, and never sees the token. */
const requestSchema = z.strictObject({ ending: z.string(), token_hash: z.string() });

export interface RenewedToken {
  readonly token: string;
  /** Null if the token is valid. Otherwise it becomes valid once another operator has approved this request. */
  readonly requestId: string | null;
}

/**
 * Creates a new token for an operator. Operators request their own, even with an expired one, and it replaces the old
 * one once another operator approves. While there are fewer than two operators, the holder of the keyring renews it
 * alone. Throws `OperatorRefused`.
 */
export async function renewToken(
  dependencies: OperatorsDependencies,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<RenewedToken> {
  const { token, tokenHash } = makeToken(dependencies);
  if (actor.startsWith(KEYRING_ACTOR)) {
    await renewByKeyring(dependencies, { name, actor, tokenHash });
    return { token, requestId: null };
  }
  if (actor !== `operator:${name}`) throw new OperatorRefused("Operators can renew only their own token.");
  await requireApprovers(dependencies);
  await replaceRequests(dependencies, { act: ACT, subject: name, actor });
  const requested = { subject: name, request: { ending: token.slice(-4), token_hash: tokenHash }, actor };
  const outcome = await byTwoPeople(dependencies, renewTokenAct(dependencies), requested);
  return { token, requestId: outcome.isDone ? null : outcome.requestId };
}

async function requireApprovers({ db, clock }: OperatorsDependencies): Promise<void> {
  if ((await countOperators(db, clock.now())) < OPERATORS_MIN)
    throw new OperatorRefused(
      "There are fewer than two operators with a valid token, so this cannot be approved. Run the command without AAPD_OPERATOR_TOKEN and with the operator's name: the holder of the keyring renews it, and it is audited.",
    );
}

async function renewByKeyring(
  { db, clock, ids }: OperatorsDependencies,
  { name, actor, tokenHash }: { readonly name: string; readonly actor: string; readonly tokenHash: string },
): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    await lockOperators(tx);
    if ((await countOperators(tx, at)) >= OPERATORS_MIN)
      throw new OperatorRefused(
        "There are two operators, who renew their own tokens. Identify yourself with AAPD_OPERATOR_TOKEN.",
      );
    if ((await readOperatorNamed(tx, { name }))?.role !== "operator")
      throw new OperatorRefused("There is no such operator with a token.");
    await writeToken(tx, { name, tokenHash, at });
    await auditOperator(tx, { id: ids.uuid(), actor, act: "operator.token_renewed_by_keyring", name, at });
  });
}

/** Replacing an operator's token, as an act of two people. */
export function renewTokenAct(dependencies: OperatorsDependencies): TwoPersonAct<z.output<typeof requestSchema>> {
  return {
    act: ACT,
    schema: requestSchema,
    async check(tx, { subject: name }) {
      await lockOperators(tx);
      if ((await readOperatorNamed(tx, { name }))?.role !== "operator")
        throw new ApprovalRefused("There is no such operator with a token.");
    },
    async carryOut(tx, { subject: name, request: { token_hash: tokenHash } }, { askedBy, actor, at }) {
      await writeToken(tx, { name, tokenHash, at });
      const entry = { id: dependencies.ids.uuid(), actor, act: "operator.token_renewed", name, at };
      await auditOperator(tx, { ...entry, details: { requested_by: askedBy } });
      return { outcome: `The new token of ${name} is valid from now on; the old one is not.`, secret: null };
    },
  };
}
