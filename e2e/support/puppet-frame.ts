import type { Frame, Page } from "@playwright/test";
import type { TestPage } from "./test-pages.ts";

/**
 * A document in a frame that sends what the test requests, and records what it receives. It implements the protocol by
 * hand, so that it can also violate it.
 */
export const PUPPET: TestPage = {
  html: `<!doctype html>
<title>puppet</title>
<script>
const heard = [];
let port;
window.heard = heard;
window.say = (data, target = "*") => parent.postMessage(data, target);
window.sayByPort = (data) => port.postMessage(data);
addEventListener("message", ({ data, origin, ports }) => {
  heard.push({ data, origin, ports: ports.length });
  if (ports.length === 0) return;
  port = ports[0];
  window.session = data.session;
  port.onmessage = (event) => heard.push({ data: event.data, origin: "port", ports: 0 });
});
</script>`,
};

/** An envelope of the protocol with any content. */
export function envelope(fields: Record<string, unknown>): Record<string, unknown> {
  return { channel: "aapd", version: 1, session: "puppet", id: 1, payload: {}, ...fields };
}

/** Controls a puppet frame. */
export interface Puppet {
  readonly frame: Frame;
  say(data: unknown): Promise<void>;
  sayByPort(data: unknown): Promise<void>;
  /** The session that the host opened with its latest `hello`; undefined before the first one. */
  session(): Promise<string | undefined>;
  heard(): Promise<readonly { readonly data: unknown; readonly origin: string; readonly ports: number }[]>;
}

/** Finds the puppet that was loaded from an address. */
export async function findPuppet(page: Page, url: string): Promise<Puppet> {
  const find = () => page.frames().find((frame) => frame.url() === url);
  while (find() === undefined) await page.waitForEvent("framenavigated");
  const frame = find();
  if (frame === undefined) throw new Error(`no frame at ${url}`);
  await frame.waitForFunction(() => "say" in window);
  return {
    frame,
    say: (data) => frame.evaluate((given) => Reflect.get(window, "say")(given), data),
    sayByPort: (data) => frame.evaluate((given) => Reflect.get(window, "sayByPort")(given), data),
    session: () => frame.evaluate(() => Reflect.get(window, "session") as string | undefined),
    heard: () => frame.evaluate(() => structuredClone(Reflect.get(window, "heard"))),
  };
}
