import * as z from "zod/mini";
import { insurerChoiceSchema } from "./onboarding.ts";
import { givenConsentsSchema, sealedValueSchema } from "./orders.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";

/**
 * Body of `POST /api/spot/patient/insurer_access`; it requires the consent to keep the new access. Without `access`,
 * the token must be that of a checkout that has just paid its order.
 */
export const giveInsurerAccessRequestSchema = z.object({
  widget_token: widgetTokenSchema,
  access: z.optional(z.uuid()),
  insurer: insurerChoiceSchema,
  sealed_insurer_access: sealedValueSchema,
  consents: z._default(givenConsentsSchema, []),
});
export type GiveInsurerAccessRequest = z.input<typeof giveInsurerAccessRequestSchema>;
export const giveInsurerAccessResponseSchema = z.object({ status: z.literal("given") });
