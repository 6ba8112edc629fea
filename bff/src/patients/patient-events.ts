import * as z from "zod/mini";
import type { StatementPart, Transaction } from "../platform/database/transaction.ts";
import { eventsWithDispatch, publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { NewEvent, PayloadsOf } from "../platform/outbox.ts";

/** The events about patients' records. */
export const patientEvents = {
  /** A patient has given access to the insurer's portal, for the first time or again. */
  "insurer_access.given": z.object({ beneficiary_id: z.string() }),
  /** A registration was proved and is now the patient's record. */
  "patient.proven": z.object({ beneficiary_id: z.string() }),
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof patientEvents> {}
}

interface PatientFact {
  readonly id: string;
  readonly providerId: string;
  readonly at: Date;
}

/** Publishes an event about a patient's record. */
export function publishPatientEvent(
  tx: Transaction,
  ids: Ids,
  kind: keyof typeof patientEvents,
  fact: PatientFact,
): Promise<void> {
  return publishEvent(tx, eventOf(ids, kind, fact));
}

/** CTEs that publish an event about a patient's record as part of a larger statement, if its CTE `source` has a row. */
export function patientEventWith(
  source: string,
  ids: Ids,
  kind: keyof typeof patientEvents,
  fact: PatientFact,
): StatementPart {
  return eventsWithDispatch([eventOf(ids, kind, fact)], source);
}

function eventOf(ids: Ids, kind: keyof typeof patientEvents, { id, providerId, at }: PatientFact): NewEvent {
  return {
    id: ids.uuid(),
    providerId,
    orderId: null,
    kind,
    sequence: null,
    payload: { beneficiary_id: id },
    createdAt: at,
  };
}
