import * as z from "zod";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { ApprovalSubject } from "../approvals/approval.ts";
import { newestRequest } from "../approvals/approvals.ts";
import { exceptionId, type ListedException } from "./exception.ts";
import type { Resolution } from "./exception-kinds.ts";

const ACT = "exception.resolve";

/** What two operators have to agree on: the resolution, and what it books, of the exception as both see it. */
export function approvalSubject(
  exception: ListedException,
  { resolution, amount = null }: { readonly resolution: Resolution; readonly amount?: Clp | null },
): ApprovalSubject {
  return { act: ACT, subject: exceptionId(exception), request: { resolution, amount } };
}

const requestSchema = z.object({ resolution: z.string(), amount: z.number().nullable() });

export interface RequestedResolution extends z.output<typeof requestSchema> {
  readonly askedBy: string;
  readonly askedAt: Date;
}

/** What the first of two operators wants of an exception as it is now; null if nobody has asked. */
export async function requestedResolution(
  db: Database,
  exception: ListedException,
  at: Date,
): Promise<RequestedResolution | null> {
  const open = await newestRequest(db, { act: ACT, subject: exceptionId(exception), at });
  if (open === null) return null;
  const { askedBy, askedAt } = open;
  return { ...requestSchema.parse(JSON.parse(open.request)), askedBy, askedAt };
}
