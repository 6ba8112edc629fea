import { expenseEvents } from "../claims/expense-reads.ts";
import { collectionEvents } from "../collection/collection-events.ts";
import { orderEvents } from "../orders/order-events.ts";
import { patientEvents } from "../patients/patient-events.ts";
import type { EventSchemas } from "../platform/outbox.ts";
import { requestEvents } from "../self-service/work.ts";

/** The schemas by which events of every kind are read from the log. */
export const eventSchemas: EventSchemas = {
  ...orderEvents,
  ...patientEvents,
  ...expenseEvents,
  ...collectionEvents,
  ...requestEvents,
};
