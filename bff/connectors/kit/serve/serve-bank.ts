import type { Bank } from "../../../src/gateways/bank.ts";
import { bankProtocol } from "../../../src/gateways/protocols/bank.ts";
import { type ConnectorService, pageOf } from "../connector-service.ts";

/** Serves a bank in the connector protocol. */
export function serveBank(service: ConnectorService, bank: Bank): void {
  const protocol = bankProtocol;
  service.call(protocol.transfer, {
    perform: (call, input) => bank.transfer(call, input),
    inquire: (call) => bank.inquireTransfer(call),
  });
  service.read(protocol.transfers, async ({ provider_id, from, to, after }) =>
    pageOf(await bank.listTransfers(provider_id, from, to), after),
  );
}
