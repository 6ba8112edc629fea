import { long, short } from "../support/levels.ts";
import { type ReactApp, startViteApp } from "../support/react-app.ts";
import { openSales, playSales } from "../support/react-sales.ts";
import { productUrls } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";

/*
 * `@aapd/react` as a partner installs it, in StrictMode, with Vite's development server. Next.js is in
 * `next-apps.spec.ts`.
 */

interface Fixtures {
  /** Starts the app, with a policy for its page if one is given. */
  readonly startApp: (...how: Parameters<typeof startViteApp>) => Promise<ReactApp>;
}

const test = base.extend<Fixtures>({
  startApp: async ({ page: _page }, use) => {
    const started: ReactApp[] = [];
    await use(async (...how) => {
      const app = await startViteApp(...how);
      started.push(app);
      return app;
    });
    for (const app of started) await app.stop();
  },
});

for (const version of [18, 19] as const) {
  test(
    `React ${version} in StrictMode with Vite shows one checkout, replaces it for another order, and removes it`,
    version === 19
      ? short("partner")
      : long(
          "e2e/tests/react-package.spec.ts",
          "React 19 in StrictMode with Vite shows one checkout, replaces it for another order, and removes it",
        ),
    async ({ page, startApp }) => {
      const { origin } = await startApp(version);
      await openSales(page, origin, version);
      await playSales(page);
    },
  );
}

test(
  "a page whose policy forbids the kit's script gets the reason once, and a line in the console",
  short("partner"),
  async ({ page, startApp, isRefused }) => {
    const { widgetHostUrl } = productUrls();
    // Vite's own client needs the last two.
    const policy = `script-src 'self' 'unsafe-inline'; worker-src blob:; frame-src ${widgetHostUrl}`;
    await openSales(page, (await startApp(19, policy)).origin, 19);
    const lines: string[] = [];
    page.on("console", (message) => message.text().startsWith("[aapd]") && lines.push(message.text()));
    await page.getByRole("button", { name: "Sale 1" }).click();
    await expect(page.locator("output")).toHaveText(JSON.stringify([{ type: "load_error", reason: "csp" }]));
    expect(lines).toEqual([expect.stringMatching(/content security policy forbids .*\/docs\/embedding#/)]);
    await isRefused("script-src");
    await isRefused("[aapd]");
  },
);
