import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";

/**
 * Headers of every answer. Setting them one by one costs as much as parsing the request, so they are kept in a list and
 * written together with the answer's own headers (`sendAnswer`). Handlers that answer in another way are mounted behind
 * `setDeferredHeaders`.
 */
const deferred = Symbol("headers that are not set yet");

interface DeferringResponse extends ServerResponse {
  [deferred]?: readonly string[];
}

/** Defers headers until the answer is sent; `headers` alternates names and values. */
export function deferHeaders(response: DeferringResponse, headers: readonly string[]): void {
  response[deferred] = headers;
}

/** Returns the deferred headers and forgets them, so the caller must send them. */
export function takeDeferredHeaders(response: DeferringResponse): readonly string[] {
  const headers = response[deferred] ?? NONE;
  response[deferred] = NONE;
  return headers;
}

const NONE: readonly string[] = [];

/** Sets the deferred headers, for handlers that do not send them by themselves. */
export const setDeferredHeaders: RequestHandler = (_request, response, next) => {
  const headers = takeDeferredHeaders(response);
  for (let index = 0; index < headers.length; index += 2)
    response.setHeader(headers[index] ?? "", headers[index + 1] ?? "");
  next();
};
