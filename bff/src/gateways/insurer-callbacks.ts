import express, { type Router } from "express";
import * as z from "zod/mini";
import type { Clock } from "../platform/clock.ts";
import { isSignedCallback } from "./connector/callback-signature.ts";

/** Where a connector reports that a claim has changed (docs/reference/gateways.md). */
export const INSURER_CALLBACK_PATH = "/connector/v1/insurer/callbacks";
export const CALLBACK_BYTES_MAX = 8 * 1_024;

const insurerCallbackSchema = z.object({
  provider_id: z.uuid(),
  claim_id: z.string().check(z.minLength(1), z.maxLength(128)),
});

export interface ConnectorCallbacksDependencies {
  /** Real time. */
  readonly clock: Clock;
  /** Processes a claim's change; returns false if the claim is not known (yet). */
  readonly receiveInsurerNews: (claim: InsurerClaim) => Promise<boolean>;
  /** The tokens that may sign: the current one and, during a rotation, the previous one. */
  readonly callbackTokens: readonly [string, ...string[]];
}

/** A claim as the insurer knows it. */
export interface InsurerClaim {
  readonly providerId: string;
  readonly insurerClaimId: string;
}

/** A callback as received, before its signature is checked. */
export interface ReceivedCallback {
  readonly headers: Parameters<typeof isSignedCallback>[0];
  readonly body: Uint8Array;
}

/** Processes an insurer's callback and returns the status to answer; 404 asks the connector to repeat it later. */
export async function receiveInsurerCallback(
  dependencies: ConnectorCallbacksDependencies,
  { headers, body }: ReceivedCallback,
): Promise<204 | 401 | 404 | 422> {
  const { callbackTokens: tokens, clock } = dependencies;
  if (!isSignedCallback(headers, body, { tokens, now: clock.now() })) return 401;
  const claim = readInsurerCallback(body);
  if (claim === null) return 422;
  return (await dependencies.receiveInsurerNews(claim)) ? 204 : 404;
}

/** The claim that a callback names; null if its body is not part of the protocol. */
export function readInsurerCallback(body: Uint8Array): InsurerClaim | null {
  const callback = insurerCallbackSchema.safeParse(parse(body));
  if (!callback.success) return null;
  return { providerId: callback.data.provider_id, insurerClaimId: callback.data.claim_id };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The routes for connectors. They are not part of the partners' API, so its documentation omits them. */
export function connectorCallbacks(dependencies: ConnectorCallbacksDependencies): Router {
  const router = express.Router();
  const raw = express.raw({ type: () => true, limit: CALLBACK_BYTES_MAX });
  router.post(INSURER_CALLBACK_PATH, raw, async (request, response) => {
    const body: unknown = request.body;
    const headers = {
      "webhook-id": request.get("webhook-id"),
      "webhook-timestamp": request.get("webhook-timestamp"),
      "webhook-signature": request.get("webhook-signature"),
    };
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    response.status(await receiveInsurerCallback(dependencies, { headers, body: bytes })).end();
  });
  return router;
}
