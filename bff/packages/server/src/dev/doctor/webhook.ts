import { signBody } from "../../../../../src/partner-client/sign-webhook.ts";
import { type LoggedEvent, webhookHeaders } from "../forward-events.ts";
import type { SandboxKeys } from "../keys.ts";
import { type Finding, fine, mistake, warning } from "./finding.ts";

/** One request to the receiver, and what it answered. */
export interface Probe {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface ProbeAnswer {
  /** Null if there was none. */
  readonly status: number | null;
  readonly ms: number;
}
export type Send = (probe: Probe) => Promise<ProbeAnswer>;

const SLOW_MS = 5_000;
/** Names under which receivers look for a signature that is not ours. */
const OTHER_HEADERS = ["X-Signature", "X-Webhook-Signature", "X-Hub-Signature-256", "Signature"];

const signed = (body: string, secret: string) => signBody(new TextEncoder().encode(body), secret);
const isTaken = ({ status }: ProbeAnswer) => status !== null && status >= 200 && status < 300;

/** Finds out how a receiver handles a genuine event and forged ones. `event` is from the log. */
export async function judgeWebhook(
  send: Send,
  event: Pick<LoggedEvent, "event_id">,
  { credentials, word }: { readonly credentials: SandboxKeys["credentials"]; readonly word: string },
): Promise<Finding[]> {
  const header = `X-${word}-Signature`;
  const secret = credentials.webhook_secret;
  const body = JSON.stringify(event);
  const as = (text: string, key: string): Probe => ({
    body: text,
    headers: webhookHeaders(text, { id: event.event_id, secret: key, word }),
  });
  const first = await send(as(body, secret));
  if (first.status === null)
    return [
      mistake(
        "webhook_unreachable",
        "The receiver does not answer.",
        "Start it, and give the address that takes POST.",
      ),
    ];
  if (!isTaken(first)) return [await whyRefused(send, as, { body, credentials, header, status: first.status })];
  const findings = [
    first.ms > SLOW_MS
      ? warning(
          "webhook_slow",
          `The receiver answered after ${(first.ms / 1_000).toFixed(1)} s; after ten we try again.`,
          "Keep the event, answer 204, and do the work afterwards.",
        )
      : fine("webhook_taken", "The receiver takes a signed event in time."),
  ];
  // The same event as another sender could write it: the signature covers these bytes, not a parser's copy of them.
  const spaced = JSON.stringify(event, null, 1);
  if (!isTaken(await send(as(spaced, secret))))
    findings.push(
      mistake(
        "webhook_parsed_body",
        "The signature is checked over a body that was parsed and written again.",
        'Check it over the bytes as they came: express.raw({ type: "application/json" }), and JSON.parse after that.',
      ),
    );
  else findings.push(fine("webhook_raw_body", "The signature is checked over the bytes as they came."));
  if (isTaken(await send({ body, headers: {} })))
    findings.push(
      mistake("webhook_unsigned", "An event without a signature is taken.", `Answer 401 where ${header} is missing.`),
    );
  else if (isTaken(await send(as(body, "whsec_of_somebody_else"))))
    findings.push(
      mistake(
        "webhook_not_checked",
        "An event with somebody else's signature is taken.",
        "Compare it with verifyWebhook, and answer 401.",
      ),
    );
  else findings.push(fine("webhook_checked", "Events that are not ours are refused."));
  if (!isTaken(await send(as(body, secret))))
    findings.push(
      mistake(
        "webhook_repeat",
        "An event that comes again is refused, so that we send it for days.",
        "Answer 2xx for an event_id that you have.",
      ),
    );
  else findings.push(fine("webhook_repeat", "An event that comes again is taken."));
  return findings;
}

async function whyRefused(
  send: Send,
  as: (text: string, key: string) => Probe,
  {
    body,
    credentials,
    header,
    status,
  }: { body: string; credentials: SandboxKeys["credentials"]; header: string; status: number | null },
): Promise<Finding> {
  const right = credentials.webhook_secret;
  for (const [name, key] of [
    ["the client_secret", credentials.client_secret],
    ["the secret_key", credentials.secret_key],
    ["the webhook_secret without its whsec_", right.replace(/^whsec_/, "")],
  ] as const)
    if (isTaken(await send(as(body, key))))
      return mistake("webhook_secret", `The receiver checks with ${name}.`, "Take WEBHOOK_SECRET as a whole.");
  for (const name of OTHER_HEADERS)
    if (isTaken(await send({ body, headers: { [name]: signed(body, right) } })))
      return mistake("webhook_header", `The receiver reads the signature from ${name}.`, `Read it from ${header}.`);
  if (isTaken(await send({ body, headers: { [header]: signed(body, right).replace("sha256=", "") } })))
    return mistake(
      "webhook_scheme",
      "The receiver expects the signature without sha256=.",
      "Compare all after sha256=.",
    );
  return mistake(
    "webhook_refused",
    `The receiver answers ${status ?? "nothing"} to an event that is signed rightly.`,
    status === 404 || status === 405
      ? "Nobody takes POST at this path."
      : "Compare it with the code in /docs/webhooks.",
  );
}
