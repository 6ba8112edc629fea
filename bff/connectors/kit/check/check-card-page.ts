import { isDeepStrictEqual } from "node:util";
import type * as z from "zod/mini";
import { MINUTE_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { type CardOfOrder, type GivenCard, isCard } from "./card-of-order.ts";
import { checkKeyedCall, type Done, type KeyedCall, makeCall } from "./check-keyed-call.ts";
import { type CheckRun, readAnswer } from "./check-run.ts";
import type { TestCard } from "./test-values.ts";

const operation = cardProcessorProtocol.registerCard;
type Registration = z.output<typeof operation.outcome>;
type Page = Extract<Registration, { readonly outcome: "page" }>;

/** Cards that a person enters on the processor's own page, if a person is available. */
export async function checkCardPage(run: CheckRun): Promise<GivenCard | null> {
  const done = await checkKeyedCall(run, openingOf(run));
  if (done?.outcome.outcome !== "page") return null;
  if (!(await isAtOneOrigin(run, done.outcome))) return null;
  if (run.giveCard === null) {
    const reason = "nobody gives a card on the page (--cards-by-hand)";
    run.noteNotChecked(operation.path, "card-given-on-page", GIVEN, reason);
    return null;
  }
  const card = await checkGiven(run, run.values.card);
  if (card === null) return null;
  return { card, registerNew: async (other) => (await giveOnPage(run, other))?.card ?? null };
}

const GIVEN = "the inquiry tells the card that was given on the page, and always the same";

function openingOf(run: CheckRun): KeyedCall<Registration> {
  return {
    operation,
    newInput: async () => ({ sealedCard: null, orderHash: run.order(), returnUrl: "https://checkout.example/" }),
    changed: (input) => ({ ...input, orderHash: run.order() }),
    expected: "page, with its address and until when it takes a card",
    isExpected: (outcome) => outcome.outcome === "page" && outcome.expiresAt > run.clock.now(),
    hasInquiry: true,
  };
}

/** The widget frames one origin of the processor, and no other. */
async function isAtOneOrigin(run: CheckRun, first: Page): Promise<boolean> {
  const made = await makeCall(run, openingOf(run));
  const origins = [first, "fault" in made ? null : made.outcome].map((page) =>
    page?.outcome === "page" ? new URL(page.url).origin : "none",
  );
  const isOne = new Set(origins).size === 1;
  run.note(operation.path, "one-origin", "every page is at one origin", isOne ? null : origins.join(" and "));
  return isOne;
}

/** How long a person has to enter a card, and how often the check inquires. */
const GIVING_MS = 10 * MINUTE_MS;
const ASKED_EVERY_MS = 2 * SECOND_MS;

interface Given {
  readonly card: CardOfOrder;
  readonly key: string;
  readonly outcome: Extract<Registration, { readonly outcome: "registered" }>;
}

/**
 * Has a card entered on a page, and waits until the inquiry reports it. Otherwise null, with the actual answer noted.
 */
async function giveOnPage(run: CheckRun, card: TestCard): Promise<Given | null> {
  const made = await makeCall(run, openingOf(run));
  if ("fault" in made || made.outcome.outcome !== "page") return null;
  await run.giveCard?.(made.outcome.url, card);
  const outcome = await waitForCard(run, made);
  if (outcome?.outcome !== "registered") return null;
  return { outcome, key: made.key, card: { cardId: outcome.card.id, orderHash: String(made.input.orderHash) } };
}

async function waitForCard(run: CheckRun, { key }: Done<Registration>): Promise<Registration | null> {
  for (let waitedMs = 0; waitedMs < GIVING_MS; waitedMs += ASKED_EVERY_MS) {
    const state = await inquire(run, key);
    if (state?.outcome !== "page") return state;
    await run.wait(ASKED_EVERY_MS);
  }
  return null;
}

async function inquire(run: CheckRun, key: string): Promise<Registration | null> {
  const read = readAnswer(run, operation.outcome, await run.ask({ path: `${operation.path}/inquiry`, key }));
  return "answer" in read ? read.answer : null;
}

async function checkGiven(run: CheckRun, card: TestCard): Promise<CardOfOrder | null> {
  const given = await giveOnPage(run, card);
  if (given === null) {
    run.note(operation.path, "card-given-on-page", GIVEN, "no card was registered");
    return null;
  }
  const again = await inquire(run, given.key);
  const isSame = isDeepStrictEqual(again, given.outcome);
  const fault =
    isCard(given.outcome.card, card) && isSame
      ? null
      : `${JSON.stringify(given.outcome)}, and then ${JSON.stringify(again)}`;
  run.note(operation.path, "card-given-on-page", GIVEN, fault);
  return given.card;
}
