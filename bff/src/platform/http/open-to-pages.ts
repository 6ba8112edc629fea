import type { Request, RequestHandler, Response } from "express";
import type { Credential, Endpoint } from "../../contract/endpoint.ts";
import type { Principal } from "../provider.ts";
import type { AddressLimits } from "./address-limits.ts";
import { sendAnswer, sendError } from "./send-answer.ts";

/** Whether partners' pages may call the endpoint directly, because a public credential suffices. */
export function isOpenToPages({ credentials, also }: Endpoint): boolean {
  return credentials.some(isPublic) && also === undefined;
}

function isPublic(credential: Credential): boolean {
  return credential === "public_key" || credential === "client_id";
}

const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy";
const PREFLIGHT_SECONDS = "600";

/**
 * Lets a page read the answer, if the provider has registered its origin and no secret was sent. A secret does not
 * belong in a page.
 */
export function openToOrigin(request: Request, response: Response, { provider, credential }: Principal): void {
  response.vary("Origin");
  const { origin } = request.headers;
  if (origin === undefined || !isPublic(credential) || !provider.origins.includes(origin)) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
}

export function preflight(
  endpoint: Endpoint,
  allowsOrigin: (origin: string, request: Request) => Promise<boolean>,
  addressLimits: Pick<AddressLimits, "countPublicCall">,
): RequestHandler {
  return async (request, response) => {
    try {
      await addressLimits.countPublicCall(request.ip ?? "");
      const { origin } = request.headers;
      response.vary("Origin");
      if (origin !== undefined && (await allowsOrigin(origin, request))) {
        response.setHeader("Access-Control-Allow-Origin", origin);
        response.setHeader("Access-Control-Allow-Methods", endpoint.method);
        response.setHeader(
          "Access-Control-Allow-Headers",
          "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
        );
        response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
      }
      sendAnswer(response, { status: 204, body: undefined });
    } catch (error) {
      sendError(request, response, endpoint, error);
    }
  };
}
