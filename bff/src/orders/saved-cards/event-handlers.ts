import { isOrderId } from "../../contract/vocabulary/identifiers.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { findBeneficiaryById } from "../../patients/patients.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers } from "../../platform/outbox.ts";
import type { Provider } from "../../platform/provider.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { OrderRecord } from "../order-record.ts";
import { readOrder } from "../order-store.ts";
import { deleteAsked, readCardOfOrder, writeSaving } from "./saved-card-store.ts";
import { settlingTimer } from "./saved-cards.ts";

export interface SavedCardEventsDependencies extends NotifyPatientDependencies {
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
}

/** Has the card of a paid order kept, if its patient asked for it, and tells of a saved card's first use at a clinic. */
export function handleSavedCardEvents(events: EventHandlers, dependencies: SavedCardEventsDependencies): void {
  events.subscribe("order.paid", async (tx, event) => {
    const order = await orderOf(tx, event);
    if (order?.card == null) return;
    const paid = { ...order, cardId: order.card.id, at: event.createdAt };
    const saving = await writeSaving(tx, paid);
    if (saving !== null) await scheduleTimer(tx, settlingTimer(saving, dependencies.clock.now()));
    await notifyFirstUse(dependencies, tx, paid);
  });
  for (const end of ["order.cancelled", "order.failed"] as const)
    events.subscribe(end, async (tx, event) => {
      const order = await orderOf(tx, event);
      if (order !== null) await deleteAsked(tx, order);
    });
}

async function orderOf(tx: Transaction, { providerId, orderId }: DomainEvent): Promise<OrderRecord | null> {
  return orderId === null || !isOrderId(orderId) ? null : readOrder(tx, { providerId, orderId });
}

/** The cause names the card, and causes are a provider's own: at each clinic the patient is told once. */
async function notifyFirstUse(
  dependencies: SavedCardEventsDependencies,
  tx: Transaction,
  paid: OrderRecord & { readonly cardId: string },
): Promise<void> {
  const card = await readCardOfOrder(tx, paid);
  if (card === null || card.providerId === paid.providerId) return;
  const provider = await dependencies.findProvider(tx, paid.providerId);
  const patient = await findBeneficiaryById(tx, card.beneficiaryId);
  if (provider === null || patient === null) return;
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `saved_card_used:${card.id}`,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: {
      kind: "saved_card_used",
      firstName: patient.firstName,
      clinic: provider.name,
      cardEnding: card.last4,
    },
  });
}
