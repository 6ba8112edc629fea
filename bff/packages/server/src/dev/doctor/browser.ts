import { setTimeout as pause } from "node:timers/promises";
import { isStarted, type SeenView } from "./view.ts";
import { watchPage } from "./watch-page.ts";

/** The part of a Playwright browser that the doctor uses; Playwright belongs to the partner's project. */
export interface Browser {
  newPage(): Promise<BrowserPage>;
}
interface BrowserPage {
  addInitScript(script: string): Promise<unknown>;
  goto(url: string, options: { readonly waitUntil: "domcontentloaded"; readonly timeout: number }): Promise<unknown>;
  click(selector: string): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  close(): Promise<void>;
}

/** The kit gives up after twenty seconds. */
const READY_WITHIN_MS = 25_000;
const POLL_MS = 250;
/** How long the kit works after the frame's first message. */
const SETTLE_MS = 1_000;

/** Opens the page and watches its checkout until the first screen, or until it fails. */
export async function seeView(
  browser: Browser,
  { url, host, click }: { readonly url: string; readonly host: string; readonly click?: string | undefined },
): Promise<SeenView> {
  const page = await browser.newPage();
  try {
    await page.addInitScript(watchPage(host));
    await page.goto(url, { waitUntil: "domcontentloaded", timeout: READY_WITHIN_MS });
    if (click !== undefined) await page.click(click);
    const until = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const seen = await look(page);
      const isOver = isStarted(seen) || seen.frames.some(({ state }) => state === "failed");
      if (!isOver && performance.now() < until) await pause(POLL_MS);
      else if (!isOver) return seen;
      else break;
    }
    await pause(SETTLE_MS);
    return await look(page);
  } finally {
    await page.close();
  }
}

async function look(page: BrowserPage): Promise<SeenView> {
  return (await page.evaluate("globalThis.__aapdDoctor()")) as SeenView;
}
