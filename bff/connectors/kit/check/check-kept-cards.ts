import { cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import type { CardOfOrder } from "./card-of-order.ts";
import { checkKeyedCall, checkTokensOf } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

/** Cards that a customer keeps beyond one order: kept, used for another order, and forgotten. */
export async function checkKeptCards(run: CheckRun, { cardId }: CardOfOrder): Promise<void> {
  const kept = await checkKeyedCall(run, {
    operation: protocol.keepCard,
    newInput: async () => ({ cardId, customer: run.ids.uuid() }),
    changed: (input) => ({ ...input, customer: run.ids.uuid() }),
    expected: "kept, with an id",
    isExpected: ({ outcome }) => outcome === "kept",
    hasInquiry: true,
  });
  await checkOutcome(run, {
    operation: protocol.keepCard,
    check: "unknown-card",
    expected: "refused",
    input: { cardId: run.ids.uuid(), customer: run.ids.uuid() },
    isExpected: ({ outcome }) => outcome === "refused",
  });
  if (kept?.outcome.outcome !== "kept") return;
  const { storedCardId } = kept.outcome;
  const customer = String(kept.input.customer);
  await checkShownCards(run, { check: "kept-card-is-listed", customer, storedCardId, isKept: true });
  await checkShownCards(run, { check: "nobody-elses-card", customer: run.ids.uuid(), storedCardId, isKept: false });
  await checkTokensOf(run, protocol.keptCards.path, async () =>
    JSON.stringify({ providerId: run.providerId, customer }),
  );
  await checkUse(run, { storedCardId, customer });
  await checkForgetting(run, { storedCardId, customer });
}

interface StoredCard {
  readonly storedCardId: string;
  readonly customer: string;
}

async function checkShownCards(
  run: CheckRun,
  { check, customer, storedCardId, isKept }: StoredCard & { readonly check: string; readonly isKept: boolean },
): Promise<void> {
  const { path, answer } = protocol.keptCards;
  const reply = await run.read(path, { providerId: run.providerId, customer });
  const read = readAnswer(run, answer, reply);
  const isListed = "answer" in read && read.answer.cards.some((card) => card.storedCardId === storedCardId);
  const expected = isKept ? "the customer's card is in the list" : "the card is not in the list";
  run.note(path, check, expected, "answer" in read && isListed === isKept ? null : run.describe(reply));
}

async function checkUse(run: CheckRun, { storedCardId, customer }: StoredCard): Promise<void> {
  const newInput = async (): Promise<Json> => ({ storedCardId, customer, orderHash: run.order() });
  await checkKeyedCall(run, {
    operation: protocol.registerStoredCard,
    newInput,
    changed: (input) => ({ ...input, orderHash: run.order() }),
    expected: "registered for the order, with the last four digits of the card that was kept",
    isExpected: (outcome) =>
      outcome.outcome === "registered" && outcome.card.last4 === run.values.card.number.slice(-4),
    hasInquiry: false,
  });
  const base = {
    operation: protocol.registerStoredCard,
    expected: "not_kept",
    isExpected: ({ outcome }: { readonly outcome: string }) => outcome === "not_kept",
  };
  const input = await newInput();
  await checkOutcome(run, {
    ...base,
    check: "card-of-another-customer",
    input: { ...input, customer: run.ids.uuid() },
  });
  await checkOutcome(run, { ...base, check: "unknown-card", input: { ...input, storedCardId: run.ids.uuid() } });
}

async function checkForgetting(run: CheckRun, { storedCardId, customer }: StoredCard): Promise<void> {
  await checkKeyedCall(run, {
    operation: protocol.forgetCard,
    // An unknown kept card counts as forgotten.
    newInput: async () => ({ storedCardId: run.ids.uuid(), customer: run.ids.uuid() }),
    changed: (input) => ({ ...input, storedCardId: run.ids.uuid() }),
    expected: "forgotten, also of a card that is not kept",
    isExpected: ({ outcome }) => outcome === "forgotten",
    hasInquiry: true,
  });
  await checkOutcome(run, {
    operation: protocol.forgetCard,
    check: "kept-card",
    expected: "forgotten",
    input: { storedCardId, customer },
    isExpected: ({ outcome }) => outcome === "forgotten",
  });
  await checkShownCards(run, { check: "forgotten-card-is-gone", customer, storedCardId, isKept: false });
  await checkOutcome(run, {
    operation: protocol.registerStoredCard,
    check: "forgotten-card",
    expected: "not_kept",
    input: { storedCardId, customer, orderHash: run.order() },
    isExpected: ({ outcome }) => outcome === "not_kept",
  });
}
