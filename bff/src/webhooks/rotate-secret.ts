import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { Principal } from "../platform/provider.ts";
import { rotateCredential } from "../tenants/rotate-credential.ts";
import { signsWithOwnSecret } from "../tenants/webhook-secrets.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookOperations } from "./webhook-operations.ts";

/**
 * Makes a new secret for an endpoint; the old one lives on for the overlap. An endpoint without a secret of its own signs
 * with the provider's, which is then what is rotated.
 */
export async function rotateSecret(
  operations: WebhookOperations,
  { credential }: Principal,
  { id, providerId }: WebhookEndpoint,
  overlapHours: number,
): Promise<{ secret: string; previousEndsAt: Date }> {
  const overlapMs = overlapHours * HOUR_MS;
  const isOwn = await signsWithOwnSecret(operations, id);
  const previousEndsAt = new Date(operations.clock.now().getTime() + overlapMs);
  const issued = await rotateCredential(
    { ...operations, actor: `credential:${credential}` },
    { providerId, kind: "webhook_secret", overlapMs, ...(isOwn ? { endpointId: id } : {}) },
  );
  return { secret: issued.value, previousEndsAt };
}
