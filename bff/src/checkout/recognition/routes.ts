/* Recognition: a patient who is known to the service proves by a code that it is them, and is not asked again for what is known. */

import { orderEndpoints } from "../../contract/order-endpoints.ts";
import { readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { aboutOrder, callersOrder } from "../../orders/order-reads.ts";
import { defineRoute, loading, type ReceivedRequest, type Route, type RouteLimit } from "../../platform/http/route.ts";
import { type DisownRecognitionDependencies, disownRecognition } from "./disown-recognition.ts";
import { type StartRecognitionDependencies, startRecognition } from "./start-recognition.ts";
import { type VerifyRecognitionDependencies, verifyRecognition } from "./verify-recognition.ts";

/** Limits that name the order; its hash is known to the clinic and the patient alone. */
const STARTS = { name: "recognition.start", requestsMax: 20, windowSeconds: 60 } as const;
const TRIES = { name: "recognition.verify", requestsMax: 30, windowSeconds: 60 } as const;

export function recognitionRoutes(
  dependencies: StartRecognitionDependencies & VerifyRecognitionDependencies & DisownRecognitionDependencies,
): Route[] {
  const load = ({ params }: ReceivedRequest) =>
    loading(callersOrder(readOrderId(params.hash ?? "")), "order_not_found", aboutOrder);
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
