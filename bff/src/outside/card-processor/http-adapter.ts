import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Connector } from "../connector/connector.ts";
import type { CardProcessor } from "./port.ts";
import { cardProcessorProtocol } from "./protocol.ts";

/** Every widget session carries the key, and it changes rarely. */
const SEALING_KEY_CACHED_MS = 60_000;

/** The card processor behind a connector. `challengeOrigin` is the origin of the issuers' pages, from configuration. */
export function createHttpCardProcessor({
  connector,
  challengeOrigin,
  clock,
}: {
  readonly connector: Connector;
  readonly challengeOrigin: string;
  readonly clock: Clock;
}): CardProcessor {
  const protocol = cardProcessorProtocol;
  let cached: { readonly key: SealingKey; readonly until: number } | undefined;
  return {
    challengeOrigin,
    async sealingKey() {
      const now = clock.now().getTime();
      if (cached !== undefined && now < cached.until) return cached.key;
      const key = await connector.read(protocol.sealingKey, {});
      cached = { key, until: now + SEALING_KEY_CACHED_MS };
      return key;
    },
    registerCard: (call, input) => connector.call(protocol.registerCard, call, input),
    authenticate: (call, input) => connector.call(protocol.authenticate, call, input),
    inquireAuthentication: (call) => connector.inquire(protocol.authenticate, call),
    charge: (call, input) => connector.call(protocol.charge, call, input),
    inquireCharge: (call) => connector.inquire(protocol.charge, call),
    returnCharge: (call, input) => connector.call(protocol.returnCharge, call, input),
    inquireReturn: (call) => connector.inquire(protocol.returnCharge, call),
    listMovements: (providerId, from, to) => connector.readList(protocol.movements, { providerId, from, to }),
  };
}
