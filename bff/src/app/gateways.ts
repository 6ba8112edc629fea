import { insurerByCall } from "../claims/hand-worked-claims.ts";
import { type Connector, createConnector } from "../gateways/connector.ts";
import { CONNECTOR_ANSWER_BYTES_MAX, CONNECTOR_DEADLINE_MS } from "../gateways/gateway-call.ts";
import type { NamedGateways } from "../gateways/gateways.ts";
import {
  createHttpBank,
  createHttpCardProcessor,
  createHttpFinancingProvider,
  createHttpIdentityRegistry,
  createHttpInsurer,
  createHttpMessenger,
  createHttpTaxDocuments,
} from "../gateways/http-gateways.ts";
import { withPortalReadings } from "../gateways/portal-readings.ts";
import { keptSealingKey } from "../gateways/sealing-key-store.ts";
import { createSmtpMessenger } from "../gateways/smtp-adapter.ts";
import { type Base, type ContextParts, partiesOf } from "./parts.ts";
import { type ConnectorAddress, connectorName, type PartyName } from "./party-connectors.ts";

const LIMITS = { deadlineMs: CONNECTOR_DEADLINE_MS, answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX };

/** Creates all gateways, each with its own connector; those given in `parts` are used instead. */
export function chooseGateways(
  parts: ContextParts,
  base: Omit<Base, "paymentPage" | "consultationDay">,
): NamedGateways {
  const { config, parties: given } = parts;
  const { connectorUrl: baseUrl, connectorToken: token, challengeOrigin, ...parties } = partiesOf(parts);
  const connectors: Connector[] = [];
  const nameOf = ({ baseUrl: url }: ConnectorAddress) => connectorName(url, parties.connectorNames);
  const connect = (party: string, at: ConnectorAddress = { baseUrl, token }) => {
    const config = { ...at, ...LIMITS, name: nameOf(at), hasCircuit: parties.hasCircuit };
    const connector = createConnector({ ...base, party, config });
    connectors.push(connector);
    return connector;
  };
  const connectParty = (party: PartyName) => connect(party, parties.partyConnectors[party]);
  const nameOfParty = (party: PartyName) => nameOf(parties.partyConnectors[party] ?? { baseUrl, token });
  const mails = config.smtp === null ? null : createSmtpMessenger({ ...base, config: config.smtp });
  const messages = createHttpMessenger({ ...base, connector: connect("messages", config.messaging ?? undefined) });
  // Without a mail server, mails are sent through the connector.
  const mailbox = createHttpMessenger({ ...base, connector: connect("mails") });
  const name = parties.financingProviderName;
  const insurer =
    given?.insurer ??
    createHttpInsurer({ ...base, connector: connectParty("insurer"), kept: keptSealingKey(base.db, "insurer") });
  const insurers = insurerByCall(base, { connector: insurer, name: nameOfParty("insurer") }, config.insurerByHand);
  return withPortalReadings(base.db, {
    cardProcessor: createHttpCardProcessor({
      ...base,
      connector: connectParty("card-processor"),
      kept: keptSealingKey(base.db, "card-processor"),
      challengeOrigin,
    }),
    financingProvider: createHttpFinancingProvider({ connector: connectParty("financing-provider"), name }),
    identityRegistry: createHttpIdentityRegistry({ connector: connectParty("identity-registry") }),
    messenger: {
      sendEmail: (input) => (mails ?? mailbox).sendEmail(input),
      sendMessage: (input) => messages.sendMessage(input),
    },
    bank: createHttpBank({ connector: connectParty("bank") }),
    taxDocuments: createHttpTaxDocuments({ connector: connectParty("tax-documents") }),
    connectors: {
      cardProcessor: nameOfParty("card-processor"),
      financingProvider: nameOfParty("financing-provider"),
      insurer: insurers.name,
      bank: nameOfParty("bank"),
      taxDocuments: nameOfParty("tax-documents"),
    },
    ...given,
    insurer: insurers.insurer,
    async close() {
      await given?.close?.();
      mails?.close();
      await Promise.all(connectors.map((connector) => connector.close()));
    },
  });
}
