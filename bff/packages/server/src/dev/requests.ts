import * as z from "zod/mini";
import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

const requestSchema = z.object({
  request_id: z.string(),
  ended_at: z.string(),
  method: z.string(),
  route: z.string(),
  status: z.number(),
  code: z.nullable(z.string()),
  invalid_fields: z.array(z.string()),
  duration_ms: z.number(),
});
type SentRequest = z.infer<typeof requestSchema>;

/** The latest calls with these keys, newest first. */
export async function readRequests({ addresses, credentials }: SandboxKeys): Promise<readonly SentRequest[]> {
  const headers = { authorization: `Bearer ${credentials.client_secret}` };
  const url = new URL("/sandbox/requests", addresses.order_api);
  return z.object({ requests: z.array(requestSchema) }).parse(await call({ method: "GET", url, headers })).requests;
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
