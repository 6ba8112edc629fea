import { createHash } from "node:crypto";
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

/**
 * Identifies a URL in any spelling: URLs that lead to the same requests have the same hash. Throws `TypeError` for a
 * malformed URL.
 */
export function urlHash(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return createHash("sha256").update(url.href).digest("hex");
}
