import * as z from "zod";

/** What Meta reports about a message. */
export const statusSchema = z.object({
  /** Meta's id of the message. */
  id: z.string().regex(/^[^\p{Cc}]{1,300}$/u),
  status: z.string().max(40),
  biz_opaque_callback_data: z
    .string()
    .regex(/^[^\p{Cc}]{0,512}$/u)
    .optional(),
  errors: z.array(z.object({ code: z.int() })).optional(),
});
export type Status = z.output<typeof statusSchema>;

/**
 * Each status is validated by itself, so that an unusable one loses no other. Patients' replies have no `statuses`, and
 * are ignored.
 */
export const notificationSchema = z.object({
  entry: z.array(
    z.object({ changes: z.array(z.object({ value: z.object({ statuses: z.array(z.unknown()).optional() }) })) }),
  ),
});

export function statusesIn({ entry }: z.output<typeof notificationSchema>): readonly unknown[] {
  return entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses ?? []));
}
