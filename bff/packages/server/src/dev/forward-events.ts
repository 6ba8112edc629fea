import type { WebhookEvent } from "../../../../src/partner-client/answers.ts";
import { signBody, signWebhook } from "../../../../src/partner-client/sign-webhook.ts";
import { call } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";

/*
 * Delivers webhooks to a machine without a public address: reads events from the log, signs them like the service, and
 * posts them to a local URL.
 */

export type LoggedEvent = Pick<WebhookEvent, "event_id" | "event" | "reference">;
interface EventLog {
  readonly events: readonly LoggedEvent[];
  readonly next: string | null;
  readonly has_more: boolean;
}

/** The receiver's answer to an event. */
export interface Verdict {
  readonly event_id: string;
  readonly event: string;
  readonly reference: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly accepted: boolean;
  readonly words: string;
  readonly tries: number;
}

/** A verdict as the terminal shows it. */
export function verdictLine({ event_id, event, reference, status, accepted, words, tries }: Verdict): string {
  const again = tries === 1 ? "" : `, after ${tries} tries`;
  return `${accepted ? "✓" : "✗"} ${event} ${reference} (${event_id}) → ${status ?? "no answer"}: ${words}${again}`;
}

const RECEIVER_TIMEOUT_MS = 10_000;

/** The events after a given one (all of them after null), and the position for the next call. */
export async function readEvents(
  { addresses, credentials }: SandboxKeys,
  after: string | null,
): Promise<{ readonly events: readonly LoggedEvent[]; readonly after: string | null }> {
  const events: LoggedEvent[] = [];
  for (let from = after; ; ) {
    const url = new URL("/api/events", addresses.spot_api);
    url.searchParams.set("public_key", credentials.public_key);
    if (from !== null) url.searchParams.set("after", from);
    const headers = { "x-secret-key": credentials.secret_key };
    const page: EventLog = await call<EventLog>({ method: "GET", url, headers, answerHas: ["events", "has_more"] });
    events.push(...page.events);
    from = page.next ?? from;
    if (!page.has_more) return { events, after: from };
  }
}

/** The headers of a webhook sent now. `word` is the brand's word in `X-…-Signature`. */
export function webhookHeaders(
  text: string,
  { id, secret, word }: { readonly id: string; readonly secret: string; readonly word: string },
): Record<string, string> {
  const body = new TextEncoder().encode(text);
  const timestamp = Math.floor(Date.now() / 1_000).toString();
  return {
    "content-type": "application/json",
    [`X-${word}-Signature`]: signBody(body, secret),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signWebhook({ body, id, timestamp }, secret),
  };
}

export interface ForwardOptions {
  readonly forwardTo: string;
  readonly secret: string;
  /** The brand's word in the name of the header. */
  readonly word: string;
  /** How long to wait before each retry, in milliseconds. */
  readonly waits: readonly number[];
  readonly wait: (ms: number) => Promise<void>;
  /** Whether to stop retrying. */
  readonly isStopped: () => boolean;
}

/** Posts an event, repeatedly until the receiver accepts it. */
export async function forwardEvent(event: LoggedEvent, options: ForwardOptions): Promise<Verdict> {
  const body = JSON.stringify(event);
  const { event_id, event: kind, reference } = event;
  for (let tries = 1; ; tries += 1) {
    const { status, words } = await post(body, event_id, options);
    const accepted = status !== null && status >= 200 && status < 300;
    const wait = options.waits[tries - 1];
    if (accepted || wait === undefined || options.isStopped())
      return { event_id, event: kind, reference, status, accepted, words, tries };
    await options.wait(wait);
  }
}

async function post(body: string, id: string, { forwardTo, secret, word }: ForwardOptions) {
  try {
    const response = await fetch(forwardTo, {
      method: "POST",
      headers: webhookHeaders(body, { id, secret, word }),
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(RECEIVER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, words: explain(response.status) };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    return { status: null, words: late ? "no answer within ten seconds" : `nothing answers at ${forwardTo}` };
  }
}

/** The meaning of an answer, and its usual cause. */
export function explain(status: number): string {
  if (status >= 200 && status < 300) return "taken";
  if (status === 400 || status === 401 || status === 403)
    return "refused: check the signature over the raw bytes, before a JSON parser has touched them, and the secret";
  if (status === 404 || status === 405) return "nobody takes POST at this path";
  if (status === 413) return "your body parser's limit is too small";
  if (status >= 300 && status < 400) return "a redirect is not followed: give the address itself";
  return status >= 500 ? "your receiver failed: see its log" : "not taken";
}
