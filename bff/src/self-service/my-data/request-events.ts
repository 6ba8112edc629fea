import * as z from "zod/mini";
import type { PayloadsOf } from "../../platform/outbox.ts";

/** The events about what patients have asked of a person. */
export const requestEvents = {
  "rights_request.answered": z.object({ request_id: z.string() }),
} as const;

declare module "../../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof requestEvents> {}
}
