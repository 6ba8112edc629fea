import type { Messenger } from "../../src/gateways/messenger/port.ts";
import { messengerProtocol } from "../../src/gateways/messenger/protocol.ts";
import type { ConnectorService } from "../calls/connector-service.ts";

/** Serves a gateway for messages (the sandbox) in the connector protocol. */
export function serveMessenger(service: ConnectorService, messenger: Pick<Messenger, "sendMessage">): void {
  service.call(messengerProtocol.send, {
    perform: ({ idempotencyKey, providerId }, message) =>
      messenger.sendMessage({ messageId: idempotencyKey, providerId, message }),
  });
}
