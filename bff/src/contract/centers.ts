import * as z from "zod/mini";
import { bankAccountSchema } from "./bank-account.ts";
import { timestampSchema } from "./orders.ts";
import { emailSchema } from "./vocabulary/email.ts";
import { pageLimitSchema } from "./vocabulary/page.ts";
import { isPlainText, NAME_LENGTH_MAX, PLAIN_TEXT_MESSAGE } from "./vocabulary/person-name.ts";
import { rutSchema } from "./vocabulary/rut.ts";

export const CENTERS_PER_CALL_MAX = 200;

/** A sub-clinic of a meta-provider. Without a bank account, the recorded one stays. */
export const centerSchema = z.object({
  rut: rutSchema,
  name: z
    .string()
    .check(z.trim(), z.minLength(1), z.maxLength(NAME_LENGTH_MAX), z.refine(isPlainText, PLAIN_TEXT_MESSAGE)),
  email: emailSchema,
  bank_account: z.optional(bankAccountSchema),
});

/** Body of `POST /api/spot/sacmed/centers`. */
export const upsertCentersRequestSchema = z.object({
  centers: z.array(centerSchema).check(z.minLength(1), z.maxLength(CENTERS_PER_CALL_MAX)),
});
export type UpsertCentersRequest = z.input<typeof upsertCentersRequestSchema>;

/** In the order in which they were sent. */
export const upsertCentersResponseSchema = z.object({
  centers: z.array(z.object({ rut: z.string(), id: z.uuid(), created: z.boolean() })),
});
export type UpsertCentersResponse = z.infer<typeof upsertCentersResponseSchema>;

/** Query of `GET /api/spot/sacmed/centers`. `after` is the `next` of the page before. */
export const listCentersQuerySchema = z.object({ after: z.optional(z.uuid()), limit: pageLimitSchema });
export type ListCentersQuery = z.output<typeof listCentersQuerySchema>;

/** A centre as it is registered. Its bank account is not shown. */
export const registeredCenterSchema = z.object({
  id: z.uuid(),
  rut: z.string(),
  name: z.string(),
  email: z.string(),
  has_bank_account: z.boolean(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});

/** By RUT, as text. `next` is null on the last page. */
export const registeredCentersSchema = z.object({
  centers: z.array(registeredCenterSchema),
  next: z.nullable(z.uuid()),
});
export type RegisteredCenters = z.infer<typeof registeredCentersSchema>;
