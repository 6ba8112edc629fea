import { html } from "../../platform/http/html.ts";
import { codeBlock } from "../prose.ts";
import { withAddresses } from "./addresses.ts";
import { callout, type Page, section, table } from "./layout.ts";
import type { Site } from "./site.ts";

/** How an app shows the checkout, and how a checkout without a frame brings the patient back. */
export function appsPage(site: Site): Page {
  return {
    path: "/docs/apps",
    title: "Apps",
    lead: "In an app the checkout is a page of its own: in the patient's browser, or in a web view that hears it.",
    body: html`${section("back", "In the browser, and back", back)}
${section("web-view", "In a web view", webView)}
${section("messages", "Messages", messages)}
${section("react-native", "React Native", sample(site, "reactNative", "checkout-screen.jsx", "js"))}
${section("swift", "Swift", sample(site, "swift", "CheckoutView.swift", "text"))}
${section("kotlin", "Kotlin", sample(site, "kotlin", "CheckoutView.kt", "text"))}`,
  };
}

const minted = `{ "order_token": "…", "return_url": "cl.clinic.app:/paid" }`;

const back = html`<p>Open the <code>url</code> in a Custom Tab (Android), in <code>ASWebAuthenticationSession</code> (iOS) or in the patient's browser, and mint it with a <code>return_url</code>. At the end a button takes the patient there: after the payment, and where the credit is refused or the link has ended.</p>
${codeBlock(minted, "json", "Body of POST /api/spot/widget")}
<p>It is a page (<code>https</code>) or an address of your app's own scheme, which is a domain of yours turned round, so that it has a dot. We register it with you, as we do your origins; a <code>return_url</code> that is not exactly one of those is answered 400 <code>return_url_not_registered</code>. Nothing is added to it: your back end knows from the webhook what became of the order.</p>`;

const webView = html`<p>Mint with <code>native: true</code>. The page may then be framed by nobody, and says to your app what it says to a page that embeds it (<a href="/docs/embedding#events">browser events</a>), by <code>window.ReactNativeWebView.postMessage</code> or <code>window.webkit.messageHandlers.aapd.postMessage</code>, whichever your app has put there. Without <code>native</code> it speaks to no app, whatever it finds.</p>
${callout(html`Let links that open a window of their own go to the patient's browser: some banks do not confirm inside a web view.`)}`;

const messages = html`<p>Each is a text: an envelope <code>{channel: "aapd", version: 1, session, id, type, payload}</code> in JSON. Yours name the <code>session</code> of the page's and count <code>id</code> up from 1; your app says them by a <code>message</code> event that it makes in the page, as below. A message of another shape, session or window is dropped. None carries a name, RUT, e-mail, document serial or card digit.</p>
${table(
  "Messages between page and app",
  ["From", "Types"],
  [
    [
      "the page",
      html`<code>announce</code> <code>ready</code> <code>resize</code> <code>step</code> <code>completed</code> <code>error</code> <code>token_expiring</code> <code>request_token</code> <code>open_dialog</code> <code>close_dialog</code> <code>close_requested</code>`,
    ],
    [
      "your app",
      html`<code>hello</code> <code>appearance</code> <code>locale</code> <code>token</code> <code>host_closing</code>`,
    ],
  ],
)}`;

function sample(
  { samples, deployment }: Site,
  name: "reactNative" | "swift" | "kotlin",
  file: string,
  language: "js" | "text",
) {
  return codeBlock(withAddresses(samples[name], deployment), language, file);
}
