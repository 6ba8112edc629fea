import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { openSlowPage } from "./slow-phone.ts";

/** Milliseconds from the navigation of the outer page. */
export interface LoadTimes {
  /** When the frame's first words are painted. */
  readonly firstPaint: number;
  /** When the frame has received a real click on its main button. */
  readonly firstControl: number;
  /** When React has hydrated the button. */
  readonly hydrated: number;
}

export interface Load {
  readonly url: string;
  /** Waits for the effect of the click. Rejects if the click was lost. */
  readonly arrives: (page: Page) => Promise<void>;
}

const LOADED_WITHIN_MS = 30_000;

/** The frame's report: where to click and, after the click, the observed events with their times. */
type FrameReport = { readonly button: Place } | { readonly seen: LoadTimes };

interface Place {
  readonly x: number;
  readonly y: number;
}

const WATCH_FRAME = fileURLToPath(new URL("./watch-frame.js", import.meta.url));

/**
 * Loads a page in a new context, without cache or open connections, and clicks the frame's main button with the mouse
 * as soon as it is painted. The click must survive React's hydration.
 */
export async function measureLoad(browser: Browser, { url, arrives }: Load): Promise<LoadTimes> {
  const { context, page, devTools } = await openSlowPage(browser);
  try {
    const seen = (await listenToFrames(page)).next();
    await page.goto(url, { waitUntil: "commit" });
    const { firstPaint, firstControl, hydrated } = await seen;
    const [, frame] = page.frames();
    if (frame === undefined) throw new Error("the page has no frame");
    const start = await page.evaluate(() => performance.timeOrigin);
    await holdsInOneProcess(() => context.newCDPSession(frame));
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await arrives(page);
    return { firstPaint: firstPaint - start, firstControl: firstControl - start, hydrated: hydrated - start };
  } finally {
    await context.close();
  }
}

export interface FrameEar {
  /** The report of the next frame in the page's upper left corner, once its main button has been clicked. */
  next(): Promise<LoadTimes>;
}

/** Collects the reports of a page's frames, from the next navigation on. */
export async function listenToFrames(page: Page): Promise<FrameEar> {
  let tell: (report: FrameReport) => Promise<void> = async () => undefined;
  await page.exposeFunction("tellBench", (report: FrameReport) => tell(report));
  await page.addInitScript({ path: WATCH_FRAME });
  return {
    next: () => {
      const heard = hear((at) => page.mouse.click(at.x, at.y));
      tell = heard.tell;
      return heard.seen;
    },
  };
}

/**
 * Clicks at the reported position, and resolves with the frame's observations at the end. Rejects if it reports nothing
 * for too long.
 */
function hear(click: (at: Place) => Promise<void>) {
  let tell: (report: FrameReport) => Promise<void> = async () => undefined;
  const seen = new Promise<LoadTimes>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the frame was not there in time")), LOADED_WITHIN_MS);
    tell = async (report) => {
      if ("button" in report) return click(report.button);
      clearTimeout(timer);
      resolve(report.seen);
    };
  });
  // A caller that awaits this gets the error. If the page cannot be opened, there is no such caller.
  seen.catch(() => undefined);
  return { seen, tell };
}

/**
 * The slowdown reaches only one process, so a frame in a separate process would run at full speed. Such a page is
 * refused.
 */
async function holdsInOneProcess(openFrameSession: () => Promise<unknown>): Promise<void> {
  const isApart = await openFrameSession().then(
    () => true,
    () => false,
  );
  if (isApart) throw new Error("the frame runs in a separate process, which is not slowed down");
}
