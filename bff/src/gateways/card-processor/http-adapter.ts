import type { Clock } from "../../platform/clock.ts";
import type { Connector } from "../connector/connector.ts";
import { lastSealingKey } from "../connector/last-sealing-key.ts";
import type { KeptSealingKey } from "../connector/sealing-key-store.ts";
import { GatewayUnavailable } from "../gateway-unavailable.ts";
import type { CardProcessor } from "./port.ts";
import { type CardEntry, cardProcessorProtocol } from "./protocol.ts";

/** The card processor behind a connector. `challengeOrigin` is the origin of the issuers' pages, from configuration. */
export function createHttpCardProcessor({
  connector,
  challengeOrigin,
  clock,
  kept,
}: {
  readonly connector: Connector;
  readonly challengeOrigin: string;
  readonly clock: Clock;
  /** Where the last key is kept, with what was said of a page. */
  readonly kept: KeptSealingKey<CardEntry>;
}): CardProcessor {
  const protocol = cardProcessorProtocol;
  const entry = lastSealingKey({ clock, kept, read: () => connector.read(protocol.sealingKey, {}) });
  return {
    challengeOrigin,
    async sealingKey() {
      const { cardPage: _page, removesCards: _removes, ...key } = await entry();
      if (!("kid" in key)) throw new GatewayUnavailable("The card processor takes cards on its own page only.");
      return key;
    },
    cardPage: async () => (await entry()).cardPage ?? "none",
    removesCards: async () => (await entry()).removesCards === true,
    registerCard: (call, input) => connector.call(protocol.registerCard, call, input),
    inquireRegistration: (call) => connector.inquire(protocol.registerCard, call),
    keepCard: (call, input) => connector.call(protocol.keepCard, call, input),
    inquireKeptCard: (call) => connector.inquire(protocol.keepCard, call),
    registerStoredCard: (call, input) => connector.call(protocol.registerStoredCard, call, input),
    forgetCard: (call, input) => connector.call(protocol.forgetCard, call, input),
    inquireForgotten: (call) => connector.inquire(protocol.forgetCard, call),
    removeCard: (call, input) => connector.call(protocol.removeCard, call, input),
    inquireRemoval: (call) => connector.inquire(protocol.removeCard, call),
    listKeptCards: async (of) => (await connector.read(protocol.keptCards, of)).cards,
    authenticate: (call, input) => connector.call(protocol.authenticate, call, input),
    inquireAuthentication: (call) => connector.inquire(protocol.authenticate, call),
    charge: (call, input) => connector.call(protocol.charge, call, input),
    inquireCharge: (call) => connector.inquire(protocol.charge, call),
    returnCharge: (call, input) => connector.call(protocol.returnCharge, call, input),
    inquireReturn: (call) => connector.inquire(protocol.returnCharge, call),
    listMovements: (providerId, from, to) => connector.readList(protocol.movements, { providerId, from, to }),
    listSettlements: (providerId, from, to) => connector.readList(protocol.settlements, { providerId, from, to }),
  };
}
