import * as z from "zod";
import { MINUTE_MS } from "../../../contract/vocabulary/durations.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { Ids } from "../../../platform/ids.ts";
import { type Keyring, SealBroken } from "../../../platform/keyring.ts";
import type { Environment } from "../../../platform/provider.ts";
import { ensureOperator } from "../../operators/add-operator.ts";
import { ROLES, type Role } from "../../operators/role.ts";
import { operatorNamed } from "../../operators.ts";
import { beginSession, type SessionDependencies } from "../../session.ts";
import { useLink } from "./session-store.ts";

/*
 * A link by which an operator signs in without a sign-in service. It is created with the keyring alone, because a
 * running service may have the embedded database to itself.
 */

export const SIGN_IN_LINK_MINUTES = 10;

const PURPOSE = "operator.sign_in_link";

const linkSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  role: z.enum(ROLES),
  ends_at: z.number(),
});

export interface LinkFor {
  readonly name: string;
  /** Staging creates an operator of this role if the name has none. */
  readonly role: Role;
}

/** The link's secret part. Its first holder signs in with it, once. */
export function makeSignInLink(
  { keyring, ids, now }: { readonly keyring: Pick<Keyring, "seal">; readonly ids: Ids; readonly now: Date },
  { name, role }: LinkFor,
): string {
  const link = { id: ids.uuid(), name, role, ends_at: now.getTime() + SIGN_IN_LINK_MINUTES * MINUTE_MS };
  return keyring.seal(JSON.stringify(link), PURPOSE);
}

/**
 * Uses a link up and begins a session. Returns the cookie's token; null if the link is invalid, used or expired, or its
 * operator does not exist.
 */
export async function signInByLink(
  dependencies: SessionDependencies & { readonly environment: Environment },
  secret: string,
): Promise<string | null> {
  const { db, clock, environment } = dependencies;
  const link = openLink(dependencies, secret);
  const at = clock.now();
  if (link === null || at.getTime() >= link.ends_at) return null;
  return inTransaction(db, async (tx) => {
    if (!(await useLink(tx, link.id, at))) return null;
    const { name, role } = link;
    // An embedded database is recreated too often to add operators by hand.
    if (environment === "staging") await ensureOperator(tx, dependencies, { name, role });
    const operator = await operatorNamed(tx, { name });
    return operator === null ? null : beginSession(tx, dependencies, operator, "link");
  });
}

function openLink({ keyring }: Pick<SessionDependencies, "keyring">, secret: string) {
  try {
    return linkSchema.parse(JSON.parse(keyring.open(secret, PURPOSE)));
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}
