import type { InsurerConnector } from "../../../src/gateways/insurer.ts";
import { insurerProtocol } from "../../../src/gateways/protocols/insurer.ts";
import type { ConnectorService } from "../connector-service.ts";

/** Serves an insurer connector in the connector protocol. */
export function serveInsurer(service: ConnectorService, insurer: InsurerConnector): void {
  const protocol = insurerProtocol;
  service.read(protocol.sealingKey, () => insurer.sealingKey());
  service.call(protocol.fileClaim, {
    perform: (call, input) =>
      insurer.fileClaim(call, {
        ...input,
        documents: input.documents.map(({ name, type, content }) => ({
          name,
          type,
          read: async () => Buffer.from(content, "base64"),
        })),
      }),
    inquire: (call) => insurer.inquireFiling(call),
  });
  service.call(protocol.claim, { perform: (call, input) => insurer.inquireClaim(call, input) });
}
