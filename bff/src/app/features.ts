import type { ConsoleDependencies } from "../back-office/dependencies.ts";
import { recognisedPatient, refuseCollision } from "../checkout/known-patient.ts";
import { existingTokens } from "../checkout/open-widget-token.ts";
import { pageStateFor, shownTexts } from "../checkout/page-state.ts";
import type { WidgetTokenRoutesDependencies } from "../checkout/routes.ts";
import { countExpensesSent, expenseOfOrder } from "../claims/claim-reads.ts";
import { receiveInsurerNews } from "../claims/work.ts";
import { collectionOf } from "../collection/upcoming-charge.ts";
import { SECOND_MS } from "../contract/vocabulary/durations.ts";
import type { WidgetSource } from "../frame/open-widget.ts";
import type { WidgetHostDependencies } from "../frame/widget-host.ts";
import type { NamedGateways } from "../gateways/gateways.ts";
import type { ConnectorCallbacksDependencies } from "../gateways/insurer-callbacks.ts";
import { chooseSavedCard, type SavedCardChoice } from "../orders/add-payment-method.ts";
import type { OrdersDependencies } from "../orders/dependencies.ts";
import { createDocumentPrinter, createLogos } from "../orders/document-printer.ts";
import { type ReturnUrl, returnUrlOf } from "../orders/redirect.ts";
import type { BackgroundWork } from "../platform/background-work.ts";
import type { FairQueueOptions } from "../platform/fair-queue.ts";
import { createAddressLimits, GENEROUS_LIMITS } from "../platform/http/address-limits.ts";
import { createKnownCallers } from "../platform/http/admit-request.ts";
import type { FailedAuthentications } from "../platform/http/failed-authentications.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { MountDependencies } from "../platform/http/mount-routes.ts";
import { createRateLimiter } from "../platform/http/rate-limit.ts";
import { createTurns } from "../platform/http/turns.ts";
import { isErasing } from "../self-service/erase-data.ts";
import { returnPageFor } from "../self-service/open-return.ts";
import { isPaymentPageOver } from "../self-service/payment-page-end.ts";
import { findCenter } from "../tenants/centers.ts";
import { identifyCaller } from "../tenants/identify-caller.ts";
import { findProvider, isRegisteredOrigin, ProviderNotFound, providerOfPublicKey } from "../tenants/providers.ts";
import type { Config } from "./config.ts";
import { createOrderViews } from "./order-views.ts";
import { type Base, type ContextParts, partiesOf } from "./parts.ts";
import { createWithin } from "./within.ts";

/** The dependencies of each feature: functions of other features, its settings, and its gateways. */

/** The dependencies of the callbacks from insurers' connectors, with the tokens with which they may be signed. */
export function callbackDependencies(parts: ContextParts, base: Base): ConnectorCallbacksDependencies {
  const { connectorToken, connectorTokenBefore, partyConnectors } = partiesOf(parts);
  const token = partyConnectors.insurer?.token ?? connectorToken;
  const callbackTokens = [token, ...(connectorTokenBefore === null ? [] : [connectorTokenBefore])] as const;
  return { ...base, callbackTokens, receiveInsurerNews: (claim) => receiveInsurerNews(base, claim) };
}

/** The address to which pages of card issuers and of the card processor return patients. */
export function returnUrls({ addresses }: Config, { keyring }: Pick<Base, "keyring">): ReturnUrl {
  return (redirect) => returnUrlOf({ keyring, widgetHostUrl: addresses.widget.publicUrl }, redirect);
}

export function ordersDependencies(
  config: Config,
  base: Base,
  background: BackgroundWork,
  parties: NamedGateways,
  guardedFetch: GuardedFetch,
): OrdersDependencies {
  return {
    ...base,
    ...parties,
    background,
    documents: createDocumentPrinter(),
    logos: createLogos({ guardedFetch, clock: base.clock }),
    related: { expenseOf: expenseOfOrder, collectionOf },
    async findProvider(providerId) {
      const provider = await findProvider(base.db, providerId);
      if (provider === null) throw new ProviderNotFound("There is no provider with this id.");
      return provider;
    },
    findCenter,
    within: createWithin(base),
    patient: { recognised: (db, of) => recognisedPatient({ isErasing }, db, of), refuseCollision, shownTexts },
    returnUrl: returnUrls(config, base),
    documentSerialPattern: config.documentSerialPattern,
    annualCost: config.annualCost,
    stampTax: config.stampTax,
    answerWithinMs: config.paymentAnswerWithinMs,
  };
}

/**
 * Recognition's dependencies on other features: whether a patient is being erased, and how a saved card is added to an
 * order.
 */
export function recognitionDependencies(config: Config, base: Base, orders: OrdersDependencies) {
  return {
    ...base,
    cardProcessor: orders.cardProcessor,
    findProvider: orders.findProvider,
    widgetHost: new URL(config.addresses.widget.publicUrl).host,
    isErasing,
    chooseCard: (chosen: SavedCardChoice) => chooseSavedCard(orders, chosen),
  };
}

export function tokenDependencies(config: Config, base: Base, parties: NamedGateways): WidgetTokenRoutesDependencies {
  return {
    ...base,
    countExpensesSent,
    widgetHostUrl: config.addresses.widget.publicUrl,
    sealingKeys: { card: () => parties.cardProcessor.sealingKey(), insurerAccess: () => parties.insurer.sealingKey() },
    cardPage: () => parties.cardProcessor.cardPage(),
    cardPageDisplay: () => parties.cardProcessor.cardPageDisplay(),
    chargeLimits: () => parties.cardProcessor.chargeLimits(),
    financingProviderName: parties.financingProvider.name,
    annualCost: config.annualCost,
  };
}

/** A clinic's server that mints with its public key sends many requests from one address. */
export const TURNS: FairQueueOptions = { atOnceMax: 2, waitingMax: 300, heldMsMax: SECOND_MS };

export function mountDependencies(
  { config, addressLimits }: ContextParts,
  base: Base,
  failures: FailedAuthentications,
): MountDependencies {
  const rateLimiter = createRateLimiter(base);
  return {
    ...base,
    identify: (endpoint, request) => identifyCaller(base, endpoint, request),
    rateLimiter,
    addressLimits: createAddressLimits(addressLimits ?? GENEROUS_LIMITS, failures),
    knownCallers: createKnownCallers(),
    turns: createTurns(TURNS),
    idempotency: base,
    checkAnswers: config.environment === "staging",
    refusesMisspelledFields: config.environment === "staging",
    async allowsOrigin(origin, request) {
      const { public_key: publicKey } = request.query;
      if (typeof publicKey !== "string") return isRegisteredOrigin(base.db, origin, base.environment);
      return (await providerOfPublicKey(base, publicKey))?.origins.includes(origin) ?? false;
    },
  };
}

export function widgetHost(
  { config, widget, files }: ContextParts & { readonly widget: WidgetSource },
  base: Base,
  parties: NamedGateways,
  tokens: WidgetTokenRoutesDependencies,
  { addressLimits }: MountDependencies,
): WidgetHostDependencies {
  const pages = {
    ...base,
    ...tokens,
    views: createOrderViews(config, base),
    isPaymentPageOver,
  };
  const { challengeOrigin } = parties.cardProcessor;
  const { publicUrl } = config.addresses.widget;
  const framingOrigins = [new URL(publicUrl).origin, challengeOrigin];
  return {
    ...base,
    source: widget,
    findReturn: (reference) => returnPageFor({ ...base, framingOrigins }, reference),
    findPage: ({ widgetToken: token, ...requested }) => pageStateFor(pages, { token, ...requested }),
    challengeOrigin,
    publicUrl,
    existingTokens: (named) => existingTokens(base.db, named),
    addressLimits,
    files,
    hasGallery: config.environment === "staging" && config.parties === null,
  };
}

/** The operators' console, except for the parts that it shares with background work. */
export function consoleDependencies(
  { config: { addresses, operatorSignIn: signIn }, files: storage }: ContextParts,
  base: Base,
  parties: NamedGateways,
): Omit<ConsoleDependencies, "guardedFetch" | "wake"> {
  const { operations, widget } = addresses;
  return { ...base, ...parties, consoleUrl: operations.publicUrl, widgetHostUrl: widget.publicUrl, signIn, storage };
}
