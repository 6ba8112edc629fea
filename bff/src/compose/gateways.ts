import type { Config, GatewaysConfig } from "../config.ts";
import { createHttpBank } from "../gateways/bank/http-adapter.ts";
import { createHttpCardProcessor } from "../gateways/card-processor/http-adapter.ts";
import {
  CONNECTOR_ANSWER_BYTES_MAX,
  CONNECTOR_DEADLINE_MS,
  type Connector,
  createConnector,
} from "../gateways/connector/connector.ts";
import { createHttpFinancingProvider } from "../gateways/financing-provider/http-adapter.ts";
import type { Gateways } from "../gateways/gateways.ts";
import { createHttpIdentityRegistry } from "../gateways/identity-registry/http-adapter.ts";
import { createHttpInsurer } from "../gateways/insurer/http-adapter.ts";
import { createHttpMessenger } from "../gateways/messenger/http-adapter.ts";
import type { Messenger } from "../gateways/messenger/port.ts";
import { createSmtpMessenger } from "../gateways/messenger/smtp-adapter.ts";
import type { Base, ContextParts } from "./parts.ts";

export function chooseGateways({ config, sandbox }: ContextParts, base: Base): Gateways {
  if (config.parties !== null) return realGateways(config.parties, base, openMessenger(config, base, null));
  if (sandbox === null) throw new Error("A service without a sandbox calls the gateways that its configuration names.");
  return { ...sandbox.gateways, ...openMessenger(config, base, sandbox.gateways.messenger) };
}

/** Mails and messages, each through what is configured for it, otherwise into the sandbox's mailboxes. */
function openMessenger(
  { smtp, messaging }: Config,
  base: Base,
  sandbox: Messenger | null,
): Pick<Gateways, "messenger" | "close"> {
  const mail = smtp === null ? null : createSmtpMessenger({ ...base, config: smtp });
  const limits = { deadlineMs: CONNECTOR_DEADLINE_MS, answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX };
  const gateway =
    messaging === null ? null : createConnector({ ...base, party: "messages", config: { ...messaging, ...limits } });
  const mails = mail ?? sandbox;
  const messages = gateway === null ? sandbox : createHttpMessenger({ ...base, connector: gateway });
  if (mails === null || messages === null) throw new Error("The real parties need real mails and messages.");
  return {
    messenger: {
      sendEmail: (input) => mails.sendEmail(input),
      sendMessage: (input) => messages.sendMessage(input),
    },
    async close() {
      mail?.close();
      await gateway?.close();
    },
  };
}

function realGateways(
  parties: GatewaysConfig,
  base: Base,
  { messenger, close }: Pick<Gateways, "messenger" | "close">,
): Gateways {
  const connectors: Connector[] = [];
  const connect = (party: string) => {
    const connector = createConnector({
      ...base,
      party,
      config: {
        baseUrl: parties.connectorUrl,
        token: parties.connectorToken,
        deadlineMs: CONNECTOR_DEADLINE_MS,
        answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX,
      },
    });
    connectors.push(connector);
    return connector;
  };
  const { challengeOrigin, financingProviderName: name } = parties;
  return {
    cardProcessor: createHttpCardProcessor({ ...base, connector: connect("card-processor"), challengeOrigin }),
    financingProvider: createHttpFinancingProvider({ connector: connect("financing-provider"), name }),
    identityRegistry: createHttpIdentityRegistry({ connector: connect("identity-registry") }),
    insurer: createHttpInsurer({ ...base, connector: connect("insurer") }),
    messenger,
    bank: createHttpBank({ connector: connect("bank") }),
    async close() {
      await close();
      await Promise.all(connectors.map((connector) => connector.close()));
    },
  };
}
