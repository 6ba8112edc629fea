import { ELSEWHERE, long } from "../support/levels.ts";
import { startNextApp } from "../support/next-app.ts";
import { openSales, playSales } from "../support/react-sales.ts";
import { expect, test } from "../support/test.ts";

/* `@aapd/react` in Next.js with React's StrictMode. It installs Next.js, for which only the long check has time. */

test.describe.configure({ mode: "default", timeout: 400_000 });

for (const [version, paths] of [
  [19, ["/app-router", "/pages-router"]],
  [18, ["/pages-router"]],
] as const) {
  test(
    `React ${version} in Next.js shows one checkout, replaces it for another order, and removes it: ${paths.join(", ")}`,
    long(ELSEWHERE),
    async ({ page }) => {
      const app = await startNextApp(version);
      try {
        for (const path of paths) {
          const answers = () =>
            fetch(app.origin + path).then(
              ({ status }) => status,
              () => 0,
            );
          await expect.poll(answers, { timeout: 200_000 }).toBe(200);
          await openSales(page, app.origin, version, path);
          await playSales(page);
        }
      } finally {
        // The page of a development server complains in the console when its server stops.
        await page.goto("about:blank");
        await app.stop();
      }
    },
  );
}
