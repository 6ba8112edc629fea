import type { Clock } from "../../platform/clock.ts";
import type { Connector } from "../connector/connector.ts";
import type { Messenger } from "./port.ts";
import { messengerProtocol } from "./protocol.ts";

/**
 * Sends messages (SMS, WhatsApp) and mails through a gateway that follows the connector protocol. The message id is the
 * idempotency key: if the outcome is unknown, the message is sent again with the same id, so no inquiry is needed.
 */
export function createHttpMessenger({
  connector,
  clock,
}: {
  readonly connector: Connector;
  /** Real time. */
  readonly clock: Clock;
}): Messenger {
  return {
    sendEmail: ({ messageId, providerId, email }) =>
      connector.call(messengerProtocol.sendEmail, { providerId, idempotencyKey: messageId, at: clock.now() }, email),
    sendMessage: ({ messageId, providerId, message }) =>
      connector.call(messengerProtocol.send, { providerId, idempotencyKey: messageId, at: clock.now() }, message),
  };
}
