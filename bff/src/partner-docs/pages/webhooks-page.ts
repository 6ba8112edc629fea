import {
  DELIVERIES_KEPT_DAYS,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_DELAYS_SECONDS,
  WEBHOOK_TIMEOUT_SECONDS,
} from "../../contract/terms.ts";
import { type Html, html } from "../../platform/http/html.ts";
import type { JsonSchema } from "../json-schema.ts";
import { codeBlock, prose } from "../prose.ts";
import { withAddresses } from "./addresses.ts";
import { callout, type Page, section, table } from "./layout.ts";
import { schemaFields } from "./schema-fields.ts";
import { VECTOR_BODY, VECTOR_SECRET, vectorHeaders } from "./signature-vector.ts";
import { operationsOf, referencePath, type Site } from "./site.ts";

/** The events that the service sends to a partner's back end, and how the partner verifies them. */
export function webhooksPage(site: Site): Page {
  const kinds = Object.entries(site.document.webhooks);
  return {
    path: "/docs/webhooks",
    title: "Webhooks",
    lead: "Signed JSON to an HTTPS address of yours, on every change of an order's status.",
    body: html`${section(
      "kinds",
      "Kinds",
      table(
        "What is told",
        ["event", "When"],
        kinds.map(([kind, item]) => [html`<code>${kind}</code>`, prose(item.post?.summary ?? "")]),
      ),
    )}
${section("body", "Body", body(site))}
${section("verify", "Verify the signature", verify(site))}
${section("recipe", "In any language", recipe(site))}
${section("vector", "Test vector", vector(site))}
${section("delivery", "Delivery", delivery)}
${section("registration", "Registering an address", registration(site))}`,
  };
}

function body({ document }: Site): Html {
  const [first] = Object.values(document.webhooks);
  const content = first?.post?.requestBody?.content["application/json"];
  const [example] = Object.values(content?.examples ?? {});
  const schema: JsonSchema = { $ref: "#/components/schemas/WebhookEvent" };
  return html`${schemaFields(schema, document)}<details class="inside"><summary>Example</summary>${codeBlock(JSON.stringify(example?.value, null, 2), "json", "Body of a webhook")}</details>`;
}

function verify(site: Site): Html {
  return html`<p>Anybody may send to your address. Take nothing whose signature does not match, and verify before you parse: the signature is over the very bytes that came.</p>
${codeBlock(site.samples.verifyWebhook, "js", "verify-webhook.mjs")}
<p>A receiver around it, that does each event once: noting it and doing it are one transaction of your database.</p>
${codeBlock(withAddresses(site.samples.receiveWebhook, site.deployment), "js", "receive-webhook.mjs")}
${callout("A body parser that turns the request into an object before you can read its bytes makes every signature wrong.")}`;
}

const OTHER_LANGUAGES = [
  ["Python", "verifyWebhookPython"],
  ["PHP", "verifyWebhookPhp"],
  ["Ruby", "verifyWebhookRuby"],
  ["Java", "verifyWebhookJava"],
  ["C#", "verifyWebhookCsharp"],
  ["Go", "verifyWebhookGo"],
] as const;

function recipe({ deployment, samples }: Site): Html {
  const header = `X-${deployment.signatureWord}-Signature`;
  return html`<ol>
<li>Read the body as bytes. Do not parse it, trim it or encode it again.</li>
<li>Compute HMAC-SHA256 of these bytes. The key is the whole webhook secret as text, <code>whsec_</code> included.</li>
<li>Write the result as lower-case hexadecimal with <code>sha256=</code> in front.</li>
<li>Compare it with the header <code>${header}</code> in constant time. Different, or no header: answer 401 and do nothing.</li>
<li>Parse the body. If you have its <code>event_id</code> already, answer 2xx and do nothing.</li>
<li>Keep what it says, then answer 2xx. Order events of one order by <code>sequence</code>.</li>
</ol>
${OTHER_LANGUAGES.map(([language, sample]) => html`<details class="inside"><summary>${language}</summary>${codeBlock(samples[sample], "text", language)}</details>`)}
<p>The headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> beside it are those of <cite>Standard Webhooks</cite>, for which there are libraries in most languages. They also refuse an old delivery that somebody else sends again, as <code>verifyWebhook</code> of <code>@aapd/server</code> does, which takes the request's headers: the signature is over <code>id.timestamp.body</code>, in base64, keyed with the bytes that the secret's base64 (after <code>whsec_</code>) stands for. While a secret is rotated they carry two signatures, and the header above stays with the old secret until the overlap ends.</p>`;
}

function vector({ deployment }: Site): Html {
  const headers = Object.entries(vectorHeaders(deployment.signatureWord));
  return html`<p>Made with the code that signs real deliveries. The body is UTF-8, ${Buffer.byteLength(VECTOR_BODY)} bytes, without a line end.</p>
<dl class="facts"><dt>Secret</dt><dd><code>${VECTOR_SECRET}</code></dd><dt>Body</dt><dd><code>${VECTOR_BODY}</code></dd>${headers.map(
    ([name, value]) => html`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`,
  )}</dl>`;
}

const delays = WEBHOOK_DELAYS_SECONDS.map((seconds) => seconds / 60).join(", ");

const delivery = html`<ul>
<li>At most ${WEBHOOK_ATTEMPTS_MAX} attempts: at once, then ${delays} minutes after the end of the one before.</li>
<li>Success is any 2xx within ${WEBHOOK_TIMEOUT_SECONDS} seconds. A redirect is a failure.</li>
<li>Answer first and work afterwards, if your work takes longer.</li>
<li>Requests come side by side: ten at a time to one address from each of our processes, and twenty to one that answers at once, and two to one whose last attempt failed.</li>
<li><code>order.paid</code> is one event with one <code>event_id</code> for ever. If your 2xx is lost on its way, the same event comes again.</li>
<li>Events of one order may overtake each other: order them by <code>sequence</code>.</li>
<li>A delivery is listed with its attempts, and can be sent again, until ${DELIVERIES_KEPT_DAYS} days after it has ended. What still waits, at an address that is paused for example, stays. <code>GET /api/events</code> has every event for ever.</li>
<li>Addresses must be HTTPS and public.</li>
<li>Reconcile with <a href="/docs/reference/getOrder"><code>GET /orders/{hash}</code></a> whenever you are in doubt.</li>
</ul>`;

function registration({ document }: Site): Html {
  const operations = operationsOf(document).filter(({ path }) => /^\/api\/(?:webhook_endpoints|events)/.test(path));
  if (operations.length === 0)
    return html`<p>Give us the address and the kinds that you want; you get its secret once.</p>`;
  return html`<p>With your <code>secret_key</code>. Each address is registered once and has a secret of its own, which is shown once, and its own list of kinds. With an <code>Idempotency-Key</code>, a retry after a lost answer gets the same endpoint and secret.</p>
<ul class="codes">${operations.map(
    (called) =>
      html`<li><a href="${referencePath(called)}"><code>${called.method} ${called.path}</code></a> ${prose(called.operation.summary)}</li>`,
  )}</ul>`;
}
