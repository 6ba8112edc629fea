import type { Database } from "../../platform/database/transaction.ts";
import { type GivenApproval, readApproval } from "./approval-store.ts";
import { type ListedException, versionOf } from "./exception.ts";

/** What the first of two operators wants of an exception as it is now; null if nobody has asked. */
export function approvalOf(db: Database, exception: ListedException): Promise<GivenApproval | null> {
  return readApproval(db, { exception, version: versionOf(exception) });
}
