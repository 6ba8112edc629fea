import { taxDocumentsProtocol } from "../../../src/gateways/protocols/tax-documents.ts";
import type { TaxDocuments } from "../../../src/gateways/tax-documents.ts";
import { type ConnectorService, pageOf } from "../connector-service.ts";

/** Serves an issuer of tax documents in the connector protocol. */
export function serveTaxDocuments(service: ConnectorService, taxDocuments: TaxDocuments): void {
  const protocol = taxDocumentsProtocol;
  service.call(protocol.issue, {
    perform: (call, document) => taxDocuments.issueDocument(call, document),
    inquire: (call) => taxDocuments.inquireDocument(call),
  });
  service.read(protocol.documents, async ({ provider_id, from, to, after }) =>
    pageOf(await taxDocuments.listDocuments(provider_id, from, to), after),
  );
}
