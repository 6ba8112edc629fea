import type { ChargeLimits } from "../contract/vocabulary/card.ts";
import type { EventType, ProviderData, SealingKey, WidgetSession } from "../contract/widget-tokens.ts";
import type { CardPageOffer } from "../gateways/card-processor.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import { type CardEntry, cardEntry } from "../orders/card-attempt.ts";
import { fillWithdrawal, requireTexts } from "../orders/legal-texts.ts";
import { isPayable } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { patientOrder } from "../orders/order-view.ts";
import { type AnnualCostTerms, shownQuote } from "../orders/quote.ts";
import { amountProblem } from "../orders/readiness.ts";
import { type Beneficiary, providerOfTenant, tenantOf } from "../patients/beneficiary.ts";
import { consentFigures, consentTexts, fillConsent } from "../patients/consent-texts.ts";
import { areClaimsWithdrawn } from "../patients/consents.ts";
import { mayBeProved } from "../patients/unproven.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { collides } from "./known-patient.ts";
import type { OpenedSession, OpenedWidgetToken } from "./open-widget-token.ts";
import { type LookUpPlanDependencies, lookUpPlanOf } from "./plans/look-up-plan.ts";
import { planStatus } from "./plans/plan-status.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { WidgetTokenRecord } from "./tokens/widget-token-store.ts";
import { eventTypeOf, isServiceMade } from "./widget-token.ts";

export interface WidgetSessionDependencies extends LookUpPlanDependencies {
  /**
   * Reads the newest public keys for encryption in the browser. Throws `GatewayUnavailable` if they cannot be read.
   */
  readonly sealingKeys: { card(): Promise<SealingKey>; insurerAccess(): Promise<SealingKey> };
  /** Whether the card processor has its own page for cards. Throws `GatewayUnavailable` if that is unknown. */
  readonly cardPage: () => Promise<CardPageOffer>;
  readonly cardPageDisplay: () => Promise<"window" | undefined>;
  /** The most that can be charged. Throws `GatewayUnavailable` if that is unknown. */
  readonly chargeLimits: () => Promise<ChargeLimits>;
  /** The name of the lender of the deferred part. The law requires it to be shown. */
  readonly financingProviderName: string;
  readonly annualCost: AnnualCostTerms;
}

/** Thrown when a provider has no client_id or public_key, so that its widget cannot work. */
export class PublicCredentialsMissing extends Error {
  override readonly name = "PublicCredentialsMissing";
  readonly code = "public_credentials_missing";
}

/** The data that the widget's page needs. Reading it records nothing. */
export async function widgetSession(
  dependencies: WidgetSessionDependencies,
  opened: OpenedSession,
): Promise<WidgetSession> {
  const { token, provider, facts, now } = opened;
  const { credentials } = facts;
  if (credentials === null) throw new PublicCredentialsMissing("the provider has no public credentials");
  // Nothing about the order, not even its hash, is returned before the code: the hash and the public client_id give
  // access to the order.
  const order = isServiceMade(token.purpose) ? null : opened.order;
  const [eventType, entry, limits] = await Promise.all([
    // Anyone can mint a token for any RUT, but only the clinic and the patient have the hash of an order.
    eventTypeOfPatient(dependencies, opened, { ...facts, notifiesWithdrawal: order !== null }),
    cardAndKeys(dependencies, { token, provider }),
    knownLimits(dependencies),
  ]);
  const payable = order !== null && isPayable(order.state) ? order : null;
  const quote = payable && quoteOf(dependencies, { order: payable, facts, now });
  const problem = payable && amountProblem(payable, limits);
  return {
    event_type: eventType,
    user_data: { ...token.userData, ...(token.rut === null ? {} : { rut: token.rut }) },
    order_token: order === null ? null : order.orderId,
    order: order === null ? null : patientOrder(order, now),
    quote,
    provider: providerPart(provider, token.providerData),
    client_id: credentials.clientId,
    public_key: credentials.publicKey,
    parent_origins: [...parentOrigins(token, provider)],
    ...appPart(token, provider),
    sealing_keys: entry.keys,
    card_entry: entry.cardEntry,
    ...(entry.display && { card_page_display: entry.display }),
    ...(problem !== null && { blocked_by: problem }),
    consents: consentsOf(opened, quote),
    withdrawal:
      quote === null
        ? null
        : fillWithdrawal(facts.withdrawal ?? [], { locale: token.locale, supportEmail: provider.supportEmail }),
    locale: token.locale,
    locale_chosen: token.isLocaleChosen,
    purpose: token.purpose,
    expires_at: token.expiresAt.toISOString(),
    server_time: now.toISOString(),
  };
}

/** The texts to be accepted, filled with the quote. Without a quote there is no payment to consent to. */
function consentsOf(
  { token: { locale, purpose }, provider }: OpenedSession,
  quote: WidgetSession["quote"],
): WidgetSession["consents"] {
  const figures = quote && consentFigures(quote, locale);
  return consentTexts(locale, purpose === "onboarding" ? "onboarding" : undefined)
    .filter((text) => text.purpose !== "saved_card" || provider.settings.knownPatients)
    .filter(({ step }) => step !== "payment" || figures !== null)
    .map((text) => (figures === null ? text : fillConsent(text, figures)));
}

/** The processor's limits; none while they are unknown, because the payment checks them again. */
export function knownLimits({ chargeLimits }: Pick<WidgetSessionDependencies, "chargeLimits">): Promise<ChargeLimits> {
  return chargeLimits().catch((error: unknown) => {
    if (error instanceof GatewayUnavailable) return {};
    throw error;
  });
}

/** Pages whose only purpose is to receive data sealed with this key. */
const SEALED_ON: Readonly<Partial<Record<WidgetSession["purpose"], keyof WidgetSession["sealing_keys"]>>> = {
  card_change: "card",
  insurer_access: "insurer_access",
};

interface CardAndKeys {
  readonly cardEntry: CardEntry;
  /** Of the processor's page, if cards are given there. */
  readonly display: "window" | undefined;
  readonly keys: WidgetSession["sealing_keys"];
}

/**
 * How a card is given, and the keys for sealed data; no card key if cards are given on the processor's page. A checkout
 * opens without an unavailable key: insurer access can be given later, and the card step requests its key again. Throws
 * 503 `service_unavailable` if the page has no other purpose.
 */
async function cardAndKeys(
  {
    sealingKeys,
    cardPage,
    cardPageDisplay,
  }: Pick<WidgetSessionDependencies, "sealingKeys" | "cardPage" | "cardPageDisplay">,
  { token: { purpose }, provider }: Pick<OpenedWidgetToken, "token" | "provider">,
): Promise<CardAndKeys> {
  const newest = async <Read>(name: keyof WidgetSession["sealing_keys"], read: () => Promise<Read>) => {
    try {
      return await read();
    } catch (error) {
      const isAway = error instanceof GatewayUnavailable;
      if (isAway && SEALED_ON[purpose] !== name) return null;
      throw isAway ? new ApiError("service_unavailable", {}, { cause: error }) : error;
    }
  };
  const card = async () =>
    cardEntry(await cardPage(), provider) === "page"
      ? { entry: "page", key: null, display: await cardPageDisplay() }
      : { entry: "fields", key: await sealingKeys.card(), display: undefined };
  const [given, insurer_access] = await Promise.all([
    newest("card", card),
    newest("insurer_access", () => sealingKeys.insurerAccess()),
  ]);
  const isOnPage = given?.entry === "page";
  return {
    cardEntry: isOnPage ? "page" : "fields",
    display: given?.display,
    keys: { card: given?.key ?? null, insurer_access },
  };
}

/**
 * The pages that may frame a token's widget and exchange messages with it: the registered origin that the token was
 * minted for, or all registered ones. A removed origin loses access at once, whatever the token's lifetime. Links sent
 * by the service and pages opened by an app have none, against clickjacking.
 */
export function parentOrigins(
  { purpose, parentOrigin, isNative }: Pick<WidgetTokenRecord, "purpose" | "parentOrigin" | "isNative">,
  { origins }: Pick<Provider, "origins">,
): readonly string[] {
  if (isServiceMade(purpose) || isNative) return [];
  return parentOrigin === null ? origins : origins.filter((origin) => origin === parentOrigin);
}

/**
 * How an unframed page returns, and whether it exchanges messages with an app. A URL that is no longer registered is
 * omitted.
 */
export function appPart(
  { returnUrl, isNative }: Pick<WidgetTokenRecord, "returnUrl" | "isNative">,
  { returnUrls }: Pick<Provider, "returnUrls">,
): Pick<WidgetSession, "return_url" | "native"> {
  const isRegistered = returnUrl !== null && returnUrls.includes(returnUrl);
  return { return_url: isRegistered ? returnUrl : null, native: isNative };
}

/**
 * What the holder of a token learns about a patient: no more than `is_user_subscribed` reveals. Withdrawn consents are
 * revealed only to the patient, who is asked for them again; see `notifiesWithdrawal`.
 */
export async function eventTypeOfPatient(
  dependencies: LookUpPlanDependencies,
  { token, provider, order, now }: OpenedWidgetToken,
  { record, registration, notifiesWithdrawal }: VisitsPatient,
): Promise<EventType> {
  const isKnown = await skipsSignUp(dependencies, { order, provider }, { patient: record, notifiesWithdrawal });
  // An unproven registration serves only the visit in which it was made.
  const unproven = registration !== null && mayBeProved(registration, now) ? registration : null;
  const patient = isKnown ? record : unproven;
  if (patient === null) return eventTypeOf(token.purpose, null);
  const { status, isPaidByProvider } = await lookUpPlanOf(dependencies, { provider, patient }, now);
  return eventTypeOf(token.purpose, {
    subscribed: status.is_subscribed,
    freeTrial: status.is_free_trial,
    chargedToProvider: isPaidByProvider,
  });
}

/** The patient of a visit, if there is one. */
interface VisitsPatient {
  /** The record of the RUT. */
  readonly record: Beneficiary | null;
  /** The registration made in the visit. */
  readonly registration: Beneficiary | null;
  /** True if the caller holds the patient's order or has proved to be the patient. */
  readonly notifiesWithdrawal: boolean;
}

/**
 * Whether the record of a RUT makes a sign-up unnecessary. False if its mailbox differs from the order's, or if
 * consents for claims were withdrawn and must be given again.
 */
async function skipsSignUp(
  { db }: LookUpPlanDependencies,
  { order, provider }: Pick<OpenedWidgetToken, "order" | "provider">,
  { patient, notifiesWithdrawal }: { readonly patient: Beneficiary | null; readonly notifiesWithdrawal: boolean },
): Promise<boolean> {
  if (patient === null || (order !== null && (await collides(db, order, patient)))) return false;
  const of = { rut: patient.rut, providerId: providerOfTenant(tenantOf(provider)) };
  return !(notifiesWithdrawal && (await areClaimsWithdrawn(db, of)));
}

/**
 * The event type right after a registration with every consent that a claim needs, when there is no plan, expense or
 * withdrawal yet.
 */
export function eventTypeOfNewPatient({ token, now }: OpenedWidgetToken): EventType {
  const { is_subscribed: subscribed, is_free_trial: freeTrial } = planStatus({ plan: null, expensesSent: 0 }, now);
  return eventTypeOf(token.purpose, { subscribed, freeTrial, chargedToProvider: false });
}

/** Throws 503 `service_unavailable` while any of the operator's texts is missing, because the patient could not pay. */
function quoteOf(
  { financingProviderName, annualCost }: WidgetSessionDependencies,
  { order, facts, now }: { readonly order: OrderRecord; readonly facts: SessionFacts; readonly now: Date },
): WidgetSession["quote"] {
  const { total, commissionBasisPoints, commissionTax } = order;
  const offer = {
    total,
    commissionBasisPoints,
    commissionTax,
    financingProvider: financingProviderName,
    annualCost,
    now,
  };
  return shownQuote(offer, requireTexts(facts.texts ?? []));
}

/**
 * The clinic as the patient sees it. A sub-clinic with its own name shows neither the provider's logo nor its telephone
 * numbers.
 */
export function providerPart(provider: Provider, named: ProviderData | null): WidgetSession["provider"] {
  return {
    name: named?.name ?? provider.name,
    logo_url: named?.logo_url ?? (named?.name === undefined ? provider.logoUrl : null),
    appearance: provider.appearance,
    support: {
      email: named?.support_email ?? provider.supportEmail,
      phone: named?.support_email === undefined ? provider.supportPhone : null,
      whatsapp: named?.support_email === undefined ? provider.supportWhatsapp : null,
    },
  };
}
