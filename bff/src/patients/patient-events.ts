import * as z from "zod/mini";
import type { PayloadsOf } from "../platform/outbox.ts";

/** The events about patients' records. */
export const patientEvents = {
  /** A patient has given access to the insurer's portal, for the first time or again. */
  "insurer_access.given": z.object({ beneficiary_id: z.string() }),
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof patientEvents> {}
}
