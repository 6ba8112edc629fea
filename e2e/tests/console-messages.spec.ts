import type { Page } from "@playwright/test";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { hostPage, mount, POLICIES } from "../support/host-page.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { openTestOrigin } from "../support/test-pages.ts";

/** The lines that the service has written to the console of the page or of its frames, in order. */
function linesOf(page: Page): readonly string[] {
  const lines: string[] = [];
  page.on("console", (message) => {
    if (message.text().startsWith("[aapd]")) lines.push(message.text());
  });
  return lines;
}

/** Runs in the page: resolves once the browser has reported that it blocked the frame. */
function blockedByEmbedderPolicy(): Promise<void> {
  return new Promise((resolve) => {
    const Observer = Reflect.get(window, "ReportingObserver");
    new Observer(() => resolve(), { types: ["coep"], buffered: true }).observe();
  });
}

const anchorsIn = (lines: readonly string[]) => lines.map((line) => line.split("#").at(-1));

test(
  "the console of a page under development names each mistake, under a strict policy",
  short("partner"),
  async ({ page, isRefused }) => {
    const { widgetHostUrl } = productUrls();
    const kitUrl = `${widgetHostUrl}/embed/v1.js`;
    const partner = await openTestOrigin();
    const tenant = await createTenant([partner.origin]);
    const lines = linesOf(page);
    const checkout = new CheckoutFrame(page);
    const strict = hostPage(kitUrl, POLICIES.trustedTypes(new URL(widgetHostUrl).origin));
    const open = () => page.goto(partner.put("/", strict));
    const url = await createCheckoutUrl(tenant, newPatient());
    const style = (css: Partial<CSSStyleDeclaration>) =>
      page.locator("#checkout").evaluate((element, given) => {
        Object.assign((element as HTMLElement).style, given);
      }, css);

    // Inside a scrolling element within one of the window's height, which is valid.
    await open();
    await page.evaluate(() => {
      const shell = document.createElement("main");
      shell.style.cssText = "height:300px;overflow:hidden";
      const scroller = document.createElement("div");
      scroller.style.cssText = "height:300px;overflow:auto";
      shell.append(scroller);
      document.body.append(shell);
      scroller.append(document.querySelector("#checkout") ?? "");
    });
    await mount(page, { url });
    await checkout.isOpen();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_500)));
    expect(lines).toEqual([]);

    await style({ height: "120px", overflow: "hidden" });
    await page.evaluate(() => Reflect.get(window, "checkout").destroy());
    await mount(page, { url });
    await expect.poll(() => lines).toEqual([expect.stringContaining("div#checkout clips the checkout")]);

    await open();
    await style({ display: "none" });
    await mount(page, { url });
    await expect.poll(() => lines[1]).toContain("div#checkout hides the checkout");

    await open();
    await mount(page, { url });
    await page.evaluate(() => {
      const second = document.createElement("section");
      second.id = "checkout";
      document.body.prepend(second);
    });
    await mount(page, { url });
    await expect.poll(() => lines[2]).toContain("two checkouts on this page have the same url");

    await open();
    const other = new URL(url);
    other.searchParams.set("widget_token", "00000000-0000-4000-8000-000000000000");
    await mount(page, { url: other.href });
    await expect.poll(() => lines[3]).toContain("widget_token_not_found");

    await page.goto(
      partner.put("/sandboxed", { html: `<!doctype html><iframe sandbox="allow-scripts" src="${url}"></iframe>` }),
    );
    await expect.poll(() => lines[4]).toContain("sandbox without allow-same-origin");

    const isolating = { "cross-origin-embedder-policy": "require-corp" };
    await page.clock.install();
    await page.goto(partner.put("/isolated", { ...hostPage(kitUrl), headers: isolating }));
    await mount(page, { url });
    await page.evaluate(blockedByEmbedderPolicy);
    for (const attempt of [1, 2]) {
      await expect(page.locator("iframe")).toHaveCount(1);
      await page.clock.fastForward(10_500 * attempt);
    }
    await expect.poll(() => lines[5]).toContain("Cross-Origin-Embedder-Policy");

    expect(anchorsIn(lines)).toEqual(["clipped", "hidden", "mounted-twice", "token", "sandbox", "coep"]);
    await isRefused("[aapd]", lines.length);
    // The scripts of the frame in a sandbox.
    await isRefused("from origin 'null'");
    await partner.close();
  },
);
