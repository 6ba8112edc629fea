import { html } from "../../platform/http/html.ts";
import { type Page, section } from "./layout.ts";
import type { Site } from "./site.ts";

/** What a partner must have done before patients pay. */
export function goingLivePage({ deployment: { widgetHostUrl } }: Site): Page {
  return {
    path: "/docs/going-live",
    title: "Going live",
    lead: "Before the first patient pays, go through this list in staging, then change addresses and credentials.",
    body: html`${section("credentials", "Credentials", credentials)}${section("page", "Your page", page(widgetHostUrl))}${section("webhooks", "Webhooks", webhooks)}${section("receipts", "Receipts", receipts)}${section("failures", "Bad luck", failures)}${section("the-day", "On the day", theDay)}`,
  };
}

const credentials = html`<ul class="checks">
<li><code>client_secret</code>, <code>webhook_secret</code> and <code>secret_key</code> are only in your back end, in a store for secrets: in no page, app, repository or log.</li>
<li>Staging and production credentials are set apart by configuration, each with its own addresses.</li>
<li>You know how to rotate each: several of a kind may be live at once, so that nothing stops.</li>
</ul>`;

const page = (widgetHostUrl: string) => html`<ul class="checks">
<li>Its policy has <code>script-src</code> and <code>frame-src</code> for <code>${widgetHostUrl}</code>, and your browser's console is silent.</li>
<li>Its origin is registered with us, and is the <code>parent_origin</code> that you mint with.</li>
<li><code>requestToken</code> answers with a fresh address for the same order.</li>
<li>A reload in the middle of the payment goes on where it was.</li>
<li>It works on a phone 360 px wide, with the keyboard alone, and at twice the text size.</li>
</ul>`;

const webhooks = html`<ul class="checks">
<li>A delivery with a wrong signature is answered 401 and changes nothing. The <a href="/docs/webhooks#vector">test vector</a> passes.</li>
<li>The same <code>event_id</code> twice has one effect.</li>
<li>Events that come in the wrong order are put right by <code>sequence</code>.</li>
<li>You answer within ten seconds, also when you are busy.</li>
<li>An order is marked paid by the webhook or by <code>GET /orders/{hash}</code>, never by the browser.</li>
</ul>`;

const receipts = html`<ul class="checks">
<li>Each paid order gets its receipt, with <code>skip_pay_order_id</code>, and with the medical order where there is one.</li>
<li>A submission that failed is tried again until it is answered 200, or refused with a 4xx other than 429.</li>
<li>You notice when a paid order has none: <code>expense</code> of the order is null.</li>
<li>You notice when its claim is <code>held</code>, and send what <code>missing_document_types</code> names with the same <code>skip_pay_order_id</code>: only you can.</li>
</ul>`;

const failures = html`<ul class="checks">
<li>Every POST and PUT to the order API carries an <code>Idempotency-Key</code> that survives a restart of yours.</li>
<li>5xx and lost connections are tried again with growing delays; 429 waits for <code>Retry-After</code>.</li>
<li>You match on <code>code</code>, never on the words of <code>detail</code>, and pass over fields, kinds and values that you do not know.</li>
<li>Your logs keep <code>X-Request-Id</code>, and no RUT, name or e-mail.</li>
<li>You have tried, with the <a href="/docs/sandbox">test values</a>: a declined card, a refused credit, a credit under review, the bank's confirmation, a refund of a part, and of a debit card.</li>
</ul>`;

const theDay = html`<ul class="checks">
<li>One real order of a small amount, paid, with its receipt, and refunded in full.</li>
<li>Somebody reads your alarms for paid orders without a receipt and for webhooks that fail.</li>
</ul>`;
