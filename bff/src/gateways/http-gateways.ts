import type { SealingKey } from "../contract/widget-tokens.ts";
import type { Clock } from "../platform/clock.ts";
import type { Bank } from "./bank.ts";
import type { CardProcessor } from "./card-processor.ts";
import { lastSealingKey } from "./connector/last-sealing-key.ts";
import type { Connector } from "./connector.ts";
import type { FinancingProvider } from "./financing-provider.ts";
import { GatewayUnavailable } from "./gateway-call.ts";
import type { IdentityRegistry } from "./identity-registry.ts";
import type { ClaimDocument, InsurerConnector } from "./insurer.ts";
import type { Messenger } from "./messenger.ts";
import { bankProtocol } from "./protocols/bank.ts";
import { type CardEntry, cardProcessorProtocol } from "./protocols/card-processor.ts";
import { financingProviderProtocol } from "./protocols/financing-provider.ts";
import { identityRegistryProtocol } from "./protocols/identity-registry.ts";
import { insurerProtocol } from "./protocols/insurer.ts";
import { messengerProtocol } from "./protocols/messenger.ts";
import { taxDocumentsProtocol } from "./protocols/tax-documents.ts";
import type { KeptSealingKey } from "./sealing-key-store.ts";
import type { TaxDocuments } from "./tax-documents.ts";

/** The bank behind a connector. */
export function createHttpBank({ connector }: { readonly connector: Connector }): Bank {
  const protocol = bankProtocol;
  return {
    transfer: (call, input) => connector.call(protocol.transfer, call, input),
    inquireTransfer: (call) => connector.inquire(protocol.transfer, call),
    listTransfers: (providerId, from, to) => connector.readList(protocol.transfers, { providerId, from, to }),
  };
}

/** The card processor behind a connector. `challengeOrigin` is the origin of the issuers' pages, from configuration. */
export function createHttpCardProcessor({
  connector,
  challengeOrigin,
  clock,
  kept,
}: {
  readonly connector: Connector;
  readonly challengeOrigin: string;
  readonly clock: Clock;
  /** Storage of the last known key and page. */
  readonly kept: KeptSealingKey<CardEntry>;
}): CardProcessor {
  const protocol = cardProcessorProtocol;
  const entry = lastSealingKey({ clock, kept, read: () => connector.read(protocol.sealingKey, {}) });
  return {
    challengeOrigin,
    async sealingKey() {
      const {
        cardPage: _page,
        cardPageDisplay: _display,
        removesCards: _removes,
        limits: _limits,
        ...key
      } = await entry();
      if (!("kid" in key)) throw new GatewayUnavailable("The card processor accepts cards only on its own page.");
      return key;
    },
    cardPage: async () => (await entry()).cardPage ?? "none",
    cardPageDisplay: async () => (await entry()).cardPageDisplay,
    removesCards: async () => (await entry()).removesCards === true,
    chargeLimits: async () => (await entry()).limits ?? {},
    registerCard: (call, input) => connector.call(protocol.registerCard, call, input),
    inquireRegistration: (call) => connector.inquire(protocol.registerCard, call),
    keepCard: (call, input) => connector.call(protocol.keepCard, call, input),
    inquireKeptCard: (call) => connector.inquire(protocol.keepCard, call),
    registerStoredCard: (call, input) => connector.call(protocol.registerStoredCard, call, input),
    forgetCard: (call, input) => connector.call(protocol.forgetCard, call, input),
    inquireForgotten: (call) => connector.inquire(protocol.forgetCard, call),
    removeCard: (call, input) => connector.call(protocol.removeCard, call, input),
    inquireRemoval: (call) => connector.inquire(protocol.removeCard, call),
    listKeptCards: async (of) => (await connector.read(protocol.keptCards, of)).cards,
    authenticate: (call, input) => connector.call(protocol.authenticate, call, input),
    inquireAuthentication: (call) => connector.inquire(protocol.authenticate, call),
    charge: (call, input) => connector.call(protocol.charge, call, input),
    inquireCharge: (call) => connector.inquire(protocol.charge, call),
    returnCharge: (call, input) => connector.call(protocol.returnCharge, call, input),
    inquireReturn: (call) => connector.inquire(protocol.returnCharge, call),
    listMovements: (providerId, from, to) => connector.readList(protocol.movements, { providerId, from, to }),
    listSettlements: (providerId, from, to) => connector.readList(protocol.settlements, { providerId, from, to }),
  };
}

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

/** The national registry behind a connector; `unavailable` if it gives no valid answer. */
export function createHttpIdentityRegistry({ connector }: { readonly connector: Connector }): IdentityRegistry {
  return {
    async check(input) {
      try {
        return await connector.read(identityRegistryProtocol.check, input);
      } catch (error) {
        if (error instanceof GatewayUnavailable) return { outcome: "unavailable" };
        throw error;
      }
    },
  };
}

/** The isapres' portals (private health insurers), behind an insurer connector. */
export function createHttpInsurer({
  connector,
  clock,
  kept,
}: {
  readonly connector: Connector;
  readonly clock: Clock;
  /** Storage of the last known key. */
  readonly kept: KeptSealingKey<SealingKey>;
}): InsurerConnector {
  const protocol = insurerProtocol;
  return {
    takesAccess: true,
    sealingKey: lastSealingKey({ clock, kept, read: () => connector.read(protocol.sealingKey, {}) }),
    async fileClaim(call, input) {
      const documents = [];
      for (const document of input.documents) documents.push(await encode(document));
      return connector.call(protocol.fileClaim, call, { ...input, documents });
    },
    inquireFiling: (call) => connector.inquire(protocol.fileClaim, call),
    inquireClaim: (call, input) => connector.call(protocol.claim, call, input),
  };
}

async function encode(document: ClaimDocument): Promise<{ name: string; type: string; content: string }> {
  const content = Buffer.from(await document.read()).toString("base64");
  return { name: document.name, type: document.type, content };
}

/**
 * Sends messages (SMS, WhatsApp) and mails through a gateway that follows the connector protocol. The message id is the
 * idempotency key: if the outcome is unknown, the message is sent again with the same id, so no inquiry is needed.
 */
export function createHttpMessenger({
  connector,
  clock,
}: {
  readonly connector: Connector;
  /** Real time. */
  readonly clock: Clock;
}): Messenger {
  return {
    async sendEmail({ messageId, providerId, email: { attachments: makeFiles, ...email } }) {
      const attachments = makeFiles === undefined ? undefined : await makeFiles();
      if (attachments === null) return { outcome: "unknown" };
      const call = { providerId, idempotencyKey: messageId, at: clock.now() };
      return connector.call(messengerProtocol.sendEmail, call, { ...email, ...(attachments && { attachments }) });
    },
    sendMessage: ({ messageId, providerId, message }) =>
      connector.call(messengerProtocol.send, { providerId, idempotencyKey: messageId, at: clock.now() }, message),
  };
}

/** The issuer of tax documents behind a connector. */
export function createHttpTaxDocuments({ connector }: { readonly connector: Connector }): TaxDocuments {
  const protocol = taxDocumentsProtocol;
  return {
    issueDocument: (call, document) => connector.call(protocol.issue, call, document),
    inquireDocument: (call) => connector.inquire(protocol.issue, call),
    listDocuments: (providerId, from, to) => connector.readList(protocol.documents, { providerId, from, to }),
  };
}
