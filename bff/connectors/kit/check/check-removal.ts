import { cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import type { CardOfOrder, RegisterNew } from "./card-of-order.ts";
import { checkKeyedCall } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

const isRemoved = ({ outcome }: { readonly outcome: string }) => outcome === "removed";
const { path } = protocol.removeCard;

/** A removed card cannot be charged. Its earlier charges can still be refunded, and cards kept from it remain. */
export async function checkRemoval(run: CheckRun, registerNew: RegisterNew): Promise<void> {
  await checkKeyedCall(run, {
    operation: protocol.removeCard,
    // An unknown card counts as removed.
    newInput: async () => ({ cardId: run.ids.uuid(), orderHash: run.order() }),
    changed: (input) => ({ ...input, cardId: run.ids.uuid() }),
    expected: "removed, also of a card that is not there",
    isExpected: isRemoved,
    hasInquiry: true,
  });
  const card = await registerNew(run.values.card);
  if (card === null) {
    run.noteNotChecked(path, "removed-card", "…", "card could not be registered again");
    return;
  }
  const chargeId = await charge(run, card, "charge-before-removal");
  const customer = run.ids.uuid();
  await checkOutcome(run, {
    operation: protocol.keepCard,
    check: "card-to-remove",
    expected: "kept",
    input: { cardId: card.cardId, customer },
    isExpected: ({ outcome }) => outcome === "kept",
  });
  await checkForeignRemovals(run, card);
  if (chargeId === null) return;
  await checkOutcome(run, {
    operation: protocol.removeCard,
    check: "own-card",
    expected: "removed",
    input: { ...card },
    isExpected: isRemoved,
  });
  await checkAfterwards(run, { card, chargeId, customer });
}

function chargeOf(run: CheckRun, { cardId, orderHash }: CardOfOrder): Json {
  const { amount } = run.values;
  return { cardId, amount, orderHash, initiator: "patient", authenticationId: null, initialChargeId: null };
}

async function charge(run: CheckRun, card: CardOfOrder, check: string): Promise<string | null> {
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.charge,
    check,
    expected: "captured: the card is there",
    input: chargeOf(run, card),
    isExpected: (answer) => answer.outcome === "captured",
  });
  if (outcome?.outcome !== "captured") return null;
  run.expectInList(protocol.movements.path, key, { amount: outcome.amount, kind: "charge" });
  return outcome.chargeId;
}

/** A removal that names another order or provider has no effect on this card. */
async function checkForeignRemovals(run: CheckRun, card: CardOfOrder): Promise<void> {
  const removal = { operation: protocol.removeCard, expected: "removed, which it is not there", isExpected: isRemoved };
  await checkOutcome(run, { ...removal, check: "card-of-another-order", input: { ...card, orderHash: run.order() } });
  await checkOutcome(run, {
    ...removal,
    check: "card-of-another-provider",
    input: { ...card },
    providerId: run.otherProviderId,
  });
  await charge(run, card, "card-that-others-removed");
}

async function checkAfterwards(
  run: CheckRun,
  { card, chargeId, customer }: { readonly card: CardOfOrder; readonly chargeId: string; readonly customer: string },
): Promise<void> {
  await checkOutcome(run, {
    operation: protocol.charge,
    check: "removed-card",
    expected: "declined",
    input: chargeOf(run, card),
    isExpected: ({ outcome }) => outcome === "declined",
  });
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.returnCharge,
    check: "charge-of-a-removed-card",
    expected: "returned: a return names the charge, and needs no card",
    input: { chargeId, amount: run.values.amount, orderHash: card.orderHash },
    isExpected: (answer) => answer.outcome === "returned",
  });
  if (outcome?.outcome === "returned")
    run.expectInList(protocol.movements.path, key, { amount: outcome.amount, kind: "return" });
  const reply = await run.read(protocol.keptCards.path, { providerId: run.providerId, customer });
  const read = readAnswer(run, protocol.keptCards.answer, reply);
  const isKept = "answer" in read && read.answer.cards.length === 1;
  const expected = "what is kept of a removed card for a customer stays";
  run.note(protocol.keptCards.path, "kept-of-a-removed-card", expected, isKept ? null : run.describe(reply));
}
