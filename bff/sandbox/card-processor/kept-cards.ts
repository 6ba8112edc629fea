import type {
  CardProcessor,
  ForgetCardOutcome,
  KeepCardOutcome,
  RegisterStoredCardOutcome,
} from "../../src/gateways/card-processor.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import {
  forgettingSchema,
  keepingSchema,
  storedRegistrationSchema,
} from "../../src/gateways/protocols/card-processor.ts";
import { inTransaction, type Transaction } from "../../src/platform/database/transaction.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { isExpired } from "./card.ts";
import {
  findKeptCards,
  insertCard,
  insertKeptCard,
  lockCard,
  lockSource,
  reportedCard,
  writeForgotten,
} from "./card-processor-store.ts";

const PARTY = "card-processor";

type KeptCards = Pick<
  CardProcessor,
  "keepCard" | "inquireKeptCard" | "registerStoredCard" | "forgetCard" | "inquireForgotten" | "listKeptCards"
>;
type Input<Method extends "keepCard" | "registerStoredCard"> = Parameters<CardProcessor[Method]>[1];

/** The part of the sandbox's processor that keeps cards for customers beyond one order. */
export function keptCardsOf(dependencies: SandboxDependencies): KeptCards {
  const keeping = (call: GatewayCall) =>
    ({ party: PARTY, operation: "keepCard", call, answer: keepingSchema }) as const;
  const forgetting = (call: GatewayCall) =>
    ({ party: PARTY, operation: "forgetCard", call, answer: forgettingSchema }) as const;
  return {
    keepCard: (call, input) =>
      callOnce(dependencies, { ...keeping(call), input }, (tx) => keepCard(dependencies, tx, call, input)),
    inquireKeptCard: (call) => inquire(dependencies, { ...keeping(call), method: "inquireKeptCard" }),
    registerStoredCard: (call, input) =>
      callOnce(
        dependencies,
        { party: PARTY, operation: "registerStoredCard", call, input, answer: storedRegistrationSchema },
        (tx) => registerStoredCard(dependencies, tx, call, input),
      ),
    forgetCard: (call, input) =>
      callOnce(
        dependencies,
        { ...forgetting(call), input },
        async (tx): Promise<Effect<Definite<ForgetCardOutcome>>> => {
          await writeForgotten(tx, { ...input, at: call.at });
          return { answered: { outcome: "forgotten" } };
        },
      ),
    inquireForgotten: (call) => inquire(dependencies, { ...forgetting(call), method: "inquireForgotten" }),
    listKeptCards: ({ providerId, customer }) =>
      readListed(dependencies, { party: PARTY, method: "listKeptCards", providerId }, () =>
        inTransaction(dependencies.db, (tx) => listKeptCards(tx, customer)),
      ),
  };
}

type Definite<Outcome> = Exclude<Outcome, Unknown>;

async function keepCard(
  { ids }: SandboxDependencies,
  tx: Transaction,
  { providerId, at }: GatewayCall,
  { cardId, customer }: Input<"keepCard">,
): Promise<Effect<Definite<KeepCardOutcome>>> {
  if ((await lockCard(tx, { providerId, cardId })) === undefined) return { answered: { outcome: "refused" } };
  const storedCardId = ids.uuid();
  await insertKeptCard(tx, { id: storedCardId, cardId, customer, at });
  return { answered: { outcome: "kept", storedCardId } };
}

async function registerStoredCard(
  { ids }: SandboxDependencies,
  tx: Transaction,
  { providerId, at }: GatewayCall,
  { storedCardId, customer, orderHash }: Input<"registerStoredCard">,
): Promise<Effect<Definite<RegisterStoredCardOutcome>>> {
  const kept = (await findKeptCards(tx, customer)).find((card) => card.storedCardId === storedCardId);
  const source = kept && (await lockSource(tx, kept));
  if (source === undefined) return { answered: { outcome: "not_kept" } };
  if (isExpired(source, at)) return { answered: { outcome: "declined", reason: "card_expired" } };
  const { brand, last4, expMonth, expYear, holderName, kind, behaviour } = source;
  const shown = { id: ids.uuid(), brand, last4, expMonth, expYear, holderName, kind };
  // The issuer authenticated the holder when the kept card was registered.
  const card = { ...shown, providerId, orderHash, behaviour, registeredAt: at };
  await insertCard(tx, card, storedCardId);
  const { authenticatedAt: _enrolled, ...reported } = reportedCard(card);
  return { answered: { outcome: "registered", card: reported } };
}

async function listKeptCards(tx: Transaction, customer: string) {
  const cards = [];
  for (const kept of await findKeptCards(tx, customer)) {
    const card = await lockSource(tx, kept);
    if (card === undefined) continue;
    const { brand, last4, expMonth, expYear } = reportedCard(card);
    cards.push({ storedCardId: kept.storedCardId, brand, last4, expMonth, expYear });
  }
  return cards;
}
