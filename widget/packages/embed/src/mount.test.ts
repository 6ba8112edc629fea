import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setStage } from "../../../embed/test/stage.ts";
import { type Checkout, mountCheckout } from "./index.ts";
import { holdKitScript } from "./test-page.ts";

let host = 0;
/** Each test uses its own host, because a page keeps a loaded kit. */
let url = "";
let letLoad: () => Promise<void>;
beforeEach(() => {
  host += 1;
  url = `https://widget-${host}.example/?widget_token=t&public_key=PK_1&order_token=o`;
  ({ letLoad } = holdKitScript());
});
afterEach(() => {
  delete window.Aapd;
  document.body.replaceChildren();
});

function frames(container: Element): number {
  return container.querySelectorAll("iframe").length;
}

describe("mountCheckout of the package", () => {
  it("mounts once for two calls on one container, and destroying the first changes nothing", async () => {
    const { container } = setStage();
    const first = mountCheckout(container, { url });
    const second = mountCheckout(container, { url, locale: "en" });
    await letLoad();
    (await first).destroy();
    expect(frames(container)).toBe(1);
    expect(container.querySelector("iframe")?.title).toBe("Secure payment");
    (await second).destroy();
    expect(frames(container)).toBe(0);
  });

  it("uses the options of the last of two calls, whichever host answers first", async () => {
    const { container } = setStage();
    const first = mountCheckout(container, { url: "https://slow.example/?widget_token=old" });
    const second = mountCheckout(container, { url });
    await letLoad();
    await Promise.all([first, second]);
    expect(frames(container)).toBe(1);
    expect(container.querySelector("iframe")?.src).toBe(url);
    (await second).destroy();
  });

  it("mounts nothing when the signal aborts before the kit has loaded", async () => {
    const { container } = setStage();
    const unmounting = new AbortController();
    const mounting = mountCheckout(container, { url, signal: unmounting.signal });
    unmounting.abort();
    await letLoad();
    await expect(mounting).rejects.toHaveProperty("name", "AbortError");
    expect(frames(container)).toBe(0);
  });

  it("removes the checkout when the signal aborts, but not one that was mounted later", async () => {
    const { container } = setStage();
    const [one, other] = [new AbortController(), new AbortController()];
    const mounting = mountCheckout(container, { url, signal: one.signal });
    await letLoad();
    await mounting;
    await mountCheckout(container, { url, signal: other.signal });
    one.abort();
    expect(frames(container)).toBe(1);
    other.abort();
    expect(frames(container)).toBe(0);
  });

  it("updates the checkout in the container when it is called again", async () => {
    const { container } = setStage();
    const first = mountCheckout(container, { url });
    await letLoad();
    const again = mountCheckout(container, { url, locale: "en" });
    expect(await again).toBe(await first);
    (await first).destroy();
    expect(frames(container)).toBe(0);
  });

  it.each([
    [null, "https://widget.example/", "[aapd] mountCheckout needs an element, not null, see /docs/embedding#element"],
    ["#checkout", "https://widget.example/", "mountCheckout needs an element, not #checkout"],
    [
      document.createElement("div"),
      undefined,
      "POST /api/spot/widget answered, not undefined, see /docs/embedding#url",
    ],
    [document.createElement("div"), "", 'POST /api/spot/widget answered, not ""'],
  ])("rejects the container %s with the url %s with a message", async (container, given, message) => {
    const mounting: Promise<Checkout> = mountCheckout(container as HTMLElement, { url: given as string });
    await expect(mounting).rejects.toThrow(message);
  });
});
