import { sandboxEndpoints } from "bff/contract/sandbox-endpoints";
import { productUrls } from "./tenant.ts";

/** Moves a tenant's time forward (`45d`, `61m`); all that fell due has been done when it returns. */
export async function moveClock(
  credentials: { readonly client_secret: string },
  advance: string,
  { orderApiUrl }: { readonly orderApiUrl: string } = productUrls(),
): Promise<void> {
  const { method, path } = sandboxEndpoints.moveSandboxClock;
  const response = await fetch(new URL(path, orderApiUrl), {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${credentials.client_secret}` },
    body: JSON.stringify({ advance }),
  });
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}`);
}
