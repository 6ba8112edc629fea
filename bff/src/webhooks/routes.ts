/*
 * Webhooks: partners register endpoints, and each event of their orders is signed and delivered until it is accepted.
 */

import { webhookEndpoints } from "../contract/webhook-endpoints.ts";
import { defineRoute, loading, type ReceivedRequest, type Route } from "../platform/http/route.ts";
import { deliveryView, readDeliveries, replayWebhooks, sendTest } from "./deliveries.ts";
import {
  actingAs,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  endpointView,
  listEndpoints,
  ownEndpoint,
  rotateSecret,
  type WebhookOperations,
} from "./endpoints.ts";
import { readEvents } from "./events.ts";

/** The routes by which partners manage their webhooks and read missed events. */
export function webhookRoutes(operations: WebhookOperations): Route[] {
  return [...managementRoutes(operations), ...deliveryRoutes(operations)];
}

/** Loads the provider's own endpoint that the path names; 404 for every other. */
function load({ params }: ReceivedRequest) {
  return loading(ownEndpoint(params.id ?? ""), "webhook_endpoint_not_found");
}

function managementRoutes(operations: WebhookOperations): Route[] {
  return [
    defineRoute(webhookEndpoints.createWebhookEndpoint, {
      async handle({ principal, body }) {
        const { endpoint, secret } = await createEndpoint(operations, principal, body);
        return { status: 201, body: { ...endpointView(endpoint), secret } };
      },
    }),
    defineRoute(webhookEndpoints.listWebhookEndpoints, {
      async handle({ principal }) {
        const endpoints = await listEndpoints(operations.db, principal.provider.id);
        return { status: 200, body: { webhook_endpoints: endpoints.map(endpointView) } };
      },
    }),
    defineRoute(webhookEndpoints.readWebhookEndpoint, {
      load,
      handle: async ({ resource }) => ({ status: 200, body: endpointView(resource) }),
    }),
    defineRoute(webhookEndpoints.changeWebhookEndpoint, {
      load,
      handle: async ({ principal, resource, body }) => ({
        status: 200,
        body: endpointView(await changeEndpoint(operations, principal, resource, body)),
      }),
    }),
    defineRoute(webhookEndpoints.deleteWebhookEndpoint, {
      load,
      async handle({ principal, resource }) {
        await deleteEndpoint(operations, principal, resource);
        return { status: 200, body: { id: resource.id, deleted: true } };
      },
    }),
    defineRoute(webhookEndpoints.rotateWebhookSecret, {
      load,
      async handle({ principal, resource, body }) {
        const { secret, previousEndsAt } = await rotateSecret(operations, principal, resource, body.overlap_hours);
        return { status: 200, body: { secret, previous_secret_ends_at: previousEndsAt.toISOString() } };
      },
    }),
  ];
}

function deliveryRoutes(operations: WebhookOperations): Route[] {
  return [
    defineRoute(webhookEndpoints.testWebhookEndpoint, {
      load,
      // A test makes a call to another party's server, so tests are limited.
      limits: ({ params }) => [
        { name: "webhooks.test", key: (params.id ?? "").toLowerCase(), requestsMax: 30, windowSeconds: 60 },
      ],
      handle: async ({ resource, now }) => ({
        status: 202,
        body: deliveryView(await sendTest(operations, resource, now)),
      }),
    }),
    defineRoute(webhookEndpoints.listWebhookDeliveries, {
      load,
      async handle({ resource, query }) {
        const { deliveries, next } = await readDeliveries(operations.db, resource, query);
        return { status: 200, body: { deliveries: deliveries.map(deliveryView), next } };
      },
    }),
    defineRoute(webhookEndpoints.replayWebhooks, {
      load,
      handle: async ({ principal, resource, body }) => ({
        status: 202,
        body: { replayed: await replayWebhooks(operations, actingAs(principal), resource, body) },
      }),
    }),
    defineRoute(webhookEndpoints.listEvents, {
      handle: async ({ principal, query }) => ({
        status: 200,
        body: await readEvents(operations.db, principal.provider.id, query),
      }),
    }),
  ];
}
