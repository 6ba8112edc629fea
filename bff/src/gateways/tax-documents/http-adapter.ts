import type { Connector } from "../connector/connector.ts";
import type { TaxDocuments } from "./port.ts";
import { taxDocumentsProtocol } from "./protocol.ts";

/** The issuer of tax documents behind a connector. */
export function createHttpTaxDocuments({ connector }: { readonly connector: Connector }): TaxDocuments {
  const protocol = taxDocumentsProtocol;
  return {
    issueDocument: (call, document) => connector.call(protocol.issue, call, document),
    inquireDocument: (call) => connector.inquire(protocol.issue, call),
    listDocuments: (providerId, from, to) => connector.readList(protocol.documents, { providerId, from, to }),
  };
}
