import type * as z from "zod/mini";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import { cardEntrySchema, cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import { type GivenCard, isCard, type RegisterNew } from "./card-of-order.ts";
import { checkCardPage } from "./check-card-page.ts";
import { checkCharges } from "./check-charges.ts";
import { checkKeptCards } from "./check-kept-cards.ts";
import { checkKeyedCall, type KeyedCall, makeCall } from "./check-keyed-call.ts";
import { checkList } from "./check-list.ts";
import { checkRemoval } from "./check-removal.ts";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";
import { checkKey, seal } from "./check-sealing.ts";
import { checkSettlements } from "./check-settlements.ts";
import type { TestCard } from "./test-values.ts";

type Registration = z.output<typeof protocol.registerCard.outcome>;

export async function checkCardProcessor(run: CheckRun): Promise<void> {
  const entry = await checkKey(run, protocol.sealingKey.path, {
    schema: cardEntrySchema,
    expected: "a public RSA key as JWK, for RSA-OAEP-256, or that cards are taken on the processor's page only",
  });
  if (entry === null) {
    run.noteNotChecked("/card-processor", "everything else", "…", "it is not known how a card is given");
    return;
  }
  const onPage = entry.cardPage === undefined ? null : await checkCardPage(run);
  const sealed = "kid" in entry ? await checkSealedCards(run, entry) : null;
  const given = sealed ?? onPage;
  if (given === null) return;
  await checkCharges(run, given.card, given.registerNew);
  await checkKeptCards(run, given.card);
  if (entry.removesCards === true) await checkRemoval(run, given.registerNew);
  else
    run.noteNotChecked(protocol.removeCard.path, "everything", "…", "the processor says of no card that it removes it");
  run.later.push(
    () => checkList(run, protocol.movements),
    () => checkSettlements(run),
  );
}

async function checkSealedCards(run: CheckRun, key: SealingKey): Promise<GivenCard | null> {
  const done = await checkKeyedCall(run, registrationOf(run, key, run.values.card));
  if (done?.outcome.outcome !== "registered") return null;
  await checkRefusedSeals(run, key);
  const registerNew: RegisterNew = async (card) => {
    const made = await makeCall(run, registrationOf(run, key, card));
    if ("fault" in made || made.outcome.outcome !== "registered") return null;
    return { cardId: made.outcome.card.id, orderHash: String(made.input.orderHash) };
  };
  return { card: { cardId: done.outcome.card.id, orderHash: String(done.input.orderHash) }, registerNew };
}

function registrationOf(run: CheckRun, key: SealingKey, card: TestCard): KeyedCall<Registration> {
  const sealedFor = async (orderHash: string): Promise<Json> => ({
    sealedCard: await sealCard(run, key, { card, orderHash }),
    orderHash,
  });
  return {
    operation: protocol.registerCard,
    newInput: () => sealedFor(run.order()),
    changed: (input) => ({ ...input, orderHash: run.order() }),
    expected: "registered, with the card's last four digits and its expiry or none, under an id that is not its number",
    isExpected: (outcome) => outcome.outcome === "registered" && isCard(outcome.card, card),
    hasInquiry: false,
  };
}

function sealCard(
  run: CheckRun,
  key: SealingKey,
  { card, orderHash, ageMs = 0 }: { card: TestCard; orderHash: string; ageMs?: number },
): Promise<string> {
  const iat = Math.floor((run.clock.now().getTime() - ageMs) / 1_000);
  return seal(key, { ...card, order_token: orderHash, iat });
}

const TOO_OLD_MS = 20 * MINUTE_MS;

/** A sealed card opens only for its own order, and only for fifteen minutes. */
async function checkRefusedSeals(run: CheckRun, key: SealingKey): Promise<void> {
  const { path, outcome } = protocol.registerCard;
  const { card } = run.values;
  const orderHash = run.order();
  const sealed = await sealCard(run, key, { card, orderHash });
  const [header = "", ...parts] = sealed.split(".");
  const wrong: Readonly<Record<string, string>> = {
    "sealed-for-another-order": await sealCard(run, key, { card, orderHash: run.order() }),
    "sealed-too-long-ago": await sealCard(run, key, { card, orderHash, ageMs: TOO_OLD_MS }),
    "sealed-in-the-future": await sealCard(run, key, { card, orderHash, ageMs: -TOO_OLD_MS }),
    "sealed-for-an-unknown-key": await sealCard(run, { ...key, kid: run.ids.uuid() }, { card, orderHash }),
    "changed-after-sealing": [header, ...parts.slice(0, -1), "AAAAAAAAAAAAAAAAAAAAAA"].join("."),
  };
  for (const [check, sealedCard] of Object.entries(wrong)) {
    const reply = await run.ask({ path, key: run.key(), input: { sealedCard, orderHash } });
    const read = readAnswer(run, outcome, reply);
    const isRefused = "answer" in read && read.answer.outcome === "sealed_card_refused";
    run.note(path, check, "sealed_card_refused", isRefused ? null : run.describe(reply));
  }
}
