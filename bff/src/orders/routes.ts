/* The orders feature: creates, pays, refunds, expires and cancels orders, and keeps the ledger of their money. */

import type * as z from "zod/mini";
import { orderEndpoints } from "../contract/order-endpoints.ts";
import type {
  addPaymentMethodRequestSchema,
  OpenCardPageResponse,
  Order,
  refundOrderRequestSchema,
} from "../contract/orders.ts";
import { CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX, ORDER_STEPS_PER_MINUTE_MAX } from "../contract/terms.ts";
import { readOrderId } from "../contract/vocabulary/identifiers.ts";
import { listLimit } from "../platform/http/list-page.ts";
import { userAgentOf } from "../platform/http/request-context.ts";
import {
  defineRoute,
  type KnownCaller,
  type ReceivedRequest,
  type Route,
  type RouteLimit,
} from "../platform/http/route.ts";
import type { Principal } from "../platform/provider.ts";
import { namedBindingRate } from "../tenants/maximum-rate.ts";
import { addPaymentMethod, type NewCard } from "./add-payment-method.ts";
import { type AgreementRequest, readAgreement } from "./agreement.ts";
import type { OrdersDependencies, OrderViews } from "./dependencies.ts";
import { hashKey } from "./derived-ids.ts";
import { validateIdentity } from "./identity/validate-identity.ts";
import { cancelOrder } from "./lifecycle/cancel-order.ts";
import { answerAsCreated, createOrder, createOrderWriter } from "./lifecycle/create-order.ts";
import { type CardOnPage, inquireCardPage, openCardPage } from "./open-card-page.ts";
import { type DocumentDependencies, makeCalendarEntry, printOrderAgreement, printReceipt } from "./order-documents.ts";
import { orderInPath, type PayableOrder, payableOrderInPath } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { patientOrder, paymentMethod, refundPart, shownPage } from "./order-view.ts";
import { type PaymentRequest, payOrder } from "./pay-order.ts";
import { parseAmount, type RefundRequest, refundOrder } from "./refunds/refund-order.ts";
import { listOrders } from "./search/list-orders.ts";

const ORDER_STEP_LIMIT = { name: "order.step", requestsMax: ORDER_STEPS_PER_MINUTE_MAX, windowSeconds: 60 } as const;
const PRINT_LIMIT = {
  name: "order.print",
  requestsMax: CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX,
  windowSeconds: 3_600,
} as const;

/** The routes of the order API, in the order in which the API table lists them. */
export function orderRoutes(dependencies: OrdersDependencies, views: OrderViews): Route[] {
  const named = { load: orderInPath };
  const step = { ...named, limits: stepLimits };
  const load = payableOrderInPath(dependencies.environment);
  const pay = async (context: PayContext) => {
    const { order, payment } = await payOrder(dependencies, paymentRequest(context));
    return { status: 200, body: { order: await views.forPatient(order, context.now), payment } };
  };
  const creating = { ...dependencies, write: createOrderWriter(dependencies.db) };
  return [
    defineRoute(orderEndpoints.createOrder, {
      load: () => ({ ...namedBindingRate(dependencies.clock.now()), missing: null }),
      async handle({ principal, body, now, resource: maximumRate }, keep) {
        const answerWith = (order: Order) => ({ status: 201, body: order });
        const creation = { now, maximumRate, keep: (order: Order) => keep(answerWith(order), order.hash) };
        return answerWith(await createOrder(creating, principal, body, creation));
      },
      rebuild: ({ principal }, createdId) => answerAsCreated(dependencies, principal, createdId),
    }),
    ...documentRoutes({ ...dependencies, views }),
    defineRoute(orderEndpoints.validateIdentity, {
      ...step,
      handle: async ({ principal: { provider }, resource: order, body, now }) => {
        const { document_serial: documentSerial, document_type: documentType } = body;
        const request = { provider, order, documentSerial, documentType, now };
        const validated = await validateIdentity(dependencies, request);
        return { status: 200, body: { status: "validated", order: patientOrder(validated, now) } };
      },
    }),
    defineRoute(orderEndpoints.addPaymentMethod, {
      ...step,
      handle: async ({ principal: { provider }, resource: order, body, now, ip, request }) => {
        const card = newCard(body, { ip, userAgent: userAgentOf(request) });
        const added = await addPaymentMethod(dependencies, { provider, order, card, now });
        const view = patientOrder(added.order, now);
        return { status: 200, body: { status: "added", payment_method: paymentMethod(added.card), order: view } };
      },
    }),
    cardPageRoute(dependencies),
    // A replay under the same key reports the current state of the same attempt.
    defineRoute(orderEndpoints.payOrder, { ...step, load, handle: pay, replay: pay }),
    defineRoute(orderEndpoints.refundOrder, {
      ...named,
      handle: async (context) => {
        const { order, refund } = await refundOrder(dependencies, refundRequest(context));
        const view = await views.forPartner(order, context.now);
        return { status: 200, body: { ...view, refund: refundPart(order, refund) } };
      },
    }),
    defineRoute(orderEndpoints.cancelOrder, {
      ...named,
      handle: async ({ principal, resource, now }) => ({
        status: 200,
        body: await views.forPartner(await cancelOrder(dependencies, principal, resource, now), now),
      }),
    }),
    ...readRoutes(dependencies, views),
  ];
}

function readRoutes(dependencies: OrdersDependencies, views: OrderViews): Route[] {
  return [
    defineRoute(orderEndpoints.listOrders, {
      limits: () => [listLimit("order.list")],
      handle: async ({ principal: { provider }, query, now }) => {
        const { orders, next } = await listOrders(dependencies, { providerId: provider.id, query });
        return { status: 200, body: { orders: await views.listForPartner(orders, now), next } };
      },
    }),
    defineRoute(orderEndpoints.listRefunds, {
      load: orderInPath,
      handle: async ({ resource: order }) => ({
        status: 200,
        body: { refunds: order.refunds.map((refund) => refundPart(order, refund)) },
      }),
    }),
    defineRoute(orderEndpoints.getOrder, {
      load: orderInPath,
      handle: async ({ principal, resource, now }) => ({
        status: 200,
        body: await views.forCaller(principal, resource, now),
      }),
    }),
  ];
}

function cardPageRoute(dependencies: OrdersDependencies): Route {
  return defineRoute(orderEndpoints.openCardPage, {
    load: orderInPath,
    limits: stepLimits,
    handle: async ({ principal: { provider }, resource: order, body, now, ip, request }) => {
      const { consents, inquire } = body;
      const given = { consents, ip, userAgent: userAgentOf(request) };
      const page = inquire
        ? await inquireCardPage(dependencies, { provider, order, now })
        : await openCardPage(dependencies, { provider, order, now, given });
      return { status: 200, body: cardPageView(page, now) };
    },
  });
}

function cardPageView(page: CardOnPage, now: Date): OpenCardPageResponse {
  return {
    status: page.outcome,
    ...(page.outcome === "open" && { page: shownPage(page.page) }),
    payment_method: page.outcome === "added" ? paymentMethod(page.card) : null,
    order: patientOrder(page.order, now),
  };
}

/** The schema has already rejected a body with both cards, or with none. */
function newCard(
  { sealed_card: sealedCard, stored_card: savedCardId = "", consents }: z.output<typeof addPaymentMethodRequestSchema>,
  from: { readonly ip: string; readonly userAgent: string | null },
): NewCard {
  return sealedCard === undefined ? { savedCardId } : { sealedCard, consents, ...from };
}

/** The agreement of a payment, and the files that the patient downloads. */
function documentRoutes(dependencies: OrdersDependencies & DocumentDependencies): Route[] {
  const step = { load: orderInPath, limits: stepLimits };
  return [
    defineRoute(orderEndpoints.readAgreement, {
      ...step,
      handle: async (context) => ({ status: 200, body: await readAgreement(dependencies, agreementRequest(context)) }),
    }),
    defineRoute(orderEndpoints.printAgreement, {
      load: orderInPath,
      limits: printLimits,
      handle: async (context) => ({
        status: 200,
        body: await printOrderAgreement(dependencies, agreementRequest(context)),
      }),
    }),
    defineRoute(orderEndpoints.printReceipt, {
      load: orderInPath,
      limits: printLimits,
      handle: async (context) => ({ status: 200, body: await printReceipt(dependencies, agreementRequest(context)) }),
    }),
    defineRoute(orderEndpoints.readCalendarEntry, {
      ...step,
      handle: async (context) => ({
        status: 200,
        body: await makeCalendarEntry(dependencies, agreementRequest(context)),
      }),
    }),
  ];
}

function printLimits(received: ReceivedRequest): RouteLimit[] {
  return [...perOrder(ORDER_STEP_LIMIT, received), ...perOrder(PRINT_LIMIT, received)];
}

function stepLimits(received: ReceivedRequest): RouteLimit[] {
  return perOrder(ORDER_STEP_LIMIT, received);
}

function perOrder(limit: Omit<RouteLimit, "key">, { params }: ReceivedRequest): RouteLimit[] {
  const key = readOrderId(params.hash ?? "");
  return key === null ? [] : [{ ...limit, key }];
}

function agreementRequest({
  principal,
  resource,
  query,
  now,
}: KnownCaller<Principal> & { readonly resource: OrderRecord; readonly query: Pick<AgreementRequest, "locale"> }) {
  return { provider: principal.provider, order: resource, locale: query.locale, now };
}

type PayContext = ReceivedRequest &
  KnownCaller<Principal> & {
    readonly resource: PayableOrder;
    readonly body: Pick<PaymentRequest, "consents"> & { readonly quote_sha256?: string | undefined };
  };

function paymentRequest({ principal, resource, body, ip, request, now }: PayContext): PaymentRequest {
  return {
    provider: principal.provider,
    ...resource,
    consents: body.consents,
    quoteSha256: body.quote_sha256 ?? null,
    keyHash: hashKey(request.get("idempotency-key")),
    ip,
    userAgent: userAgentOf(request),
    now,
  };
}

type RefundContext = ReceivedRequest &
  KnownCaller<Principal> & {
    readonly resource: OrderRecord;
    readonly body: z.output<typeof refundOrderRequestSchema>;
  };

function refundRequest({ principal, resource, body, request, now }: RefundContext): RefundRequest {
  return {
    principal,
    order: resource,
    amount: parseAmount(body.amount),
    reason: body.reason ?? null,
    refundReference: body.refund_reference ?? null,
    keyHash: hashKey(request.get("idempotency-key")),
    now,
  };
}
