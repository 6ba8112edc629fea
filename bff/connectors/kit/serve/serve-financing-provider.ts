import type { FinancingProvider } from "../../../src/gateways/financing-provider.ts";
import { financingProviderProtocol } from "../../../src/gateways/protocols/financing-provider.ts";
import { type ConnectorService, pageOf } from "../connector-service.ts";

/** Serves a financing provider in the connector protocol. */
export function serveFinancingProvider(service: ConnectorService, provider: FinancingProvider): void {
  const protocol = financingProviderProtocol;
  service.call(protocol.authoriseLoan, {
    perform: (call, input) => provider.authoriseLoan(call, input),
    inquire: (call) => provider.inquireLoan(call),
  });
  service.call(protocol.confirmLoan, {
    perform: (call, input) => provider.confirmLoan(call, input),
    inquire: (call) => provider.inquireConfirmation(call),
  });
  service.call(protocol.reduceLoan, {
    perform: (call, input) => provider.reduceLoan(call, input),
    inquire: (call) => provider.inquireReduction(call),
  });
  service.call(protocol.reportLoan, {
    perform: (call, input) => provider.reportLoan(call, input),
    inquire: (call) => provider.inquireReport(call),
  });
  service.read(protocol.loans, async ({ provider_id, from, to, after }) =>
    pageOf(await provider.listLoans(provider_id, from, to), after),
  );
}
