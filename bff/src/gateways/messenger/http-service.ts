import type { ConnectorService } from "../connector/connector-service.ts";
import type { Messenger } from "./port.ts";
import { messengerProtocol } from "./protocol.ts";

/** Serves a gateway for messages (the sandbox) in the connector protocol. */
export function serveMessenger(service: ConnectorService, messenger: Pick<Messenger, "sendMessage">): void {
  service.call(messengerProtocol.send, {
    perform: ({ idempotencyKey, providerId }, message) =>
      messenger.sendMessage({ messageId: idempotencyKey, providerId, message }),
  });
}
