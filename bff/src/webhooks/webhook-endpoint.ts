import type { WebhookEventKind } from "../contract/webhook-events.ts";

/** An endpoint that a partner has registered. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly providerId: string;
  readonly url: string;
  readonly kinds: readonly WebhookEventKind[];
  readonly notifyEmail: string | null;
  readonly pausedAt: Date | null;
  readonly failingAt: Date | null;
  readonly createdAt: Date;
}
