import * as z from "zod";

const statusSchema = z.object({
  /** Meta's id of the message. */
  id: z.string().min(1).max(300),
  status: z.string().max(40),
  biz_opaque_callback_data: z.string().max(512).optional(),
  errors: z.array(z.object({ code: z.int() })).optional(),
});
export type Status = z.output<typeof statusSchema>;

/** Patients' replies have no `statuses`, and are ignored. */
export const notificationSchema = z.object({
  entry: z.array(
    z.object({ changes: z.array(z.object({ value: z.object({ statuses: z.array(statusSchema).optional() }) })) }),
  ),
});

export function statusesIn({ entry }: z.output<typeof notificationSchema>): readonly Status[] {
  return entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses ?? []));
}
