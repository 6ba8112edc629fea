import express, { type Router } from "express";
import * as z from "zod";
import type { Clinic } from "./clinic.ts";
import type { WebhookManagement } from "./webhook-management.ts";

const replaySchema = z.object({ deliveryId: z.uuid() });
const replaySinceSchema = z.object({ since: z.iso.datetime(), onlyFailed: z.boolean() });
const endpointIdSchema = z.uuid();

interface DeliveryRoutesDependencies {
  readonly clinic: Clinic;
  readonly webhooks: WebhookManagement;
}

/** Routes that show a partner's staff the webhooks sent to them; `secret_key` stays in the backend. */
export function deliveryRoutes({ clinic, webhooks }: DeliveryRoutesDependencies): Router {
  const router = express.Router();
  const json = express.json();
  router.get("/deliveries", async (_request, response) => {
    const references = Object.fromEntries(
      clinic
        .purchases()
        .flatMap(({ orderHash, reference }): [string, string][] =>
          orderHash === null ? [] : [[orderHash, reference]],
        ),
    );
    response.json({ endpoints: await webhooks.readDeliveries(), references });
  });
  router.post("/deliveries/:endpointId/replay", json, async (request, response) => {
    const { deliveryId } = replaySchema.parse(request.body);
    await webhooks.replay(endpointIdSchema.parse(request.params.endpointId), deliveryId);
    response.status(204).end();
  });
  router.post("/deliveries/:endpointId/replay-since", json, async (request, response) => {
    const { since, onlyFailed } = replaySinceSchema.parse(request.body);
    const endpointId = endpointIdSchema.parse(request.params.endpointId);
    response.json({ replayed: await webhooks.replaySince(endpointId, since, onlyFailed) });
  });
  router.post("/deliveries/:endpointId/test", json, async (request, response) => {
    z.object({}).parse(request.body);
    await webhooks.sendTest(endpointIdSchema.parse(request.params.endpointId));
    response.status(204).end();
  });
  return router;
}
