import * as z from "zod";

/** One attempt to deliver an event to one of the clinic's endpoints, as the service returns it. */
const attemptSchema = z.object({
  number: z.number(),
  started_at: z.string(),
  duration_ms: z.number().nullable(),
  outcome: z.string(),
  failure: z.string().nullable(),
  status: z.number().nullable(),
  /** The first bytes of the clinic's response; null if there was none. */
  answer: z.string().nullable(),
});

const deliverySchema = z.object({
  id: z.string(),
  event: z.string(),
  order_hash: z.string().nullable(),
  status: z.string(),
  created_at: z.string(),
  next_attempt_at: z.string().nullable(),
  attempts: z.array(attemptSchema),
});
export type Delivery = z.infer<typeof deliverySchema>;

const endpointSchema = z.object({
  id: z.string(),
  url: z.string(),
  kinds: z.array(z.string()),
  paused: z.boolean(),
  failing_since: z.string().nullable(),
});
export type WebhookEndpoint = z.infer<typeof endpointSchema>;

export interface EndpointDeliveries {
  readonly endpoint: WebhookEndpoint;
  /** The latest deliveries, newest first. */
  readonly deliveries: readonly Delivery[];
}

/** The clinic's administration of webhooks, with `secret_key`. */
export interface WebhookManagement {
  readDeliveries(): Promise<readonly EndpointDeliveries[]>;
  /** Sends an ended delivery again, whether it was accepted or not. */
  replay(endpointId: string, deliveryId: string): Promise<void>;
  /**
   * Repeats the ended deliveries since a moment, either all or only those that were never accepted; returns how many.
   */
  replaySince(endpointId: string, since: string, onlyFailed: boolean): Promise<number>;
  /** Sends an event of the kind `endpoint.test`. */
  sendTest(endpointId: string): Promise<void>;
}

/** Thrown when the service refuses or cannot be reached. */
export class ManagementFailed extends Error {
  override name = "ManagementFailed";
}

const ANSWER_WITHIN_MS = 15_000;
const DELIVERIES_SHOWN = 50;

export interface WebhookManagementOptions {
  readonly spotApiUrl: string;
  readonly secretKey: string;
}

export function createWebhookManagement({ spotApiUrl, secretKey }: WebhookManagementOptions): WebhookManagement {
  async function call(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, spotApiUrl), {
      method,
      headers: { "x-secret-key": secretKey, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch((cause: unknown) => {
      throw new ManagementFailed("El servicio no responde.", { cause });
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    throw new ManagementFailed(`El servicio respondió ${response.status}.`);
  }
  const pathOf = (endpointId: string, act: string) => `/api/webhook_endpoints/${encodeURIComponent(endpointId)}/${act}`;

  return {
    async readDeliveries() {
      const listed = z
        .object({ webhook_endpoints: z.array(endpointSchema) })
        .parse(await call("GET", "/api/webhook_endpoints"));
      return Promise.all(
        listed.webhook_endpoints.map(async (endpoint) => {
          const answer = await call("GET", `${pathOf(endpoint.id, "deliveries")}?limit=${DELIVERIES_SHOWN}`);
          return { endpoint, deliveries: z.object({ deliveries: z.array(deliverySchema) }).parse(answer).deliveries };
        }),
      );
    },
    async replay(endpointId, deliveryId) {
      await call("POST", pathOf(endpointId, "replay"), { delivery_id: deliveryId });
    },
    async replaySince(endpointId, since, onlyFailed) {
      const answer = await call("POST", pathOf(endpointId, "replay"), { since, only_failed: onlyFailed });
      return z.object({ replayed: z.number() }).parse(answer).replayed;
    },
    async sendTest(endpointId) {
      await call("POST", pathOf(endpointId, "test"), {});
    },
  };
}
