import * as z from "zod/mini";
import type { ForgetCardOutcome, KeepCardOutcome } from "../../gateways/card-processor.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { type AttemptCalls, type KeyedCall, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { notifyPatient } from "../../notifications/notify-patient.ts";
import { findBeneficiaryById } from "../../patients/patients.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { countInquiry, deleteCard, readSavedCard, type SavedCardRecord, writeKept } from "./saved-card-store.ts";

type SettleDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "cardProcessor" | "findProvider" | "keyring" | "paymentPage" | "consultationDay"
>;
type Answer = Answered<KeepCardOutcome> | Answered<ForgetCardOutcome>;
/** Null if the row is deleted, because the processor keeps nothing. */
type Attempt = SavedCardRecord | null;

const payloadSchema = z.object({ saved_card_id: z.uuid() });

/**
 * Asks the processor to save or remove a card. If it is unknown whether a card to remove was saved, this inquires
 * first, because the removal needs the processor's id of the card.
 */
export async function settleSavedCard(
  dependencies: SettleDependencies,
  { providerId, payload }: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const attempt = await readSavedCard(db, payloadSchema.parse(payload).saved_card_id);
  if (attempt === null) return "done";
  const provider = await dependencies.findProvider(providerId);
  const calls = callsOf(dependencies, provider);
  return timerOutcomeOf(await runCall<Attempt, Answer>(db, calls, { attempt, mayHaveArrived: true }), clock.now());
}

function callsOf(dependencies: SettleDependencies, provider: Provider): AttemptCalls<Attempt, Answer> {
  const { db, clock } = dependencies;
  const at = providerNow(provider, clock.now());
  return {
    nextCall: (card) => nextCall(dependencies, card, at),
    retryDecision: async (card) => {
      if (card?.state !== "removing" || card.storedCardId !== null) return "call";
      // The processor never received the request to keep it, and can no longer receive it.
      await deleteCard(db, card.id);
      return { ended: null };
    },
    settle: async (tx, card, answer) => {
      if (card === null) return null;
      if (answer.outcome === "kept") return kept(dependencies, tx, provider, { card, at, ...answer });
      await deleteCard(tx, card.id);
      return { ...card, state: "asked" };
    },
    release: async (card) => (card === null ? 0 : countInquiry(db, card.id)),
  };
}

function nextCall({ cardProcessor }: SettleDependencies, card: Attempt, at: Date): KeyedCall<Answer> | null {
  if (card === null || card.state === "asked" || card.state === "saved") return null;
  const { id, providerId, cardId, storedCardId, beneficiaryId: customer } = card;
  if (storedCardId === null)
    return {
      under: { providerId, idempotencyKey: `${id}:keep`, at, connector: null },
      inquire: (under) => cardProcessor.inquireKeptCard(under),
      call: (under) => cardProcessor.keepCard(under, { cardId, customer }),
    };
  return {
    under: { providerId, idempotencyKey: `${id}:forget`, at, connector: null },
    inquire: (under) => cardProcessor.inquireForgotten(under),
    call: (under) => cardProcessor.forgetCard(under, { storedCardId, customer }),
  };
}

/** Records that the processor keeps the card and notifies its patient, unless they removed it meanwhile. */
async function kept(
  dependencies: SettleDependencies,
  tx: Transaction,
  provider: Provider,
  { card, storedCardId, at }: { readonly card: SavedCardRecord; readonly storedCardId: string; readonly at: Date },
): Promise<SavedCardRecord | null> {
  const saved = await writeKept(tx, card.id, { storedCardId, at });
  if (saved?.state !== "saved") return saved;
  const patient = await findBeneficiaryById(tx, saved.beneficiaryId);
  if (patient !== null)
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `card_saved:${card.id}`,
      to: patient.email,
      rut: patient.rut,
      orderId: saved.orderId,
      beneficiaryId: patient.id,
      notification: {
        kind: "card_saved",
        firstName: patient.firstName,
        clinic: provider.name,
        cardEnding: saved.last4,
      },
    });
  return saved;
}
