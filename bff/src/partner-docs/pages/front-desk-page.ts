import { CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX, STANDARD_LIFETIME_MINUTES } from "../../contract/terms.ts";
import { html } from "../../platform/http/html.ts";
import { codeBlock } from "../prose.ts";
import { callout, type Page, section, table } from "./layout.ts";

/** How a patient at the desk pays on their own phone. */
export function frontDeskPage(): Page {
  return {
    path: "/docs/front-desk",
    title: "Front desk",
    lead: "The receptionist makes the order, and the patient pays on their own phone: by a QR code on the desk's screen, or by mail.",
    body: html`${section("way", "The way", way)}
${section("qr", "The QR code", qr)}
${section("mail", "By mail", mail)}
${section("phone", "On the phone", phone)}
${section("paid", "What the desk sees", paid)}`,
  };
}

const way = html`<p>Make the order as ever, and mint a widget token for it with one or both of these fields, with the <code>PUBLIC_KEY</code> from your back end.</p>
${codeBlock(`{ "order_token": "…", "qr": true, "deliver": { "email": "camila@example.com" } }`, "json", "Body of POST /api/spot/widget")}
<p>The address is good for ${STANDARD_LIFETIME_MINUTES} minutes, or for as long as <code>expires_in_minutes</code> or <code>long_term_token</code> say, and opens any number of times until the order is paid. Mint again for the same order where it has ended.</p>`;

const qr = html`<p>With <code>qr</code> the answer has <code>qr_svg</code>: an image of <code>url</code>, black on white with its margin, of any size. It holds no script and no style, so that a strict policy shows it.</p>
${codeBlock(
  `const image = new Image();
image.alt = "QR code of the payment";
image.src = \`data:image/svg+xml,\${encodeURIComponent(qr_svg)}\`; // img-src data:
document.querySelector("#qr").replaceChildren(image);`,
  "js",
  "desk.js",
)}
<p>Show it at least 5 cm wide, on white also where your page is dark. Whoever reads the code can open the checkout: take it off the screen once the order is paid or the patient has left.</p>`;

const mail = html`<p>With <code>deliver</code> we mail the address to the patient, with the clinic, the amount and until when it is valid. <code>email</code> is the one of the order's <code>customer</code>; it goes to nobody else.</p>
${table(
  "What deliver may be answered with",
  ["Answer", "Why"],
  [
    ["201", "the mail is on its way"],
    [
      html`422 <code>validation_error</code>, <code>deliver.email</code>`,
      "it is not the e-mail of the order's customer, or no e-mail; which is right, the answer does not say",
    ],
    [
      html`422 <code>validation_error</code>, <code>order_token</code>`,
      "there is no order whose customer could be written to",
    ],
    [
      html`429 <code>rate_limited</code>`,
      html`more than ${CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX} within an hour for this order, refused ones counted; minting without <code>deliver</code> goes on`,
    ],
  ],
)}
${callout("No message to a telephone carries the address: a wrong digit would hand the payment to a stranger. Who has a phone in their hand scans the code.")}`;

const phone = html`<p>The address is a page of its own in the phone's browser: nothing is installed, and no page of yours is around it. What has been done for the order is kept by the server, so that the patient goes on where the visit stopped, on whichever screen it was begun: a desk that shows the checkout in a frame can hand it over to the phone in the middle, by the code of the very address that the frame has. Of a sign-up whose identity is not confirmed yet, the code of another address knows nothing; a card that was typed and not sent is typed again.</p>
<p>At the end the patient sees the receipt and that the page may be closed. With a registered <code>return_url</code> a button takes them there instead (<a href="/docs/apps#back">apps</a>).</p>`;

const paid = html`<p>The desk's page is not around the checkout, so that no event of the browser reaches it. Your back end gets <code>order.paid</code> by its <a href="/docs/webhooks">webhook</a>, and tells the desk; <code>GET /orders/{hash}</code> says the same when you ask. The patient's own screen is no proof of a payment.</p>`;
