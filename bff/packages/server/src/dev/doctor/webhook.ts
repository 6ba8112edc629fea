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
  /** Whether the receiver timed out. */
  readonly isLate?: boolean;
  /** The target of a redirect. */
  readonly location?: string | null;
  /** The beginning of the body. */
  readonly text?: string;
}
export type Send = (probe: Probe) => Promise<ProbeAnswer>;

const SLOW_MS = 5_000;
/** Wrong header names under which receivers look for the signature. */
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
  const plain = whyNotTaken(first);
  if (plain !== null) return [plain];
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
  if (!isTaken(await send(as(body, secret))))
    findings.push(
      mistake(
        "webhook_repeat",
        "An event that comes again is refused, so that it is sent six times.",
        "Answer 2xx for an event_id that you have.",
      ),
    );
  // The same event with other formatting. The signature covers the sent bytes, and not a parser's copy of them.
  else if (!isTaken(await send(as(JSON.stringify(event, null, 1), secret)))) findings.push(PARSED_BODY);
  else
    findings.push(
      fine("webhook_repeat", "An event that comes again is taken."),
      fine("webhook_raw_body", "The signature is checked over the bytes as they came."),
    );
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
  const newer = JSON.stringify({ ...event, event_id: crypto.randomUUID(), event: "order.newer_than_the_receiver" });
  if (!isTaken(await send(as(newer, secret))))
    findings.push(
      mistake(
        "webhook_unknown_kind",
        "An event of a kind that the receiver does not know is refused, so that it is sent six times.",
        "Answer 2xx for every event that is signed, and pass over kinds that you do not know.",
      ),
    );
  return findings;
}

const PARSED_BODY = mistake(
  "webhook_parsed_body",
  "The signature is checked over a body that was parsed and written again.",
  'Check it over the bytes as received: express.raw({ type: "application/json" }), request.get_data() in Flask, php://input.',
);

/** The cause, if the response alone reveals it. */
function whyNotTaken({ status, isLate, location, text = "" }: ProbeAnswer): Finding | null {
  if (status === null)
    return isLate === true
      ? mistake(
          "webhook_late",
          "The receiver does not answer within ten seconds, so that each event is sent six times.",
          "Keep the event, answer 204, and do the work afterwards.",
        )
      : mistake(
          "webhook_unreachable",
          "Nothing answers at the receiver's address.",
          "Start it, and give the address that takes POST.",
        );
  if (status >= 300 && status < 400)
    return mistake(
      "webhook_redirect",
      "The receiver redirects, which is not followed.",
      `Register the address itself: ${location ?? "the one that it redirects to"}.`,
    );
  if (status === 404 || status === 405)
    return mistake(
      "webhook_path",
      `The receiver answers ${status}: nothing takes POST at this path.`,
      "Correct the path or the method of the route.",
    );
  if (status === 413)
    return mistake("webhook_body_limit", "The receiver refuses the body as too large.", "Allow bodies of 1 MB.");
  if (status === 415)
    return mistake("webhook_content_type", "The receiver refuses the body's type.", "Take application/json.");
  if (status === 419 || (status === 403 && /csrf/i.test(text)))
    return mistake(
      "webhook_csrf",
      "The receiver expects a CSRF token, which only forms of your own pages have.",
      "Take this route out of the CSRF check: @csrf_exempt in Django, the except list in Laravel.",
    );
  if (status >= 500)
    return mistake(
      "webhook_fails",
      `The receiver answers ${status} to a signed event.`,
      "Its log has the error: WEBHOOK_SECRET may not be set, or its database not reachable.",
    );
  return null;
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
    if (key !== "" && isTaken(await send(as(body, key))))
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
  for (const copy of parsersCopies(body))
    if (isTaken(await send({ ...as(body, right), headers: as(copy, right).headers }))) return PARSED_BODY;
  if (status === 400)
    return mistake(
      "webhook_refused",
      "The receiver answers 400 to a signed event, and to one signed in any other way.",
      "Its log has the reason: take every field of the event, also those that you do not know.",
    );
  return mistake(
    "webhook_other_secret",
    `The receiver answers ${status ?? "nothing"} to a signed event: it checks with another secret, or not as in /docs/webhooks.`,
    "WEBHOOK_SECRET=whsec_… of this endpoint; npx aapd-dev env prints the sandbox's.",
  );
}

/**
 * The bodies that receivers verify after a parser has consumed the original: re-serialised by Python or PHP, or empty.
 */
function parsersCopies(body: string): string[] {
  const ascii = (text: string) =>
    text.replaceAll(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const python = JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/([{[])\n\s*/g, "$1")
    .replaceAll(/\n\s*([}\]])/g, "$1")
    .replaceAll(/,\n\s*/g, ", ");
  return [python, ascii(python), ascii(body).replaceAll("/", "\\/"), "", "{}", "[object Object]"];
}
