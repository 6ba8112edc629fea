import type { CDPSession, Page } from "@playwright/test";
import { hostPage } from "../support/host-page.ts";
import { long } from "../support/levels.ts";
import { productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { openTestOrigin } from "../support/test-pages.ts";

/** Behaves like the checkout. It has the page's own origin, so that its leaks count in the same process. */
const WELL_BEHAVED_FRAME = {
  html: `<!doctype html><title>frame</title><p>A first screen</p><script>
addEventListener("message", ({ data, ports: [port] }) => {
  const say = (id, type, payload) =>
    port.postMessage({ channel: "aapd", version: 1, session: data.session, id, type, payload });
  say(1, "ready", {});
  say(2, "resize", { height: 700 });
});
parent.postMessage({ channel: "aapd", version: 1, session: "document", id: 1, type: "announce", payload: {} }, "*");
</script>`,
};

interface Left {
  readonly documents: number;
  readonly nodes: number;
  readonly jsEventListeners: number;
}

async function whatIsLeft(session: CDPSession): Promise<Left> {
  for (let round = 0; round < 3; round += 1) await session.send("HeapProfiler.collectGarbage");
  return session.send("Memory.getDOMCounters");
}

/** Mounts and destroys: every other time before the frame is ready, and every third as a dialog. */
function mountAndDestroy(page: Page, url: string, cycles: number): Promise<void> {
  return page.evaluate(
    async ([frameUrl, count]) => {
      const mountCheckout: (options: object) => void = Reflect.get(window, "mount");
      for (let cycle = 0; cycle < count; cycle += 1) {
        const ready = new Promise<void>((resolve) => {
          mountCheckout({
            url: frameUrl,
            mode: cycle % 3 === 0 ? "dialog" : "inline",
            onReady: resolve,
            inspect: undefined,
          });
        });
        if (cycle % 2 === 0) await ready;
        Reflect.get(window, "checkout").destroy();
      }
      Reflect.set(window, "checkout", undefined);
    },
    [url, cycles] as const,
  );
}

// A recorded trace retains its objects, and would be measured instead of the kit.
test.use({ trace: "off" });

test(
  "500 checkouts mounted and destroyed leak nothing: no listener, frame, document or style",
  long("widget/embed/mount-checkout.test.ts", "mounting and destroying five hundred times leaves the page unchanged"),
  async ({ page }) => {
    test.slow();
    const partner = await openTestOrigin();
    const url = partner.put("/checkout", WELL_BEHAVED_FRAME);
    await page.goto(partner.put("/", hostPage(`${productUrls().widgetHostUrl}/embed/v1.js`)));
    await page.locator("html[data-kit=loaded]").waitFor();
    const session = await page.context().newCDPSession(page);
    await mountAndDestroy(page, url, 50);
    const before = await whatIsLeft(session);
    await mountAndDestroy(page, url, 500);
    // The browser collects garbage at its own pace. Objects that are still referenced are never freed.
    let after = before;
    await expect(async () => {
      after = await whatIsLeft(session);
      expect(after.documents).toBeLessThanOrEqual(before.documents);
      expect(after.jsEventListeners).toBeLessThanOrEqual(before.jsEventListeners);
      expect(after.nodes).toBeLessThanOrEqual(before.nodes);
    }).toPass({ timeout: 30_000 });
    expect(page.frames()).toHaveLength(1);
    expect(
      await page.evaluate(() => ({
        elements: document.querySelectorAll("iframe, dialog").length,
        sheets: document.adoptedStyleSheets.length,
        rootClasses: document.documentElement.className,
      })),
    ).toEqual({ elements: 0, sheets: 0, rootClasses: "" });

    // Proves that the measurement works: ten frames that stay in the page are ten documents more.
    await page.evaluate((frameUrl) => {
      for (let kept = 0; kept < 10; kept += 1) {
        document.body.append(Object.assign(document.createElement("iframe"), { src: frameUrl }));
      }
    }, url);
    await expect.poll(() => page.frames().length).toBe(11);
    expect((await whatIsLeft(session)).documents).toBeGreaterThanOrEqual(after.documents + 10);
    await partner.close();
  },
);
