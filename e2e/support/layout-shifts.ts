import type { Page } from "@playwright/test";

/**
 * Counts, from the next page on, the unexpected layout shifts that the browser reports for the page itself, without its
 * frames.
 */
export async function watchLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (window !== window.top) return;
    const shifts: { value: number; moved: string[] }[] = [];
    Reflect.set(window, "layoutShifts", shifts);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (Reflect.get(entry, "hadRecentInput") === true) continue;
        const sources: { node: Node | null }[] = Reflect.get(entry, "sources");
        const moved = sources.map(({ node }) =>
          node instanceof Element ? `${node.localName}.${node.className}` : String(node?.textContent),
        );
        shifts.push({ value: Reflect.get(entry, "value"), moved });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/**
 * The shifts so far, with size and element. Lets the page settle first, since shifts are reported after they are drawn.
 */
export function layoutShifts(page: Page): Promise<readonly { readonly value: number; readonly moved: string[] }[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    return Reflect.get(window, "layoutShifts");
  });
}
