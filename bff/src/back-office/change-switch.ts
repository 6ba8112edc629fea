import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { switchOff, switchOn } from "../platform/switch-store.ts";
import type { Switch } from "../platform/switches.ts";

export interface SwitchChange {
  readonly what: Switch;
  readonly state: "off" | "on";
  /** Null for all providers. */
  readonly providerId: string | null;
}

/** Stops or resumes something, with an audit row. Returns false if the switch was already in that position. */
export function changeSwitch(
  {
    db,
    ids,
    clock,
    actor,
  }: { readonly db: Database; readonly ids: Ids; readonly clock: Clock; readonly actor: string },
  { what, state, providerId }: SwitchChange,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const isChanged = await (state === "off" ? switchOff : switchOn)(tx, { what, providerId });
    if (!isChanged) return false;
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor,
      credentialId: null,
      act: `switch.${state}`,
      subject: { kind: "switch", id: what },
      details: {},
      at: clock.now(),
    });
    return true;
  });
}
