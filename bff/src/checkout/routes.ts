import { orderEndpoints } from "../contract/order-endpoints.ts";
import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX, MINTINGS_OF_ORDER_PER_HOUR_MAX } from "../contract/terms.ts";
import type { ChargeLimits } from "../contract/vocabulary/card.ts";
import { type OrderId, readOrderId, readWidgetToken } from "../contract/vocabulary/identifiers.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import { loadOwnOrder, orderInPath } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { type AnnualCostTerms, quoteFor, splitTotal } from "../orders/quote.ts";
import { amountProblem } from "../orders/readiness.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findBeneficiary, loadingCallersPatient } from "../patients/patients.ts";
import { findUnprovenOfProvider } from "../patients/unproven.ts";
import { NO_COLUMN } from "../platform/database/read-column.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { perNetwork } from "../platform/http/network.ts";
import { userAgentOf } from "../platform/http/request-context.ts";
import {
  defineRoute,
  type Loading,
  loading,
  NOTHING_NAMED,
  type ReceivedRequest,
  type Route,
  type RouteLimit,
} from "../platform/http/route.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment } from "../platform/provider.ts";
import { type MintWidgetTokenDependencies, mintWidgetToken } from "./mint-widget-token.ts";
import { objectToEmailChange } from "./onboarding/object-to-email-change.ts";
import { type StartRecoveryDependencies, startRecovery } from "./onboarding/start-recovery.ts";
import { type VerifyRecoveryDependencies, verifyRecovery } from "./onboarding/verify-recovery.ts";
import {
  boundToken,
  boundTokenFor,
  loadingCallerToken,
  loadingSession,
  type OpenSessionDependencies,
  perToken,
  requireLive,
} from "./open-widget-token.ts";
import { reportShown } from "./page-state.ts";
import { type LookUpPlanDependencies, lookUpPlanOf } from "./plans/look-up-plan.ts";
import { setSubscription } from "./plans/set-plan.ts";
import { type DisownRecognitionDependencies, disownRecognition } from "./recognition/disown-recognition.ts";
import { type StartRecognitionDependencies, startRecognition } from "./recognition/start-recognition.ts";
import { type VerifyRecognitionDependencies, verifyRecognition } from "./recognition/verify-recognition.ts";
import { type RegisterPatientDependencies, registerPatient } from "./register-patient.ts";
import { revokeWidgetToken } from "./revoke-widget-token.ts";
import { knownLimits, type WidgetSessionDependencies, widgetSession } from "./widget-session.ts";
import { MINTED_PURPOSES, WIDGET_TOKEN_PURPOSES } from "./widget-token.ts";

interface QuoteRoutesDependencies {
  readonly financingProviderName: string;
  readonly annualCost: AnnualCostTerms;
  readonly chargeLimits: () => Promise<ChargeLimits>;
}

/** The route that quotes an amount in two parts, before there is an order. */
export function quoteRoutes(dependencies: QuoteRoutesDependencies): Route[] {
  const { financingProviderName, annualCost } = dependencies;
  return [
    defineRoute(spotEndpoints.readQuote, {
      async handle({ principal: { provider }, query: { amount: total }, now }) {
        const { commissionBasisPoints, commissionTax } = provider.settings;
        const offer = { total, commissionBasisPoints, commissionTax, annualCost, now };
        const quote = quoteFor({ ...offer, financingProvider: financingProviderName });
        const problem = amountProblem(
          { total, ...splitTotal(total), commissionBasisPoints },
          await knownLimits(dependencies),
        );
        if (problem !== null) throw new ApiError(problem);
        return { status: 200, body: quote };
      },
    }),
  ];
}

interface PlanRoutesDependencies extends LookUpPlanDependencies {
  readonly ids: Ids;
  readonly environment: Environment;
}

/** The routes for reading and setting a patient's plan, and for the caller's own profile. */
export function planRoutes(dependencies: PlanRoutesDependencies): Route[] {
  const { db, ids, environment } = dependencies;
  return [
    defineRoute(spotEndpoints.isUserSubscribed, {
      async handle({ principal: { provider }, query: { rut }, now }) {
        const patient =
          (await findBeneficiary(db, { tenant: tenantOf(provider), rut })) ??
          (await findUnprovenOfProvider(db, { providerId: provider.id, rut, now }));
        const { status } = await lookUpPlanOf(dependencies, { provider, patient }, now);
        return { status: 200, body: status };
      },
    }),
    defineRoute(spotEndpoints.setSubscription, {
      load: ({ params }) => loadingCallersPatient(readRut(params.rut ?? ""), environment),
      async handle({ principal, resource: beneficiary, body, now }) {
        return { status: 200, body: await setSubscription({ db, ids }, { principal, beneficiary, body, now }) };
      },
    }),
    defineRoute(spotEndpoints.profile, {
      async handle({ principal: { provider } }) {
        const { id, name, rut, environment, scopes } = provider;
        return { status: 200, body: { provider: { id, name, rut }, environment, scopes } };
      },
    }),
  ];
}

export interface WidgetTokenRoutesDependencies
  extends MintWidgetTokenDependencies,
    WidgetSessionDependencies,
    OpenSessionDependencies {}

/** The routes for minting and reading widget tokens, and for reporting that their pages are shown. */
export function widgetTokenRoutes(dependencies: WidgetTokenRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.mintWidgetToken, {
      load: orderInBody,
      limits: ({ body: { order_token, deliver } }) => {
        if (order_token === undefined) return [];
        return deliver === undefined ? [mintingsOf(order_token)] : [mintingsOf(order_token), mailsOf(order_token)];
      },
      async handle({ principal: { provider }, resource: order, body, query, now }) {
        const minting = { provider, publicKey: query.public_key, order, body, query, now };
        return { status: 201, body: await mintWidgetToken(dependencies, minting) };
      },
    }),
    defineRoute(spotEndpoints.readWidgetToken, {
      load: ({ params }) => {
        const token = readWidgetToken(params.token ?? "");
        return token === null ? loading(NO_COLUMN, "widget_token_not_found") : loadingSession(dependencies, token);
      },
      async handle({ resource: opened }) {
        requireLive(opened);
        return { status: 200, body: await widgetSession(dependencies, opened) };
      },
    }),
    defineRoute(spotEndpoints.revokeWidgetToken, {
      load: ({ params }) => {
        const token = readWidgetToken(params.token ?? "");
        return token === null
          ? loading(NO_COLUMN, "widget_token_not_found")
          : loadingCallerToken(token, MINTED_PURPOSES);
      },
      async handle({ principal, resource: opened }) {
        await revokeWidgetToken(dependencies, principal, opened);
        return { status: 200, body: { status: "revoked" } };
      },
    }),
    defineRoute(spotEndpoints.reportShown, {
      load: boundTokenFor(WIDGET_TOKEN_PURPOSES),
      limits: ({ body }) => [perToken("widget_tokens.shown", body, 120)],
      async handle({ resource, body }) {
        return { status: 200, body: await reportShown(dependencies, boundToken(resource), body) };
      },
    }),
  ];
}

/**
 * Minting is limited only per order. `public_key` is public, and a limit per RUT, which the caller may omit, would only
 * let strangers use up a patient's share.
 */
function mintingsOf(order: OrderId): RouteLimit {
  const requestsMax = MINTINGS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.order", key: order, requestsMax, windowSeconds: 3_600 };
}

function mailsOf(order: OrderId): RouteLimit {
  const requestsMax = CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.mails", key: order, requestsMax, windowSeconds: 3_600 };
}

/** Loads the order named in the body. 404 if it is not the provider's own. */
function orderInBody({ unparsedBody }: ReceivedRequest): Loading<OrderRecord | null> {
  const named = typeof unparsedBody === "object" && unparsedBody !== null && "order_token" in unparsedBody;
  const id = named && typeof unparsedBody.order_token === "string" ? readOrderId(unparsedBody.order_token) : null;
  // The validation of the body rejects a malformed hash later.
  return id === null ? NOTHING_NAMED : loadOwnOrder(id);
}

interface OnboardingRoutesDependencies
  extends RegisterPatientDependencies,
    StartRecoveryDependencies,
    VerifyRecoveryDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

/** The routes by which patients register or recover their registration. */
export function onboardingRoutes(dependencies: OnboardingRoutesDependencies): Route[] {
  // Excludes links sent by the service: their holder has not proved to be the patient, so such a link must register no
  // one and reveal nothing.
  const load = boundTokenFor(MINTED_PURPOSES);
  return [
    defineRoute(spotEndpoints.registerPatient, {
      load,
      async handle({ resource, body, ip, request }) {
        const opened = boundToken(resource);
        const userAgent = userAgentOf(request);
        const { created, patient } = await registerPatient(dependencies, { opened, body, ip, userAgent });
        return { status: created ? 201 : 200, body: patient };
      },
    }),
    defineRoute(spotEndpoints.startRecovery, {
      load,
      limits: ({ ip }) => [perNetwork("recovery.address", ip, 120)],
      async handle({ resource, body }) {
        return { status: 202, body: await startRecovery(dependencies, { opened: boundToken(resource), body }) };
      },
    }),
    defineRoute(spotEndpoints.verifyRecovery, {
      load,
      limits: ({ ip }) => [perNetwork("recovery.tries_address", ip, 600)],
      async handle({ resource, body, query, ip, request }) {
        const userAgent = userAgentOf(request);
        const codeTry = { opened: boundToken(resource), body, publicKey: query.public_key, ip, userAgent };
        return { status: 200, body: await verifyRecovery(dependencies, codeTry) };
      },
    }),
    defineRoute(spotEndpoints.objectToEmailChange, {
      load: boundTokenFor(["objection"]),
      async handle({ resource }) {
        await objectToEmailChange(dependencies, boundToken(resource));
        return { status: 200, body: { status: "undone" } };
      },
    }),
  ];
}

/* Recognition: a known patient proves their identity with a code, and does not have to enter known data again. */

/** Limits per order. Only the clinic and the patient know its hash. */
const STARTS = { name: "recognition.start", requestsMax: 20, windowSeconds: 60 } as const;
const TRIES = { name: "recognition.verify", requestsMax: 30, windowSeconds: 60 } as const;

export function recognitionRoutes(
  dependencies: StartRecognitionDependencies & VerifyRecognitionDependencies & DisownRecognitionDependencies,
): Route[] {
  const load = orderInPath;
  const limitedBy =
    (limit: typeof STARTS | typeof TRIES) =>
    ({ params }: ReceivedRequest): RouteLimit[] => {
      const key = readOrderId(params.hash ?? "");
      return key === null ? [] : [{ ...limit, key }];
    };
  return [
    defineRoute(orderEndpoints.startRecognition, {
      load,
      limits: limitedBy(STARTS),
      handle: async ({ resource: order, body, now }) => ({
        status: 202,
        body: await startRecognition(dependencies, { order, askedCard: body.stored_card ?? null, now }),
      }),
    }),
    defineRoute(orderEndpoints.verifyRecognition, {
      load,
      limits: limitedBy(TRIES),
      handle: async ({ principal: { provider }, resource: order, body, now }) => ({
        status: 200,
        body: await verifyRecognition(dependencies, { provider, order, code: body.code, now }),
      }),
    }),
    defineRoute(orderEndpoints.disownRecognition, {
      load,
      limits: limitedBy(TRIES),
      handle: async ({ resource: order, now }) => ({
        status: 200,
        body: await disownRecognition(dependencies, { order, now }),
      }),
    }),
  ];
}
