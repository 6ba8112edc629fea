import * as z from "zod";
import type { TracedStep } from "./itf.ts";

/* What the model's state means, read from a trace. */

const pair = z.tuple([z.number(), z.number()]);
const live = z.enum(["none", "call", "inquire"]);
const movementSchema = z.object({
  kind: z.string(),
  amount: z.number(),
  commission: z.number(),
  status: z.string(),
});

export const modelStateSchema = z.object({
  order: z.string(),
  captureFirst: z.boolean(),
  lender: z.enum(["good", "refused", "review_authorised", "review_refused", "confirmation_refused"]),
  card: z.string(),
  attempts: z.array(z.object({ state: z.string(), charge: z.boolean(), ending: z.string(), live })),
  refunds: z.array(
    z.object({
      amount: z.number(),
      status: z.string(),
      allocated: z.boolean(),
      movements: z.array(movementSchema),
      live,
    }),
  ),
  collection: z.object({
    state: z.string(),
    failure: z.string(),
    trigger: z.string(),
    live,
    charges: z.array(z.object({ status: z.string(), price: z.number(), commission: z.number() })),
  }),
  chargebacks: z.array(z.object({ noted: z.boolean(), open: z.boolean() })),
  accepted: z.number(),
  refunded: z.number(),
  cancelled: z.number(),
  collected: z.number(),
  paidEvents: z.number(),
  answer: z.string(),
  world: z.object({
    took: z.array(z.tuple([pair, z.number()])),
    gave: z.array(z.tuple([pair, z.number()])),
    loan: z.number(),
    pressed: z.string(),
  }),
});
export type ModelState = z.output<typeof modelStateSchema>;

export interface ModelStep {
  readonly action: string;
  readonly picks: TracedStep["picks"];
  readonly state: ModelState;
}

export function readStep({ action, picks, state }: TracedStep): ModelStep {
  return { action, picks, state: modelStateSchema.parse(state) };
}

const HOW_BY_LUCK = [
  "done",
  "done",
  "done",
  "done",
  "done",
  "done",
  "twice",
  "lost_before",
  "lost_after",
  "dies_after",
];

/** What becomes of the call of this step, as `step` in `order.qnt` reads the pick. */
export function howOf({ picks }: ModelStep): string {
  return HOW_BY_LUCK[z.number().parse(picks.luck)] ?? "done";
}

/** Whether the answer to the inquiry of this step is lost. */
export function isInquiryLost({ picks }: ModelStep): boolean {
  return picks.lost === 0;
}
