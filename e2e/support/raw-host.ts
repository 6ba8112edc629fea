import { expect, type Frame, type Page } from "@playwright/test";
import type { TestPage } from "./test-pages.ts";

/**
 * A page that frames the checkout without the kit and sends whatever the test wants. Records everything received by its
 * window, and by each port that it has sent.
 */
export const RAW_HOST: TestPage = {
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A page of its own</title>
<script>
const heard = [];
const byPort = [];
window.heard = heard;
window.byPort = byPort;
addEventListener("message", ({ data, origin }) => heard.push({ data, origin }));
const ports = [];
window.frameIt = (src) => {
  const frame = Object.assign(document.createElement("iframe"), { src, width: 480, height: 1600 });
  document.body.append(frame);
};
// Sends a message with a port to a window. Returns the number under which the port's messages are recorded.
window.sayWithPort = (target, data, origin) => {
  const { port1, port2 } = new MessageChannel();
  const talk = [];
  port1.onmessage = (event) => talk.push(event.data);
  target.postMessage(data, origin, [port2]);
  ports.push(port1);
  return byPort.push(talk) - 1;
};
window.sayByPort = (port, data) => ports[port].postMessage(data);
</script>
<body><h1>A page of its own</h1></body>
</html>`,
};

/** Frames an address. Returns the frame once its document, or the browser's own error page, has loaded. */
export async function frameIt(page: Page, url: string): Promise<Frame> {
  const before = new Set(page.frames());
  await page.evaluate((src) => Reflect.get(window, "frameIt")(src), url);
  // A new frame is empty at first.
  const added = () => page.frames().find((frame) => !before.has(frame) && !["", "about:blank"].includes(frame.url()));
  await expect.poll(() => added()?.url(), { message: url }).toBeDefined();
  const frame = added();
  if (frame === undefined) throw new Error(`The frame of ${url} has gone again.`);
  await frame.waitForLoadState("domcontentloaded");
  return frame;
}

/**
 * Waits until the checkout has announced itself. Its screen is visible before its scripts run, and until then it
 * receives nothing.
 */
export async function untilAnnounced(page: Page): Promise<void> {
  const types = async () =>
    (await everythingHeard(page)).heard.map(({ data }) =>
      typeof data === "object" && data !== null && "type" in data ? data.type : null,
    );
  await expect.poll(types).toContain("announce");
}

/** Sends a message to the first frame, with a port. Returns the number under which the port's messages are recorded. */
export function sayToFrame(page: Page, data: unknown, targetOrigin: string): Promise<number> {
  return page.evaluate(([given, origin]) => Reflect.get(window, "sayWithPort")(window.frames[0], given, origin), [
    data,
    targetOrigin,
  ] as const);
}

export function sayByPort(page: Page, port: number, data: unknown): Promise<void> {
  return page.evaluate(([number, given]) => Reflect.get(window, "sayByPort")(number, given), [port, data] as const);
}

/** The types of the messages received by a port. */
export async function typesByPort(page: Page, port: number): Promise<readonly string[]> {
  const talk = await page.evaluate((number) => Reflect.get(window, "byPort")[number] as { type: string }[], port);
  return talk.map(({ type }) => type);
}

/** Everything that the page has received, by its window and by every port. */
export function everythingHeard(page: Page): Promise<{
  readonly heard: readonly { readonly data: unknown; readonly origin: string }[];
  readonly byPort: readonly (readonly unknown[])[];
}> {
  return page.evaluate(() => ({ heard: Reflect.get(window, "heard"), byPort: Reflect.get(window, "byPort") }));
}
