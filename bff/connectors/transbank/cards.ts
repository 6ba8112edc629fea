import * as z from "zod/mini";
import type { CardProcessor, RegisteredCard } from "../../src/gateways/card-processor.ts";
import type { Unknown } from "../../src/gateways/gateway-call.ts";
import {
  forgettingSchema,
  keepingSchema,
  removalSchema,
  storedRegistrationSchema,
} from "../../src/gateways/protocols/card-processor.ts";
import type { Transaction } from "../../src/platform/database/transaction.ts";
import { type Decision, type KeptOperation, localOperation, UNKNOWN } from "../kit/kept-calls.ts";
import {
  type EnrolledUser,
  findCard,
  findKeptCard,
  findUser,
  forgetKeptCard,
  insertCard,
  insertKeptCard,
  listKeptCards,
  lockUser,
  releaseUser,
  removeCard,
} from "./card-store.ts";
import type { Oneclick } from "./oneclick.ts";

/*
 * One enrolment at Transbank may serve several orders of a patient, and be kept for later ones: each use is a row here.
 * When the last one is removed, the connector requests the enrolment's deletion.
 */

type CardPart = Pick<
  CardProcessor,
  | "keepCard"
  | "inquireKeptCard"
  | "registerStoredCard"
  | "forgetCard"
  | "inquireForgotten"
  | "removeCard"
  | "inquireRemoval"
  | "listKeptCards"
>;

const planSchema = z.object({ userId: z.string() });
type Plan = z.output<typeof planSchema>;

const FORGOTTEN = { outcome: "forgotten" } as const;
const REMOVED = { outcome: "removed" } as const;

export function shownCard(id: string, { brand, last4, kind }: EnrolledUser): RegisteredCard {
  return { id, brand, last4, kind };
}

export function createCards(oneclick: Oneclick): CardPart {
  const { calls, clock, db, ids } = oneclick;
  const keep = localOperation("keep-card", keepingSchema);
  const registerStored = localOperation("register-stored-card", storedRegistrationSchema);
  const forget = deletion(oneclick, {
    operation: "forget-card",
    outcome: forgettingSchema,
    done: FORGOTTEN,
  });
  const remove = deletion(oneclick, { operation: "remove-card", outcome: removalSchema, done: REMOVED });

  return {
    keepCard: (call, input) =>
      calls.perform(keep, call, input, async (tx) => {
        const { providerId } = call;
        const user = await findCard(tx, { providerId, cardId: input.cardId });
        if (user === undefined || !(await lockUser(tx, user.id))) return { answer: { outcome: "refused" } };
        const storedCardId = ids.uuid();
        await insertKeptCard(tx, { storedCardId, customer: input.customer, userId: user.id, at: clock.now() });
        return { answer: { outcome: "kept", storedCardId } };
      }),
    inquireKeptCard: (call) => calls.inquire(keep, call),
    registerStoredCard: (call, input) =>
      calls.perform(registerStored, call, input, async (tx) => {
        const user = await findKeptCard(tx, input);
        if (user === undefined || !(await lockUser(tx, user.id))) return { answer: { outcome: "not_kept" } };
        const cardId = ids.uuid();
        const { providerId } = call;
        await insertCard(tx, { cardId, providerId, orderHash: input.orderHash, userId: user.id, at: clock.now() });
        return { answer: { outcome: "registered", card: shownCard(cardId, user) } };
      }),
    forgetCard: (call, input) =>
      calls.perform(forget, call, input, (tx) =>
        lastUse(oneclick, tx, {
          forgotten: () => forgetKeptCard(tx, input, clock.now()),
          done: FORGOTTEN,
        }),
      ),
    inquireForgotten: (call) => calls.inquire(forget, call),
    removeCard: (call, input) =>
      calls.perform(remove, call, input, (tx) => {
        const name = { providerId: call.providerId, ...input };
        return lastUse(oneclick, tx, {
          forgotten: () => removeCard(tx, name, clock.now()),
          done: REMOVED,
        });
      }),
    inquireRemoval: (call) => calls.inquire(remove, call),
    async listKeptCards({ customer }) {
      const kept = await listKeptCards(db, customer);
      return kept.map(({ storedCardId, brand, last4 }) => ({ storedCardId, brand, last4 }));
    },
  };
}

/** Ends one use of an enrolment; if it was the last, the enrolment is deleted at Transbank. */
async function lastUse<Outcome>(
  { clock }: Oneclick,
  tx: Transaction,
  { forgotten, done }: { readonly forgotten: () => Promise<string | undefined>; readonly done: Outcome },
): Promise<Decision<Outcome, Plan>> {
  const userId = await forgotten();
  if (userId === undefined) return { answer: done };
  await lockUser(tx, userId);
  return (await releaseUser(tx, userId, clock.now())) ? { send: { userId } } : { answer: done };
}

/** Deleting twice does no harm: an unknown enrolment is a deleted one. */
function deletion<Outcome>(
  { api, db }: Oneclick,
  { operation, outcome, done }: { operation: string; outcome: z.ZodMiniType<Outcome>; done: Outcome },
): KeptOperation<Outcome, Plan> {
  const send = async ({ userId }: Plan): Promise<Outcome | Unknown> => {
    const user = await findUser(db, userId);
    if (user === undefined) return UNKNOWN;
    const reply = await api.remove(user);
    return reply.is === "answer" || reply.status === 404 ? done : UNKNOWN;
  };
  return { operation, outcome, plan: planSchema, send, recover: send };
}
