import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Principal } from "../platform/provider.ts";
import { type OpenedWidgetToken, requireLive, requireUnused } from "./open-widget-token.ts";
import { revokeOne } from "./tokens/widget-token-store.ts";

/**
 * Ends a minted token before its time. A repeat changes nothing. Throws the 410 of a token that has expired or was
 * used: there is nothing to revoke.
 */
export async function revokeWidgetToken(
  { db, ids }: { readonly db: Database; readonly ids: Ids },
  { credential, credentialId }: Principal,
  opened: OpenedWidgetToken,
): Promise<void> {
  const { token, state, now } = opened;
  if (state === "revoked") return;
  requireLive(opened);
  await inTransaction(db, async (tx) => {
    requireUnused(await revokeOne(tx, token.id, now));
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: token.providerId,
      actor: `credential:${credential}`,
      credentialId,
      act: "widget_token.revoked",
      subject: { kind: "widget_token", id: token.id },
      details: {},
      at: now,
    });
  });
}
