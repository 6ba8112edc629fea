import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";

/**
 * Headers that every answer of a face has. To set them one by one costs as much as parsing the request, so that they are
 * kept as they are to be written and leave together with the answer's own (`sendAnswer`). What answers by other means is
 * mounted behind `setDeferredHeaders`.
 */
const deferred = Symbol("headers that are not set yet");

interface DeferringResponse extends ServerResponse {
  [deferred]?: readonly string[];
}

/** Names and values in turn, for every answer that follows. */
export function deferHeaders(response: DeferringResponse, headers: readonly string[]): void {
  response[deferred] = headers;
}

/** What was deferred and has not been set; from here on it is the caller's to send. */
export function takeDeferredHeaders(response: DeferringResponse): readonly string[] {
  const headers = response[deferred] ?? NONE;
  response[deferred] = NONE;
  return headers;
}

const NONE: readonly string[] = [];

/** Sets what was deferred, for handlers that know nothing of it. */
export const setDeferredHeaders: RequestHandler = (_request, response, next) => {
  const headers = takeDeferredHeaders(response);
  for (let index = 0; index < headers.length; index += 2)
    response.setHeader(headers[index] ?? "", headers[index + 1] ?? "");
  next();
};
