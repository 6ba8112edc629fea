import { causeOf } from "../../src/contract/errors.ts";
import { type CardToSeal, cardToSealSchema } from "../../src/contract/orders.ts";
import type { Clp } from "../../src/contract/vocabulary/clp.ts";
import { passesLuhn } from "../../src/contract/vocabulary/luhn.ts";
import type {
  AuthenticationOutcome,
  CardProcessor,
  ChargeOutcome,
  ProcessorMovement,
  RegisterCardOutcome,
  RemoveCardOutcome,
} from "../../src/gateways/card-processor.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import {
  authenticationSchema,
  chargeSchema,
  registrationSchema,
  removalSchema,
} from "../../src/gateways/protocols/card-processor.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { readAllPages } from "../calls/read-all-pages.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import type { SealingKeys } from "../sealing/sealing-keys.ts";
import {
  asksPatient,
  CHARGE_MAX,
  decideCharge,
  isExpired,
  isSealedFor,
  type MagicCard,
  registrationDecline,
} from "./card.ts";
import { cardBrandOf } from "./card-brand.ts";
import { openVisit, visitAsOfNow } from "./card-page-visit.ts";
import {
  countCharge,
  endAuthentication,
  findAuthentication,
  insertAuthentication,
  insertCard,
  insertMovement,
  lockCard,
  lockCharge,
  pageMovements,
  reportedCard,
  type StoredAuthentication,
  type StoredCard,
  writeRemoved,
} from "./card-processor-store.ts";
import { keptCardsOf } from "./kept-cards.ts";
import { returnsOf } from "./returns.ts";
import { firstMovementOf, settlementsOf } from "./settlements.ts";
import { chargeVoucher, movementVoucher, networkNameOf } from "./vouchers.ts";

/** How long the bank's page waits for the patient. */
const CHALLENGE_MINUTES = 10;

export interface SandboxCardProcessorDependencies extends SandboxDependencies {
  readonly clock: Clock;
  readonly sealingKeys: SealingKeys;
  /** The behaviour of a card number; null if it is not in the catalogue, so that it is approved. */
  readonly magicCard: (number: string) => MagicCard | null;
  /** The origin at which `createPagesApp` serves the bank's page. */
  readonly challengeOrigin: string;
}

type Definite<Outcome> = Exclude<Outcome, Unknown>;
type Input<Method extends "registerCard" | "authenticate" | "charge"> = Parameters<CardProcessor[Method]>[1];

const PARTY = "card-processor";

/**
 * A card processor whose behaviour depends on the card's number, as the catalogue specifies. It remembers every call by
 * its idempotency key in separate tables and transactions, and never stores a number or a security code.
 */
export function createSandboxCardProcessor(dependencies: SandboxCardProcessorDependencies): CardProcessor {
  const { db, sealingKeys, challengeOrigin } = dependencies;
  const charging = (call: GatewayCall) => ({ party: PARTY, operation: "charge", call, answer: chargeSchema }) as const;
  const removing = (call: GatewayCall) =>
    ({ party: PARTY, operation: "removeCard", call, answer: removalSchema }) as const;
  const authenticating = (call: GatewayCall) =>
    ({ party: PARTY, operation: "authenticate", call, answer: authenticationSchema }) as const;
  return {
    challengeOrigin,
    sealingKey: () => sealingKeys.newest(),
    // The sandbox accepts cards both ways: each of its providers chooses one for its patients.
    cardPage: async () => "also",
    cardPageDisplay: async () => undefined,
    async registerCard(call, input) {
      return visitAsOfNow(db, await registerCard(dependencies, call, input), call.at);
    },
    async inquireRegistration(call) {
      const asked = { party: PARTY, operation: "registerCard", call, answer: registrationSchema } as const;
      return visitAsOfNow(db, await inquire(dependencies, { ...asked, method: "inquireRegistration" }), call.at);
    },
    removesCards: async () => true,
    chargeLimits: async () => ({ perCharge: CHARGE_MAX }),
    removeCard: (call, input) =>
      callOnce(dependencies, { ...removing(call), input }, async (tx): Promise<Effect<Definite<RemoveCardOutcome>>> => {
        await writeRemoved(tx, { ...input, providerId: call.providerId, at: call.at });
        return { answered: { outcome: "removed" } };
      }),
    inquireRemoval: (call) => inquire(dependencies, { ...removing(call), method: "inquireRemoval" }),
    ...keptCardsOf(dependencies),
    async authenticate(call, input) {
      const answer = await callOnce(dependencies, { ...authenticating(call), input }, (tx) =>
        authenticate(dependencies, tx, call, input),
      );
      return asOfNow(db, answer, call.at);
    },
    async inquireAuthentication(call) {
      const answer = await inquire(dependencies, { ...authenticating(call), method: "inquireAuthentication" });
      return answer.outcome === "not_found" ? answer : asOfNow(db, answer, call.at);
    },
    charge: (call, input) =>
      callOnce(dependencies, { ...charging(call), input }, (tx) => charge(dependencies, tx, call, input)),
    inquireCharge: (call) => inquire(dependencies, { ...charging(call), method: "inquireCharge" }),
    ...returnsOf(dependencies),
    listMovements: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listMovements", providerId }, () =>
        readAllPages<ProcessorMovement>((last) => pageMovements(db, { providerId, from, to, after: last })).then(
          (movements) => movements.map((movement) => ({ ...movement, ...movementVoucher(movement) })),
        ),
      ),
    listSettlements: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listSettlements", providerId }, async () => {
        const settled = { from: firstMovementOf(from), to };
        const movements = await readAllPages<ProcessorMovement>((last) =>
          pageMovements(db, { providerId, ...settled, after: last }),
        );
        return settlementsOf(providerId, movements).filter(({ at }) => at >= from && at < to);
      }),
  };
}

async function registerCard(
  dependencies: SandboxCardProcessorDependencies,
  call: GatewayCall,
  input: Input<"registerCard">,
): Promise<RegisterCardOutcome> {
  const { sealedCard, orderHash, returnUrl } = input;
  const asked = { party: PARTY, operation: "registerCard", call, input, answer: registrationSchema } as const;
  if (sealedCard === null)
    return callOnce(dependencies, asked, (tx) =>
      openVisit(dependencies, tx, call, { orderHash, returnUrl: returnUrl ?? "", sealed: null }),
    );
  const opened = cardToSealSchema.safeParse(await dependencies.sealingKeys.open(sealedCard));
  if (!opened.success) return { outcome: "sealed_card_refused" };
  return callOnce(dependencies, asked, (tx) =>
    addCard(dependencies, tx, call, { card: opened.data, orderHash, returnUrl }),
  );
}

async function addCard(
  dependencies: SandboxCardProcessorDependencies,
  tx: Transaction,
  call: GatewayCall,
  { card, orderHash, returnUrl }: { card: CardToSeal } & Pick<Input<"registerCard">, "orderHash" | "returnUrl">,
): Promise<Effect<Definite<RegisterCardOutcome>>> {
  if (!isSealedFor(card, orderHash, call.at)) return { answered: { outcome: "sealed_card_refused" } };
  const { ids, magicCard } = dependencies;
  const known = magicCard(card.number);
  const behaviour = known?.behaviour ?? "approved";
  const registered = {
    id: ids.uuid(),
    brand: cardBrandOf(card.number),
    last4: card.number.slice(-4),
    expMonth: card.exp_month,
    expYear: card.exp_year,
    holderName: card.holder_name,
    kind: known?.kind ?? ("credit" as const),
  };
  const reason = registrationDecline(
    { ...registered, behaviour, known: known !== null, passesLuhn: passesLuhn(card.number) },
    call.at,
  );
  if (reason !== null) return { answered: { outcome: "declined", reason } };
  if ((behaviour === "confirmed_on_page" || behaviour === "enrolled_in_window") && returnUrl !== undefined) {
    const { id: _, ...shown } = registered;
    return openVisit(dependencies, tx, call, { orderHash, returnUrl, sealed: { ...shown, behaviour } });
  }
  const stored = { ...registered, providerId: call.providerId, orderHash, behaviour, registeredAt: call.at };
  await insertCard(tx, stored, null);
  return { answered: { outcome: "registered", card: reportedCard(stored) } };
}

async function authenticate(
  { ids, clock, challengeOrigin }: SandboxCardProcessorDependencies,
  tx: Transaction,
  call: GatewayCall,
  input: Input<"authenticate">,
): Promise<Effect<Definite<AuthenticationOutcome>>> {
  const { providerId } = call;
  const card = await lockCard(tx, { providerId, cardId: input.cardId });
  if (card === undefined) return { answered: { outcome: "declined", reason: "declined" } };
  if (!asksPatient(card, input.purpose)) return { answered: { outcome: "not_needed" } };
  const id = ids.uuid();
  const lifetimeMs = CHALLENGE_MINUTES * 60_000;
  const expiresAt = new Date(call.at.getTime() + lifetimeMs);
  const pageExpiresAt = new Date(clock.now().getTime() + lifetimeMs);
  await insertAuthentication(tx, { ...input, id, providerId, expiresAt, pageExpiresAt }, call.at);
  const url = `${challengeOrigin}/challenge/${id}`;
  return { answered: { outcome: "challenge", authenticationId: id, url, expiresAt } };
}

function authenticated(authenticationId: string) {
  return {
    outcome: "authenticated",
    authenticationId,
    networkTransactionId: networkNameOf(authenticationId),
  } as const;
}

/** The current state of a challenge. An expired challenge is abandoned for good. */
async function asOfNow(
  db: Database,
  answer: AuthenticationOutcome,
  at: Date,
): Promise<Exclude<AuthenticationOutcome, { outcome: "not_found" }>> {
  if (answer.outcome !== "challenge") return answer;
  if (at >= answer.expiresAt) await endAuthentication(db, answer.authenticationId, "abandoned");
  const stored = await findAuthentication(db, answer.authenticationId);
  switch (stored?.state) {
    case "pending":
      return answer;
    case "authenticated":
      return authenticated(answer.authenticationId);
    case "failed":
      return { outcome: "declined", reason: "authentication_failed" };
    default:
      return { outcome: "declined", reason: "authentication_abandoned" };
  }
}

async function charge(
  { ids }: SandboxCardProcessorDependencies,
  tx: Transaction,
  call: GatewayCall,
  input: Input<"charge">,
): Promise<Effect<Definite<ChargeOutcome>>> {
  const card = await lockCard(tx, { providerId: call.providerId, cardId: input.cardId });
  if (card === undefined) return { answered: { outcome: "declined", reason: "declined", hard: true } };
  const authenticated = covers(await authenticationOf(tx, input), card, input);
  const isUnderMandate = await isMandated(tx, card, input);
  const decision = decideCharge({
    ...card,
    ...input,
    authenticated,
    isUnderMandate,
    expired: isExpired(card, call.at),
  });
  if (decision.kind === "call_lost") {
    await countCharge(tx, card.id, "calls_lost");
    return { lost: true };
  }
  if (decision.kind === "declined") {
    await countCharge(tx, card.id, "charges_declined");
    return { answered: { outcome: "declined", ...causeOf(decision), hard: decision.hard } };
  }
  const id = ids.uuid();
  await insertMovement(tx, { ...call, ...input, id, kind: "charge", chargeId: id });
  await countCharge(tx, card.id, "charges_captured");
  const answer = { outcome: "captured", chargeId: id, amount: input.amount, ...chargeVoucher(id) } as const;
  return decision.answerLost ? { unanswered: answer } : { answered: answer };
}

async function authenticationOf(
  tx: Transaction,
  input: Pick<Input<"charge">, "authenticationId">,
): Promise<StoredAuthentication | undefined> {
  return input.authenticationId === null ? undefined : findAuthentication(tx, input.authenticationId);
}

/**
 * Whether a call names its mandate: the patient's own charge of the card, or the authentication with which the card was
 * registered. If the mandate has a network id, the call must name that too.
 */
async function isMandated(
  tx: Transaction,
  card: StoredCard,
  input: Pick<Input<"charge">, "initialChargeId" | "authenticationId" | "initialNetworkTransactionId">,
): Promise<boolean> {
  const { initialChargeId: chargeId, initialNetworkTransactionId: named } = input;
  const isNamed = (id: string) => named === undefined || named === networkNameOf(id);
  if (chargeId !== null) {
    const initial = await lockCharge(tx, { providerId: card.providerId, chargeId });
    return initial?.cardId === card.id && isNamed(initial.id);
  }
  const given = await authenticationOf(tx, input);
  if (given?.state !== "authenticated" || given.purpose !== "mandate") return false;
  return given.cardId === card.id && isNamed(given.id);
}

/** Whether an authentication is valid for this payment: only for the requested amount or less. */
function covers(
  authentication: StoredAuthentication | undefined,
  card: StoredCard,
  input: { readonly amount: Clp; readonly orderHash: StoredCard["orderHash"] },
): boolean {
  return (
    authentication?.state === "authenticated" &&
    authentication.purpose === "payment" &&
    authentication.cardId === card.id &&
    authentication.amount >= input.amount &&
    authentication.orderHash === input.orderHash
  );
}
