import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_RETRY_POLICY, type PartnerRequest, sendRequest } from "../../../../src/partner-client/send-request.ts";

/** A call of the sandbox or of the widget that the partner client does not offer. */
export interface DevCall<Answer> {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answerHas: PartnerRequest<Answer>["answerHas"];
}

/** Moving the clock is answered after 25 seconds at the latest, and a payment after eight. */
const POLICY = { ...DEFAULT_RETRY_POLICY, timeoutMs: 60_000 };

/** The answer's JSON. Throws `AapdError` for an error answer, and `AapdUnreachable` without an answer. */
export function call<Answer extends object>({
  method,
  url,
  headers = {},
  body,
  answerHas,
}: DevCall<Answer>): Promise<Answer> {
  const sent = {
    ...(method === "GET" ? {} : { "content-type": "application/json", "idempotency-key": randomUUID() }),
    ...headers,
  };
  const request = {
    method,
    url,
    headers: sent,
    answerHas,
    ...(body === undefined ? {} : { body: () => JSON.stringify(body) }),
  };
  const { fetch } = globalThis;
  return sendRequest(request, POLICY, { fetch, wait: (ms) => pause(ms), random: Math.random, uuid: randomUUID });
}
