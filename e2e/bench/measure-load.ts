import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { openSlowPage } from "./slow-phone.ts";

/** Milliseconds from the navigation of the page around. */
export interface LoadTimes {
  /** The frame's first words are painted. */
  readonly firstPaint: number;
  /** A real click on the frame's first box has taken effect. */
  readonly firstControl: number;
  /** React has the box. */
  readonly hydrated: number;
}

export interface Load {
  readonly url: string;
  /** Presses the button and waits for its effect; rejects if the click before was lost. */
  readonly goOn: (page: Page) => Promise<void>;
}

const LOADED_WITHIN_MS = 30_000;

/** What the frame reports: where to click, and after the click what was seen and when. */
type Told = { readonly box: Place } | { readonly seen: LoadTimes };

interface Place {
  readonly x: number;
  readonly y: number;
}

const WATCH_FRAME = fileURLToPath(new URL("./watch-frame.js", import.meta.url));

/**
 * Loads a page in a context of its own, so that nothing is cached and no connection is open, and clicks the frame's
 * first box with the mouse as soon as it is painted. The click must still count when React has taken over.
 */
export async function measureLoad(browser: Browser, { url, goOn }: Load): Promise<LoadTimes> {
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
    if (!(await frame.locator("input[type=checkbox]").first().isChecked())) throw new Error("the click was lost");
    await goOn(page);
    return { firstPaint: firstPaint - start, firstControl: firstControl - start, hydrated: hydrated - start };
  } finally {
    await context.close();
  }
}

export interface FrameEar {
  /** What the next frame that stands in the page's upper left corner tells, once its first box has been clicked. */
  next(): Promise<LoadTimes>;
}

/** Hears what the frames of a page tell, from the next navigation on. */
export async function listenToFrames(page: Page): Promise<FrameEar> {
  let tell: (told: Told) => Promise<void> = async () => undefined;
  await page.exposeFunction("tellBench", (told: Told) => tell(told));
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
 * Clicks where the frame says, and resolves with what it has seen at the end; rejects if it reports nothing for too
 * long.
 */
function hear(click: (at: Place) => Promise<void>) {
  let tell: (told: Told) => Promise<void> = async () => undefined;
  const seen = new Promise<LoadTimes>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the frame was not there in time")), LOADED_WITHIN_MS);
    tell = async (told) => {
      if ("box" in told) return click(told.box);
      clearTimeout(timer);
      resolve(told.seen);
    };
  });
  // A caller that waits for this gets the error; if the page cannot be opened, there is no such caller.
  seen.catch(() => undefined);
  return { seen, tell };
}

/** The slowdown reaches one process: a frame in a process of its own would run at full speed, and is refused. */
async function holdsInOneProcess(openFrameSession: () => Promise<unknown>): Promise<void> {
  const isApart = await openFrameSession().then(
    () => true,
    () => false,
  );
  if (isApart) throw new Error("the frame runs in a process of its own, which is not slowed down");
}
