import { callBodyOf, IDEMPOTENCY_HEADER } from "../../src/gateways/connector/protocol.ts";
import type { GatewayCall } from "../../src/gateways/gateway-call.ts";
import type { MessageOutcome } from "../../src/gateways/messenger.ts";
import { messengerProtocol } from "../../src/gateways/protocols/messenger.ts";
import { UNKNOWN } from "../kit/kept-calls.ts";
import type { PartyClient } from "../kit/party-client.ts";
import type { Content } from "./message-store.ts";

/** Another gateway for messages, in the connector protocol. It sends a message once for its key. */
export interface Fallback {
  send(call: GatewayCall, content: Content): Promise<MessageOutcome>;
}

export function createFallback(client: PartyClient): Fallback {
  const { path, outcome } = messengerProtocol.send;
  return {
    async send(call, content) {
      const headers = { [IDEMPOTENCY_HEADER]: call.idempotencyKey };
      const reply = await client.send({ method: "POST", path, headers, body: callBodyOf(call, content) });
      const read = outcome.safeParse(reply.status === 200 ? reply.body : undefined);
      return read.success ? read.data : UNKNOWN;
    },
  };
}
