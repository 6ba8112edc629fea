import { DEFERRED_PERCENTAGE, FIRST_PERCENTAGE, LATEST_COLLECTION_DAY } from "../../contract/terms.ts";
import { html } from "../../platform/http/html.ts";
import { codeBlock } from "../prose.ts";
import { withAddresses } from "./addresses.ts";
import { callout, type Page, section } from "./layout.ts";
import type { Site } from "./site.ts";

/** The first page: from credentials to a paid order. */
export function startPage(site: Site): Page {
  return {
    path: "/docs",
    title: "Start in ten minutes",
    lead: `A patient pays ${FIRST_PERCENTAGE} % of a medical bill by card today; ${DEFERRED_PERCENTAGE} % is financed and collected later. You make two calls and embed one frame.`,
    body: html`${section("what-you-need", "What you need", whatYouNeed(site))}
${section("two-calls", "1. Two calls from your back end", twoCalls(site))}
${section("page", "2. The checkout on your page", onYourPage(site))}
${section("pay", "3. Pay", pay(site))}
${section("paid", "4. Learn that it is paid", learnThatItIsPaid)}
${section("receipt", "5. Submit the receipt", submitTheReceipt(site))}
${section("claim", "6. See the claim filed and approved", followTheClaim(site))}`,
  };
}

function whatYouNeed({ deployment }: Site) {
  const { orderApiUrl, spotApiUrl, widgetHostUrl, environment } = deployment;
  return html`${environment === "staging" ? callout(html`No account yet? <a href="/docs/tools">One command</a> gives you keys of the sandbox, and the others spare you most of what follows.`) : ""}
<p>Credentials of the ${environment} environment, and the origin of your page registered with us. Node 20 or newer for the code below, or any language that speaks HTTP.</p>
<dl class="facts">
<dt><code>ORDER_API</code></dt><dd><code>${orderApiUrl}</code></dd>
<dt><code>SPOT_API</code></dt><dd><code>${spotApiUrl}</code></dd>
<dt>Widget host</dt><dd><code>${widgetHostUrl}</code></dd>
<dt><code>CLIENT_SECRET</code></dt><dd>Begins with <code>cs_</code>. Only in your back end.</dd>
<dt><code>PUBLIC_KEY</code></dt><dd>Begins with <code>PK_</code>. May be seen.</dd>
<dt><code>WEBHOOK_SECRET</code></dt><dd>Begins with <code>whsec_</code>. Only in your back end.</dd>
</dl>`;
}

function twoCalls(site: Site) {
  return html`<p>Create the order, then mint a widget token for it. The answer's <code>url</code> is all that your page needs.</p>
${codeBlock(site.samples.startCheckout, "js", "start-checkout.mjs")}
<p><code>patient</code> is <code>{rut, first_name, last_name, email, phone_number}</code>. Both calls in full: <a href="/docs/reference/createOrder">create an order</a>, <a href="/docs/reference/mintWidgetToken">mint a widget token</a>.</p>`;
}

function onYourPage(site: Site) {
  return html`<p>Your back end answers <code>POST /checkout</code> with <code>{"url": "…"}</code>; asked again for the same sale, it mints a fresh token for the same order.</p>
${codeBlock(site.samples.page, "html", "page.html")}
${codeBlock(withAddresses(site.samples.pageScript, site.deployment), "js", "checkout.js")}
<p>Options, events, other ways to embed it, and the lines for your content security policy: <a href="/docs/embedding">embed the checkout</a>. For a patient who stands at your desk: <a href="/docs/front-desk">front desk</a>.</p>`;
}

function pay({ testValues }: Site) {
  const [card] = testValues?.cards ?? [];
  const [person] = testValues?.people ?? [];
  if (card === undefined || person === undefined)
    return html`<p>Try everything in staging first: this is the environment in which money moves.</p>`;
  return html`<p>No money moves here. Use the card <code>${card.number}</code> with any expiry from two months ahead and any security code, the RUT <code>${person.rut}</code>, any nine digits as the serial of the identity card, and any text as the password of the isapre. The password is optional, and without it no claim is filed: give it. <a href="/docs/sandbox">Other values</a> decline, ask for the bank's confirmation, or let the insurer reject the claim.</p>`;
}

const learnThatItIsPaid = html`<p>The page's <code>onComplete</code> is a hint. What counts is the signed webhook <code>order.paid</code>, and <code>GET /orders/{hash}</code> when you want to be sure: <a href="/docs/webhooks">webhooks, with the code that verifies them</a>.</p>`;

function submitTheReceipt(site: Site) {
  return html`${callout(`Every order needs its receipt. Without it no reimbursement is filed, and the later charge comes on day ${LATEST_COLLECTION_DAY} without one.`)}
${codeBlock(site.samples.submitReceipt, "js", "submit-receipt.mjs")}
<p>Send the medical order or the prescription in the same request where there is one: insurers ask for it. <a href="/docs/reference/submitExpense">All fields and answers</a>.</p>`;
}

function followTheClaim({ deployment: { orderApiUrl, environment } }: Site) {
  const isSandbox = environment === "staging";
  const move = `curl -X PUT ${orderApiUrl}/sandbox/clock -H "Authorization: Bearer $CLIENT_SECRET" -H "Content-Type: application/json" -d '{"advance": "7d"}'
curl ${orderApiUrl}/orders/$HASH -H "Authorization: Bearer $CLIENT_SECRET"`;
  return html`<p>With the payment, the receipt and the patient's access to the isapre, the claim is filed. <code>GET /orders/{hash}</code> says where it stands:</p>
<ul>
<li><code>missing_step: "insurer_access"</code>: the patient has given no password. The end of the checkout and our e-mails ask them for it.</li>
<li><code>claim.status</code>: <code>filed</code>, then <code>approved</code> or <code>rejected</code>. <code>held</code>: <code>missing_document_types</code> names what only you can send; submit the receipt again with it.</li>
<li><code>collection</code>: the later charge, on the day of the approval, or on day ${LATEST_COLLECTION_DAY} at the latest.</li>
</ul>
${isSandbox ? html`<p>The sandbox's isapre approves after five days. Move your time by seven, and the order shows <code>claim.status: "approved"</code> and <code>collection.status: "collected"</code>:</p>${codeBlock(move, "shell", "in your terminal")}` : ""}`;
}
