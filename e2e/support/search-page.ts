import type { Page } from "@playwright/test";

/**
 * Searches a page and its frames for texts: in visible and typed text, in URLs, storage and cookies, and in the memory
 * of the page's scripts. Returns the places by name; empty if nothing was found.
 */
export async function searchPage(page: Page, texts: readonly string[]): Promise<string[]> {
  const places = new Map<string, string>([
    ["cookies", JSON.stringify(await page.context().cookies())],
    ["memory", await memoryOf(page)],
  ]);
  for (const frame of page.frames()) {
    const held = await frame.evaluate(() => ({
      document: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll("input")].map(({ value }) => value).join("\n"),
      address: location.href,
      history: JSON.stringify(history.state),
      storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    }));
    for (const [place, text] of Object.entries(held)) places.set(`${place} of ${frame.url().split("?")[0]}`, text);
  }
  return [...places].filter(([, text]) => texts.some((one) => text.includes(one))).map(([place]) => place);
}

/** Every string that the scripts of the page and its frames can still reach; Chromium only. */
async function memoryOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return chunks.join("");
}
