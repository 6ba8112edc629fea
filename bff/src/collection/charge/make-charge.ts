import { listedCharge } from "../../gateways/listed-calls.ts";
import { type AttemptCalls, type RanAttempt, runCall } from "../../gateways/run-call.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { CollectionStatus } from "../collection.ts";
import { countInquiry } from "../collection-store.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import type { OpenCharge } from "./open-charge.ts";
import { retryDecision } from "./retry-decision.ts";
import { type ChargeAnswer, settleCharge } from "./settle-charge.ts";

/** A stored charge. Once it has ended, also the collection's status, and the answer if that answer ended it. */
export interface Charging {
  readonly charge: OpenCharge;
  readonly status: CollectionStatus | null;
  readonly answer: ChargeAnswer | null;
}

/**
 * Has the processor make a stored charge, or inquires about its outcome. `at` is the time of the last call that the
 * attempt records.
 */
export function makeCharge(
  dependencies: CollectionDependencies,
  provider: Provider,
  { charge: opened, mayHaveArrived }: { readonly charge: OpenCharge; readonly mayHaveArrived: boolean },
  at: Date,
): Promise<RanAttempt<Charging>> {
  const { db, clock, cardProcessor } = dependencies;
  const calls: AttemptCalls<Charging, ChargeAnswer> = {
    nextCall: ({ charge, status }) => {
      if (status !== null) return null;
      const { key, attemptId, connector } = charge;
      const under = { providerId: key.providerId, idempotencyKey: `${attemptId}:collection`, at, connector };
      return {
        under,
        inquire: () => cardProcessor.inquireCharge(under),
        call: () => cardProcessor.charge(under, inputOf(charge)),
        listed: listedCharge(cardProcessor, under, charge.startedAt),
      };
    },
    retryDecision: async ({ charge }) => {
      const decided = await inTransaction(db, (tx) => retryDecision(tx, dependencies, charge, at));
      return typeof decided === "string" ? decided : { ended: { charge, status: decided, answer: null } };
    },
    settle: async (tx, { charge }, answer) => {
      const answeredAt = providerNow(provider, clock.now());
      return { charge, status: await settleCharge(tx, dependencies, charge, answer, answeredAt), answer };
    },
    release: async ({ charge: { key, attemptId } }) => (mayHaveArrived ? countInquiry(db, key, attemptId) : 0),
  };
  return runCall(db, calls, { attempt: { charge: opened, status: null, answer: null }, mayHaveArrived });
}

/**
 * A charge by mandate involves no challenge. A patient who pays now has passed the issuer's challenge, if there was
 * one.
 */
function inputOf({
  key,
  cardId,
  amount,
  initiator,
  authenticationId,
  initialChargeId,
  initialNetworkTransactionId,
}: OpenCharge) {
  return {
    cardId,
    amount,
    orderHash: key.orderId,
    initiator,
    authenticationId,
    initialChargeId,
    ...(initialNetworkTransactionId !== null && { initialNetworkTransactionId }),
  };
}
