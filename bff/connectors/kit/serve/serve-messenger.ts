import type { Messenger } from "../../../src/gateways/messenger.ts";
import { messengerProtocol } from "../../../src/gateways/protocols/messenger.ts";
import type { ConnectorService } from "../connector-service.ts";

/** Serves a messenger (mails and messages) in the connector protocol. */
export function serveMessenger(service: ConnectorService, messenger: Messenger): void {
  service.call(messengerProtocol.sendEmail, {
    perform: ({ idempotencyKey, providerId }, { attachments, ...email }) =>
      messenger.sendEmail({
        messageId: idempotencyKey,
        providerId,
        email: { ...email, ...(attachments && { attachments: async () => attachments }) },
      }),
  });
  service.call(messengerProtocol.send, {
    perform: ({ idempotencyKey, providerId }, message) =>
      messenger.sendMessage({ messageId: idempotencyKey, providerId, message }),
  });
}
