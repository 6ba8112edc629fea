import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

/** The e-mails and phone messages to a tenant's patients, newest first. */
export interface SentMessages {
  readonly notices: readonly {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    readonly sent_at: string;
  }[];
  readonly messages: readonly { readonly to: string; readonly text: string; readonly sent_at: string }[];
}

/** `to`: only those to this e-mail address or telephone number. */
export function readMail(
  { addresses, credentials }: SandboxKeys,
  { to, limit = 100 }: { readonly to?: string | undefined; readonly limit?: number } = {},
): Promise<SentMessages> {
  const url = new URL("/sandbox/notices", addresses.order_api);
  url.searchParams.set("limit", `${limit}`);
  if (to !== undefined) url.searchParams.set("to", to);
  const headers = { authorization: `Bearer ${credentials.client_secret}` };
  return call<SentMessages>({ method: "GET", url, headers, answerHas: ["notices", "messages"] });
}
