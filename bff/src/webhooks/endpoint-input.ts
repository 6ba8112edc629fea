import * as z from "zod";
import { webhookEventKindSchema } from "../contract/webhook-events.ts";
import { ENDPOINT_URL_LENGTH_MAX } from "../contract/webhooks.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../platform/http/guarded-fetch.ts";
import { LOGGED_KINDS } from "./webhook-body.ts";

/** The kinds that an endpoint is told when it does not say which: each change once, under its own kind. */
export const DEFAULT_KINDS = LOGGED_KINDS;

export const endpointUrlSchema = z.string().trim().min(1).max(ENDPOINT_URL_LENGTH_MAX);
export const kindsSchema = z
  .array(z.enum(webhookEventKindSchema.options))
  .min(1)
  .transform((kinds) => [...new Set(kinds)]);

/** Throws 400 `endpoint_url_not_allowed` for a URL that is not HTTPS or does not lead to public addresses only. */
export async function requireAllowedUrl(guardedFetch: Pick<GuardedFetch, "check">, url: string): Promise<void> {
  const failure: unknown = await guardedFetch.check(url).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof UrlRefused || failure instanceof FetchFailed)
    throw new ApiError("endpoint_url_not_allowed", {}, { cause: failure });
  if (failure !== null) throw failure;
}
