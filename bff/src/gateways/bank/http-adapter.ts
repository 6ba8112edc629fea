import type { Connector } from "../connector/connector.ts";
import type { Bank } from "./port.ts";
import { bankProtocol } from "./protocol.ts";

/** The bank behind a connector. */
export function createHttpBank({ connector }: { readonly connector: Connector }): Bank {
  const protocol = bankProtocol;
  return {
    transfer: (call, input) => connector.call(protocol.transfer, call, input),
    inquireTransfer: (call) => connector.inquire(protocol.transfer, call),
    listTransfers: (providerId, from, to) => connector.readList(protocol.transfers, { providerId, from, to }),
  };
}
