import * as z from "zod/mini";
import type { CardProcessor, ProcessorMovement, Settlement } from "../../src/gateways/card-processor.ts";
import { GatewayUnavailable } from "../../src/gateways/gateway-call.ts";
import { authenticationSchema, cardProcessorProtocol } from "../../src/gateways/protocols/card-processor.ts";
import { localOperation } from "../kit/kept-calls.ts";
import { findCard } from "./card-store.ts";
import { createCards } from "./cards.ts";
import { listMovements } from "./charge-store.ts";
import { charge, chargeOperation, inquireCharge } from "./charges.ts";
import { inquireRegistration, registerCard } from "./enrolments.ts";
import type { Oneclick } from "./oneclick.ts";
import { returnCharge, returnOperation } from "./returns.ts";
import { listSettlements } from "./settlement-store.ts";

/** Transbank Oneclick Mall as the service's card processor. */
export function createCardProcessor(oneclick: Oneclick): CardProcessor {
  const { calls, db, pageOrigin, terms } = oneclick;
  const charges = chargeOperation(oneclick);
  const returns = returnOperation(oneclick);
  const authentication = localOperation("authenticate", authenticationSchema);
  return {
    challengeOrigin: pageOrigin,
    sealingKey: () => Promise.reject(new GatewayUnavailable("Cards are enrolled on Webpay only.")),
    cardPage: async () => "only",
    cardPageDisplay: async () => "window",
    removesCards: async () => true,
    chargeLimits: async () => terms.limits,
    registerCard: (call, input) => registerCard(oneclick, call, input),
    inquireRegistration: (call) => inquireRegistration(oneclick, call),
    ...createCards(oneclick),
    // The issuer authenticated the holder when the card was enrolled, and never again.
    authenticate: (call, input) =>
      calls.perform(authentication, call, input, async (tx) => {
        const { providerId } = call;
        const card = await findCard(tx, { providerId, cardId: input.cardId, orderHash: input.orderHash });
        return { answer: card ? { outcome: "not_needed" } : { outcome: "declined", reason: "declined" } };
      }),
    inquireAuthentication: (call) => calls.inquire(authentication, call),
    charge: (call, input) => charge(oneclick, charges, call, input),
    inquireCharge: (call) => inquireCharge(oneclick, charges, call),
    returnCharge: (call, input) => returnCharge(oneclick, returns, call, input),
    inquireReturn: (call) => calls.inquire(returns, call),
    async listMovements(providerId, from, to) {
      const movements = await listMovements(db, { providerId, from, to });
      return movements.map(
        ({ authorisationCode, ...movement }): ProcessorMovement => ({
          ...movement,
          buyOrder: movement.chargeId,
          ...(authorisationCode !== null && { authorisationCode }),
        }),
      );
    },
    async listSettlements(providerId, from, to) {
      const stored = await listSettlements(db, { providerId, from, to });
      return stored.map(({ depositId, amount, at, lines }) => readSettlement({ id: depositId, amount, at, lines }));
    },
  };
}

const linesSchema = z.array(z.record(z.string(), z.unknown()));
const settlementsSchema = cardProcessorProtocol.settlements.answer;

/** An imported deposit, checked against the protocol once more. */
function readSettlement({
  at,
  lines,
  ...deposit
}: {
  id: string;
  amount: number;
  at: Date;
  lines: unknown;
}): Settlement {
  const item = { ...deposit, lines: linesSchema.parse(lines), at: at.toISOString() };
  const [settlement] = settlementsSchema.parse({ items: [item], next: null }).items;
  if (settlement === undefined) throw new Error("A parsed list keeps its items.");
  return settlement;
}
