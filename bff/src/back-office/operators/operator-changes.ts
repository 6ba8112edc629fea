import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import { countActs } from "../../platform/audit-read-store.ts";
import type { OperatorsDependencies } from "./operator.ts";

/** The acts that decide who is an operator and what they may do. */
const OPERATOR_CHANGES = [
  "operator.added",
  "operator.added_by_keyring",
  "operator.role_changed",
  "operator.token_renewed_by_keyring",
  "operator.ended",
] as const;

/** How often who is an operator changed in the last 24 hours, by act; 0 where it did not. */
export async function countOperatorChanges({
  db,
  clock,
}: Pick<OperatorsDependencies, "db" | "clock">): Promise<Map<string, number>> {
  const since = new Date(clock.now().getTime() - DAY_MS);
  const counted = await countActs(db, { subjectKind: "operator", acts: OPERATOR_CHANGES, since });
  return new Map(OPERATOR_CHANGES.map((act) => [act, counted.get(act) ?? 0]));
}
