import type { Connector } from "../connector/connector.ts";
import type { FinancingProvider } from "./port.ts";
import { financingProviderProtocol } from "./protocol.ts";

/** The financing provider behind a connector. The name that patients see comes from the configuration. */
export function createHttpFinancingProvider({
  connector,
  name,
}: {
  readonly connector: Connector;
  readonly name: string;
}): FinancingProvider {
  const protocol = financingProviderProtocol;
  return {
    name,
    authoriseLoan: (call, input) => connector.call(protocol.authoriseLoan, call, input),
    inquireLoan: (call) => connector.inquire(protocol.authoriseLoan, call),
    confirmLoan: (call, input) => connector.call(protocol.confirmLoan, call, input),
    inquireConfirmation: (call) => connector.inquire(protocol.confirmLoan, call),
    reduceLoan: (call, input) => connector.call(protocol.reduceLoan, call, input),
    inquireReduction: (call) => connector.inquire(protocol.reduceLoan, call),
    reportLoan: (call, input) => connector.call(protocol.reportLoan, call, input),
    inquireReport: (call) => connector.inquire(protocol.reportLoan, call),
    listLoans: (providerId, from, to) => connector.readList(protocol.loans, { providerId, from, to }),
  };
}
