import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

interface SentRequest {
  readonly request_id: string;
  readonly ended_at: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly invalid_fields: readonly string[];
  readonly duration_ms: number;
}

/** The latest calls with these keys, newest first. */
export async function readRequests({ addresses, credentials }: SandboxKeys): Promise<readonly SentRequest[]> {
  const headers = { authorization: `Bearer ${credentials.client_secret}` };
  const url = new URL("/sandbox/requests", addresses.order_api);
  const { requests } = await call<{ readonly requests: readonly SentRequest[] }>({
    method: "GET",
    url,
    headers,
    answerHas: ["requests"],
  });
  return requests;
}

/** The calls that aapd-dev itself repeats while it listens. */
const OWN_ROUTES = new Set(["/api/events", "/sandbox/requests", "/sandbox/clock", "/sandbox/notices"]);

/** The calls selected by the options. */
export function chooseRequests(
  requests: readonly SentRequest[],
  { refused, route, status, all }: RequestChoice,
): readonly SentRequest[] {
  return requests.filter(
    (one) =>
      (all === true || one.status >= 400 || !(one.method === "GET" && OWN_ROUTES.has(one.route))) &&
      (refused !== true || one.status >= 400) &&
      (route === undefined || one.route.includes(route)) &&
      (status === undefined || status === `${one.status}` || status === `${Math.floor(one.status / 100)}xx`),
  );
}

interface RequestChoice {
  readonly refused?: boolean;
  readonly route?: string;
  /** Such as `422` or `4xx`. */
  readonly status?: string;
  readonly all?: boolean;
}

export function requestLine({
  request_id,
  ended_at,
  method,
  route,
  status,
  code,
  invalid_fields,
}: SentRequest): string {
  const fields = invalid_fields.length === 0 ? "" : ` in ${invalid_fields.join(", ")}`;
  const why = code === null ? "" : ` ${code}${fields}`;
  return `${ended_at} ${status} ${method} ${route}${why} (${request_id})`;
}
