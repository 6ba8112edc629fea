import { SIGNED_RECEIPT_MINUTES } from "../../contract/terms.ts";
import { html } from "../../platform/http/html.ts";
import { tarballUrl } from "../packages.ts";
import { codeBlock } from "../prose.ts";
import { withAddresses } from "./addresses.ts";
import { callout, type Page, section, table } from "./layout.ts";
import type { Site } from "./site.ts";

/** How a page embeds the checkout: the embed kit's options and events. */
export function embeddingPage(site: Site): Page {
  return {
    path: "/docs/embedding",
    title: "Embed the checkout",
    lead: "One iframe, mounted by a kit of less than 5 kB. The card and the insurer's password never touch your page.",
    body: html`${section("ways", "Four ways", ways(site))}
${section("csp", "Your content security policy", policy(site))}
${section("beside-a-price", "Beside a price", besideAPrice(site))}
${section("options", "Options", options)}
${section("appearance", "Appearance", appearance(site))}
${section("before-the-press", "There before the press", preloading(site))}
${section("events", "Browser events", events)}
${section("when-it-does-not-load", "When it does not load", loadErrors)}
${section("room", "Room, so that nothing moves", room)}
${section("signed-receipt", "The signed receipt", signedReceipt(site))}
${section("older-pages", "Pages of the older integration", olderPages)}
${section("own-host", "Without the kit", withoutKit(site))}`,
  };
}

function ways(site: Site) {
  const { widgetHostUrl } = site.deployment;
  const element = `<script type="module" src="${widgetHostUrl}/embed/v1.js"></script>\n<aapd-checkout url="…" locale="es-CL" mode="inline"></aapd-checkout>`;
  const classic = `<script src="${widgetHostUrl}/embed/v1.classic.js"></script>\n<script src="/your-own.js"></script>\n<!-- there: Aapd.mountCheckout(element, options) -->`;
  return html`<p><strong>ES module.</strong> <code>mountCheckout</code> returns <code>{completed, update(options), destroy()}</code>; called again on the same element it updates what is there.</p>
${codeBlock(site.samples.page, "html", "ES module, the page")}
${codeBlock(withAddresses(site.samples.pageScript, site.deployment), "js", "ES module, checkout.js")}
<p><strong>Custom element.</strong> Its events: <code>aapd-ready</code>, <code>aapd-step</code>, <code>aapd-complete</code>, <code>aapd-error</code>, <code>aapd-close</code>. <code>requestToken</code> and <code>appearance</code> are properties of the element.</p>
${codeBlock(element, "html", "Custom element")}
<p><strong>React</strong> 18 or later: the package <code>@aapd/react</code>, with Vite, Next.js or any other bundler. It works in <code>StrictMode</code> and renders nothing on the server. Props are the options below and <code>className</code>.</p>
${codeBlock(install(site), "text", "Terminal")}
${codeBlock(site.samples.react, "js", "pay-later.jsx")}
<p><strong>Classic script</strong>, where modules are not an option.</p>
${codeBlock(classic, "html", "Classic script")}
<p><code>v1.js</code> is kept current and compatible. <code>&lt;version&gt;.js</code> never changes; its integrity hash is in <a href="${widgetHostUrl}/embed/manifest.json"><code>/embed/manifest.json</code></a>.</p>`;
}

function install({ deployment: { widgetHostUrl } }: Site) {
  const tarballs = ["@aapd/embed", "@aapd/react"].map((name) => tarballUrl(name, widgetHostUrl));
  return `npm install ${tarballs.join(" ")}`;
}

function policy({ deployment: { widgetHostUrl } }: Site) {
  const lines = `script-src 'self' ${widgetHostUrl}; frame-src ${widgetHostUrl}; style-src 'self'; require-trusted-types-for 'script'`;
  return html`<p>Add these sources to your own. No <code>unsafe-inline</code> and no other exception is needed, and it works under Trusted Types; a nonce on the scripts does instead of the first one. A script written into the page itself would need a nonce: in a file of yours, as above, it needs none.</p>
${codeBlock(lines, "text", "Content security policy")}
<p>Send no <code>Cross-Origin-Embedder-Policy</code>. Of <code>Cross-Origin-Opener-Policy</code> use <code>same-origin-allow-popups</code>: under <code>same-origin</code> a tab in which the patient confirmed with the bank stays open, though it shows how the payment ended. The frame loads only into pages whose origin is registered with us: name it as <code>parent_origin</code> when you mint.</p>`;
}

function besideAPrice({ deployment: { widgetHostUrl, spotApiUrl } }: Site) {
  const element = `<script type="module" src="${widgetHostUrl}/embed/message.js"></script>
<aapd-message amount="45952" public-key="PK_…" api="${spotApiUrl}"></aapd-message>`;
  return html`<p><code>&lt;aapd-message&gt;</code> says what a price would be in two parts, with the whole cost, the annual cost (CAE) and the lender, as the law wants it said wherever a credit is offered. It is a file of its own, of one kilobyte; it has your page's letters and colour, shows the same pesos as the checkout, follows its <code>amount</code>, and is not seen where the amount cannot be paid so or we do not answer. <code>locale="en"</code> is English. It comes a moment after your page: give it its room (<code>min-height: 7rem</code> around it), so that nothing below it moves. Your page's origin must be registered, and its policy needs <code>connect-src ${spotApiUrl}</code>; the figures alone are at <a href="/docs/reference/readQuote"><code>GET /api/quote</code></a>.</p>
${codeBlock(element, "html", "A price in two parts")}`;
}

function signedReceipt(site: Site) {
  return html`<p><code>completed</code> carries <code>signed_receipt</code> of an order that was paid: a compact JWS (EdDSA) that your backend can check without asking us, so that your page may go on at once. It counts for ${SIGNED_RECEIPT_MINUTES} minutes, names the order (<code>sub</code>), your provider's id (<code>aud</code>; <a href="/docs/reference/profile"><code>GET /api/profile</code></a> says it), <code>amount</code> and <code>paid_at</code>, and nothing of the patient. It is a hint: what is refunded a moment later is not in it. The webhook and <a href="/docs/reference/getOrder"><code>GET /orders/{hash}</code></a> stay the truth.</p>
<p>The keys are at <code>${site.deployment.orderApiUrl}/.well-known/jwks.json</code> and change now and then; take the one that <code>kid</code> names. Every receipt of an order has the same <code>jti</code>: remember it with the order, and refuse it if it comes again.</p>
${codeBlock(site.samples.checkReceipt, "js", "check-receipt.mjs")}`;
}

function preloading({ deployment: { widgetHostUrl } }: Site) {
  const script = `import { mountCheckout } from "${widgetHostUrl}/embed/v1.js";
import { preloadCheckout } from "${widgetHostUrl}/embed/preload.js";

const button = document.querySelector("#pay-later");
let checkout; // of the order that is on the page
button.addEventListener("pointerenter", () => (checkout ??= preloadCheckout(url)));
button.addEventListener("focus", () => (checkout ??= preloadCheckout(url)));
button.addEventListener("click", () => mountCheckout(document.querySelector("#checkout"), { url: checkout ?? url }));`;
  return html`<p><code>preloadCheckout(url)</code> loads the checkout in a hidden frame when the patient is about to open it; <code>mountCheckout</code> takes what it returns as its <code>url</code>, and shows that very frame. Until then the checkout says nothing to your page and changes nothing with us, however long it is not opened. It is dropped after two minutes and when your page goes to the background, and nothing is loaded for a patient who saves data. A browser that cannot move a frame loads it again, from its cache.</p>
${codeBlock(script, "js", "Preloading")}
<p>Its hash is in <a href="${widgetHostUrl}/embed/manifest.json"><code>/embed/manifest.json</code></a>, as those of the kit. A <code>preconnect</code> to us is of no use: browsers keep connections of frames apart.</p>
<p><strong>Speculation rules.</strong> Your page that holds the checkout may be prefetched or prerendered as any page of yours: the browser loads the frame once your page is shown. A link to the checkout as a page of its own may be prefetched from anywhere, and prerendered by pages of the same site: the page sends <code>Supports-Loading-Mode: credentialed-prerender</code>. A prerendered checkout becomes live when it is shown.</p>`;
}

const options = table(
  "Options of mountCheckout",
  ["Option", "What it does"],
  [
    [
      html`<code>url</code>`,
      html`What <code>POST /api/spot/widget</code> answered, or what <code>preloadCheckout</code> made of it. Another one loads anew.`,
    ],
    [
      html`<code>mode</code>`,
      html`<code>"inline"</code> (default), or <code>"dialog"</code>: over the page, full screen on phones.`,
    ],
    [html`<code>locale</code>`, html`<code>"es-CL"</code> or <code>"en"</code>. Left out: the language of the token.`],
    [html`<code>appearance</code>`, html`How it looks: <a href="#appearance">below</a>.`],
    [
      html`<code>requestToken</code>`,
      "Answers with a fresh url for the same order, when the token is about to end. What the patient typed stays.",
    ],
    [
      html`<code>onReady</code>, <code>onStep</code>, <code>onComplete</code>, <code>onError</code>, <code>onClose</code>`,
      "See the events below.",
    ],
    [html`<code>inspect</code>`, "Every message between page and frame, and each refused one; for development."],
  ],
);

function appearance({ deployment: { widgetHostUrl } }: Site) {
  const script = `import { mountCheckout } from ${JSON.stringify(`${widgetHostUrl}/embed/v1.js`)};

mountCheckout(document.querySelector("#checkout"), {
  url,
  appearance: {
    accent: "#0a7d55",
    radius: "large",
    density: "compact",
    labels: "inside",
  },
});`;
  return html`${codeBlock(script, "js", "Appearance")}
${table(
  "Fields of appearance",
  ["Field", "Values, the widget's own first", "What it sets"],
  [
    [
      html`<code>accent</code>`,
      html`<code>#rrggbb</code>`,
      "The colour of the main button, and of links in a shade that can be read. Taken where white words on it reach 4.5:1 (WCAG 2.2 AA), and otherwise not at all: it is not corrected, and the checkout shows the colour that it has without yours.",
    ],
    [
      html`<code>radius</code>`,
      html`<code>medium</code>, <code>none</code>, <code>small</code>, <code>large</code>`,
      "Its corners.",
    ],
    [
      html`<code>font</code>`,
      html`<code>system</code>, <code>humanist</code>, <code>geometric</code>, <code>serif</code>`,
      "Its letters, of those that the patient's machine has; serif is for titles.",
    ],
    [
      html`<code>color_scheme</code>`,
      html`<code>auto</code>, <code>light</code>, <code>dark</code>`,
      "Auto is the scheme that your page has around the checkout; left out it is auto, whatever we keep for you.",
    ],
    [
      html`<code>density</code>`,
      html`<code>comfortable</code>, <code>compact</code>`,
      "The room between its parts. Compact keeps main buttons of 44 px and letters of 16 px in fields.",
    ],
    [
      html`<code>labels</code>`,
      html`<code>above</code>, <code>inside</code>`,
      "Where a field's label stands: over the field, or in it; there it moves up when the field is used.",
    ],
  ],
)}
<p>Each field wins over what we keep for you under the same name, which also dresses the pages that our e-mails link to. A value that is not in order is ignored, and the other fields count. <code>checkout.update({appearance})</code> changes what it names while the patient looks on.</p>
<p>The demo clinic's page <em>Apariencia</em> (<code>#/apariencia</code>) shows each choice on the real screens, says whether an accent can be read, and writes the code.</p>`;
}

const events = html`${callout(html`<code>onComplete</code> is a hint for the page. The <a href="/docs/webhooks">webhook</a> and <code>GET /orders/{hash}</code> are the truth.`)}
${table(
  "What the page is told",
  ["Callback", "With"],
  [
    [html`<code>onReady</code>`, "Nothing: the first screen is on show."],
    [html`<code>onStep</code>`, html`<code>{name, index, count}</code>: where the patient is.`],
    [
      html`<code>onComplete</code>`,
      html`<code>{kind: "payment" | "onboarding", order_token, status, signed_receipt}</code>, once per kind. The promise <code>completed</code> resolves with the same.`,
    ],
    [
      html`<code>onError</code>`,
      html`<code>{type: "error", code, audience, recoverable, trace_id}</code> for what the frame has told the patient; <code>{type: "load_error", reason}</code> when it did not come up.`,
    ],
    [html`<code>onClose</code>`, "Nothing: the patient wants out."],
  ],
)}
<p>No message carries a name, RUT, e-mail, document serial or card digit.</p>`;

const loadErrorReasons = table(
  "Reasons of a load_error",
  ["reason", "Means", "Do"],
  [
    [
      html`<code>csp</code>`,
      "Your policy forbids the frame or, with the packages, the kit's script.",
      html`Add the widget host to <code>frame-src</code> and <code>script-src</code>; where you list <code>trusted-types</code>, add <code>aapd-embed</code>.`,
    ],
    [
      html`<code>timeout</code>`,
      "Nothing came in twice ten seconds; with the packages also: the kit's script could not be loaded.",
      "The network, or we are down.",
    ],
    [
      html`<code>not_ready</code>`,
      "Something came but did not speak.",
      html`Register the page's origin with us; check <code>parent_origin</code> when minting.`,
    ],
    [
      html`<code>version</code>`,
      "The frame is newer than a pinned kit.",
      html`Take a newer <code>&lt;version&gt;.js</code>.`,
    ],
  ],
);

const loadErrors = html`${loadErrorReasons}
<p><code>@aapd/react</code> also writes the cause to the console, in a line that begins with <code>[aapd]</code>. <code>mountCheckout</code> of <code>@aapd/embed</code> rejects with <code>KitNotLoaded</code>, which has the same <code>reason</code>. The patient sees nothing then: show something of yours.</p>`;

const room = html`<p>The kit keeps 640 px from the moment it is mounted, and grows with the content. To keep room before the script has come, say so in your style sheet:</p>
${codeBlock("#checkout { min-height: 800px; --aapd-min-height: 800px; }", "text", "Style sheet")}`;

const olderPages = html`<p>The frame also posts, to the registered origin only, the bare strings <code>WIDGET_FORM_READY</code> (script runs), <code>WIDGET_FORM_MOUNT</code> (first screen), <code>WIDGET_FORM_SUCCESS</code> (signed up, by a link without an order), <code>WIDGET_PAYMENT_SUCCESS</code> and <code>WIDGET_FORM_CLOSE</code>.</p>`;

function withoutKit({ deployment: { widgetHostUrl } }: Site) {
  return html`<p>The address is a page of its own: a link to it works too. In an iframe without the kit, check <code>event.source</code>, then that <code>event.origin</code> is <code>${widgetHostUrl}</code>, before you believe a message, and give the frame <code>allow="payment; publickey-credentials-get"</code>.</p>`;
}
