import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { EventType, SealingKey, WidgetSession } from "../../contract/widget-tokens.ts";
import { GatewayUnavailable } from "../../gateways/gateway-unavailable.ts";
import { isPayable } from "../../orders/orders/order.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { patientOrder } from "../../orders/orders/order-view.ts";
import { quoteFor } from "../../orders/orders/quote.ts";
import { consentTexts } from "../../patients/consents/consent-texts.ts";
import { areClaimsWithdrawn } from "../../patients/consents/consents.ts";
import { providerOfTenant, tenantOf } from "../../patients/tenant.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import { type LookUpPlanDependencies, lookUpPlan } from "../plans/look-up-plan.ts";
import { planStatus } from "../plans/plan-status.ts";
import type { OpenedWidgetToken } from "./open-widget-token.ts";
import { eventTypeOf, isServiceMade, type PatientFacts } from "./widget-token.ts";
import { type WidgetTokenRecord, writeShown } from "./widget-token-store.ts";

export interface WidgetSessionDependencies extends LookUpPlanDependencies {
  /** The newest public keys with which the browser seals; a failure is the party's, and says so. */
  readonly sealingKeys: { card(): Promise<SealingKey>; insurerAccess(): Promise<SealingKey> };
  /** Who lends the deferred part, as the law wants it named. */
  readonly financingProviderName: string;
  /** The provider's newest public credentials; `null` where it has none. */
  readonly publicCredentials: (providerId: string) => Promise<{ clientId: string; publicKey: string } | null>;
}

/** Thrown when a provider has no client_id or public_key, so that no widget of it can work. */
export class PublicCredentialsMissing extends Error {
  override readonly name = "PublicCredentialsMissing";
  readonly code = "public_credentials_missing";
}

/** Everything that the widget's page works with. The first reading of a token is noted. */
export async function widgetSession(
  dependencies: WidgetSessionDependencies,
  opened: OpenedWidgetToken,
): Promise<WidgetSession> {
  const { token, provider, now } = opened;
  const { db, sealingKeys } = dependencies;
  // Before the code nothing of the order, nor its hash: with that and the public client_id anybody could read it.
  const order = isServiceMade(token.purpose) ? null : opened.order;
  const [credentials, eventType, keys] = await Promise.all([
    dependencies.publicCredentials(provider.id),
    // Anybody mints a token for anybody's RUT; the hash of an order only its clinic and its patient have.
    eventTypeOfPatient(dependencies, opened, { rut: token.rut, notifiesWithdrawal: order !== null }),
    newestKeys(sealingKeys),
    token.shownAt === null ? writeShown(db, token.id, now) : undefined,
  ]);
  if (credentials === null) throw new PublicCredentialsMissing("the provider has no public credentials");
  return {
    event_type: eventType,
    user_data: { ...token.userData, ...(token.rut === null ? {} : { rut: token.rut }) },
    order_token: order === null ? null : order.orderId,
    order: order === null ? null : patientOrder(order, now),
    quote: order === null || !isPayable(order.state) ? null : quoteOf(dependencies, order, now),
    provider: providerPart(provider),
    client_id: credentials.clientId,
    public_key: credentials.publicKey,
    parent_origins: [...parentOrigins(token, provider)],
    sealing_keys: keys,
    consents: [...consentTexts(token.locale, token.purpose === "onboarding" ? "onboarding" : undefined)],
    locale: token.locale,
    purpose: token.purpose,
    expires_at: token.expiresAt.toISOString(),
    server_time: now.toISOString(),
  };
}

/** Without the keys nothing can be sealed: a party that is away passes, and the patient is asked to try again. */
async function newestKeys(
  sealingKeys: WidgetSessionDependencies["sealingKeys"],
): Promise<WidgetSession["sealing_keys"]> {
  try {
    const [card, insurerAccess] = await Promise.all([sealingKeys.card(), sealingKeys.insurerAccess()]);
    return { card, insurer_access: insurerAccess };
  } catch (error) {
    throw error instanceof GatewayUnavailable ? new ApiError("service_unavailable", {}, { cause: error }) : error;
  }
}

/**
 * The pages that may frame a token's widget: the one that it was minted for, or all that the provider has registered. What
 * the service itself sent is opened as a page of its own, so that nobody's page lures a patient into a click.
 */
export function parentOrigins(
  { purpose, parentOrigin }: Pick<WidgetTokenRecord, "purpose" | "parentOrigin">,
  provider: Provider,
): readonly string[] {
  if (isServiceMade(purpose)) return [];
  return parentOrigin === null ? provider.origins : [parentOrigin];
}

/**
 * Who a patient is to whoever holds a token: no more than `is_user_subscribed` tells. That somebody
 * has withdrawn is told only to whom it concerns, who is asked again; see `notifiesWithdrawal`.
 */
export async function eventTypeOfPatient(
  dependencies: LookUpPlanDependencies,
  { token, provider, now }: OpenedWidgetToken,
  {
    rut,
    notifiesWithdrawal,
  }: {
    readonly rut: Rut | null;
    /** Does whoever asks hold this patient's order, or have they proved who they are? */
    readonly notifiesWithdrawal: boolean;
  },
): Promise<EventType> {
  if (rut === null) return eventTypeOf(token.purpose, NOBODY);
  const tenant = tenantOf(provider);
  const { known, status, paidByProviderId } = await lookUpPlan(dependencies, { tenant, rut }, now);
  // Who has withdrawn what a claim needs is asked for it again, as a new patient is.
  const of = { rut, providerId: providerOfTenant(tenant) };
  const signsUpAgain = known && notifiesWithdrawal && (await areClaimsWithdrawn(dependencies.db, of));
  return eventTypeOf(token.purpose, {
    known: known && !signsUpAgain,
    subscribed: status.is_subscribed,
    freeTrial: status.is_free_trial,
    chargedToProvider: paidByProviderId === provider.id,
  });
}

/**
 * The same for a patient who has just been registered, with every consent that a claim needs: there is no plan and no
 * expense yet, nor anything withdrawn.
 */
export function eventTypeOfNewPatient({ token, now }: OpenedWidgetToken): EventType {
  const { is_subscribed: subscribed, is_free_trial: freeTrial } = planStatus({ plan: null, expensesSent: 0 }, now);
  return eventTypeOf(token.purpose, { known: true, subscribed, freeTrial, chargedToProvider: false });
}

const NOBODY: PatientFacts = { known: false, subscribed: false, freeTrial: false, chargedToProvider: false };

function quoteOf(
  { financingProviderName }: WidgetSessionDependencies,
  order: OrderRecord,
  now: Date,
): WidgetSession["quote"] {
  return quoteFor({
    total: order.total,
    commissionBasisPoints: order.commissionBasisPoints,
    financingProvider: financingProviderName,
    now,
  });
}

function providerPart(provider: Provider): WidgetSession["provider"] {
  return {
    name: provider.name,
    logo_url: provider.logoUrl,
    appearance: provider.appearance,
    support: { email: provider.supportEmail, phone: provider.supportPhone },
  };
}
