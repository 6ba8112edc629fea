import type { Page } from "@playwright/test";
import type { CheckoutOptions } from "widget/embed";
import type { TestPage } from "./test-pages.ts";

/** The kit's reports to a partner's page, in order. */
export interface HostReports {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly refused: readonly string[];
  /** Every callback call, with its arguments. */
  readonly callbacks: readonly { readonly name: string; readonly given: unknown }[];
}

const NONCE = "cGFnZXMtb3duLW5vbmNl";

/** Policies under which partners' pages must be able to embed the checkout, without any exception for it. */
export const POLICIES = {
  none: () => "",
  /** Allows scripts by nonce only: not even the widget's host is a source of scripts. */
  nonceOnly: (frameOrigin: string) =>
    `default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'self'; frame-src ${frameOrigin}; base-uri 'none'`,
  trustedTypes: (frameOrigin: string) =>
    `default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'self'; frame-src ${frameOrigin}; require-trusted-types-for 'script'; trusted-types 'none'`,
  framesForbidden: () => `script-src 'nonce-${NONCE}'; frame-src 'none'`,
} as const;

/** A partner's page that embeds the checkout with the kit, and records everything that the kit reports. */
export function hostPage(kitUrl: string, policy = ""): TestPage {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A partner's page</title>
<h1>A partner's page</h1>
<div id="checkout"></div>
<p id="below">What stands below</p>
<script type="module" nonce="${NONCE}">
import { mountCheckout } from ${JSON.stringify(kitUrl)};
import { preloadCheckout } from ${JSON.stringify(kitUrl.replace("v1.js", "preload.js"))};
const reports = { received: [], sent: [], refused: [], callbacks: [] };
const calledBack = (name) => (given) => reports.callbacks.push({ name, given: given ?? null });
window.reports = reports;
window.mount = (options) => {
  window.checkout = mountCheckout(document.getElementById("checkout"), {
    onReady: calledBack("onReady"),
    onStep: calledBack("onStep"),
    onComplete: calledBack("onComplete"),
    onError: calledBack("onError"),
    onClose: calledBack("onClose"),
    inspect: (direction, what) => reports[direction].push(typeof what === "string" ? what : what.type),
    ...options,
  });
};
const heard = [];
addEventListener("message", ({ data }) => heard.push(data));
window.preload = (url) => {
  const preloaded = preloadCheckout(url);
  window.showPreloaded = () => {
    window.mount({ url: preloaded });
    return { heardBefore: heard.length, isSameFrame: document.querySelector("#checkout iframe") === preloaded.frame };
  };
};
document.documentElement.dataset.kit = "loaded";
</script>
</html>`;
  return { html, headers: policy === "" ? {} : { "content-security-policy": policy } };
}

/** Waits for the kit, and mounts a checkout. The options must be JSON. */
export async function mount(
  page: Page,
  options: Pick<CheckoutOptions, "mode" | "locale"> & { readonly url: string },
): Promise<void> {
  await page.locator("html[data-kit=loaded]").waitFor();
  await page.evaluate((given) => Reflect.get(window, "mount")(given), options);
}

/** Waits for the kit, and preloads a hidden checkout. */
export async function preload(page: Page, url: string): Promise<void> {
  await page.locator("html[data-kit=loaded]").waitFor();
  await page.evaluate((given) => Reflect.get(window, "preload")(given), url);
}

/** Shows the preloaded checkout. Returns how many messages came before, and whether it is still the same frame. */
export function showPreloaded(page: Page): Promise<{ readonly heardBefore: number; readonly isSameFrame: boolean }> {
  return page.evaluate(() => Reflect.get(window, "showPreloaded")());
}

/** The kit's reports to the page so far. */
export function hostReports(page: Page): Promise<HostReports> {
  return page.evaluate(() => structuredClone(Reflect.get(window, "reports")));
}
