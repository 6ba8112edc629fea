import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CheckoutOptions, mountCheckout } from "./mount-checkout.ts";
import { type PreloadedCheckout, preloadCheckout } from "./preload-checkout.ts";
import { CHECKOUT_URL, READY, setStage } from "./test/stage.ts";
import { settle } from "./test/two-windows.ts";

/** Simulates browsers that move a frame without reloading it, which the tests' DOM cannot do. */
function letFramesMove(): void {
  Object.assign(Element.prototype, {
    moveBefore(this: Element, node: Node, before: Node | null) {
      this.insertBefore(node, before);
    },
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  Reflect.deleteProperty(Element.prototype, "moveBefore");
  document.body.replaceChildren();
});

const mount = (preloaded: PreloadedCheckout, options: Partial<CheckoutOptions> = {}) => {
  const stage = setStage();
  const events: string[] = [];
  const onReady = (): void => void events.push("ready");
  const checkout = mountCheckout(stage.container, { url: preloaded, onReady, ...options });
  return { ...stage, events, checkout };
};

describe("a preloaded checkout", () => {
  it("loads in a frame that is invisible, inert and silent", () => {
    const { frame } = preloadCheckout(CHECKOUT_URL);
    expect(frame.parentNode).toBe(document.body);
    expect(frame.src).toBe(`${CHECKOUT_URL}&preload=1`);
    expect([frame.inert, frame.style.visibility, frame.getAttribute("sandbox")]).toEqual([
      true,
      "hidden",
      expect.stringContaining("allow-scripts"),
    ]);
  });

  it("is used without a second load, and its messages then reach the page", async () => {
    letFramesMove();
    const preloaded = preloadCheckout(CHECKOUT_URL);
    preloaded.frame.dispatchEvent(new Event("load"));
    const { container, iframe, windows, events, loadFrame } = mount(preloaded);
    expect(iframe()).toBe(preloaded.frame);
    expect(document.querySelectorAll("iframe")).toHaveLength(1);
    expect(iframe().src).toBe(`${CHECKOUT_URL}&preload=1`);
    expect([iframe().inert, iframe().hasAttribute("style"), iframe().className]).toEqual([false, false, "aapd-frame"]);
    await loadFrame(READY);
    await settle();
    expect(events).toEqual(["ready"]);
    expect(windows.toFrame.length).toBeGreaterThan(0);
    vi.advanceTimersByTime(600_000);
    expect(container.querySelector("iframe")).toBe(preloaded.frame);
  });

  it("gets its hello when it has loaded, or at once if it already has", async () => {
    letFramesMove();
    const greetings = (isLoaded: boolean) => {
      const preloaded = preloadCheckout(CHECKOUT_URL);
      const postMessage = vi.fn();
      Object.defineProperty(preloaded.frame, "contentWindow", { value: { postMessage } });
      if (isLoaded) preloaded.frame.dispatchEvent(new Event("load"));
      mount(preloaded);
      const before = postMessage.mock.calls.length;
      if (!isLoaded) preloaded.frame.dispatchEvent(new Event("load"));
      return [before, postMessage.mock.calls.length];
    };
    expect(greetings(true)).toEqual([1, 1]);
    expect(greetings(false)).toEqual([0, 1]);
  });

  it("loads again if the browser cannot move frames, if it was dropped, and if its container returns", () => {
    const first = preloadCheckout(CHECKOUT_URL);
    const { iframe, container } = mount(first);
    expect([iframe().src, iframe().inert]).toEqual([CHECKOUT_URL, false]);
    letFramesMove();
    const second = preloadCheckout(CHECKOUT_URL);
    second.drop();
    expect(mount(second).iframe().src).toBe(CHECKOUT_URL);
    container.remove();
    document.body.append(container);
    expect(iframe().src).toBe(CHECKOUT_URL);
  });

  it("drops itself after two minutes, and when the page goes to the background", () => {
    const kept = preloadCheckout(CHECKOUT_URL);
    vi.advanceTimersByTime(119_999);
    expect(kept.frame.isConnected).toBe(true);
    vi.advanceTimersByTime(1);
    expect(kept.frame.isConnected).toBe(false);
    const behind = preloadCheckout(CHECKOUT_URL);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(behind.frame.isConnected).toBe(true);
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(behind.frame.isConnected).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    hidden.mockRestore();
  });

  it("stays when the page goes to the background once mounted, and can be used once", () => {
    letFramesMove();
    const preloaded = preloadCheckout(CHECKOUT_URL);
    const { container } = mount(preloaded);
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    document.dispatchEvent(new Event("visibilitychange"));
    hidden.mockRestore();
    expect(container.querySelector("iframe")).toBe(preloaded.frame);
    expect(preloaded.takeTo(document.body)).toBe(false);
    expect(container.querySelector("iframe")).toBe(preloaded.frame);
  });

  it("loads nothing for patients who save data, nor on a page in the background", () => {
    vi.stubGlobal("navigator", { connection: { saveData: true } });
    expect(preloadCheckout(CHECKOUT_URL).frame.isConnected).toBe(false);
    vi.unstubAllGlobals();
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    const behind = preloadCheckout(CHECKOUT_URL);
    expect([behind.frame.isConnected, behind.href]).toEqual([false, CHECKOUT_URL]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(["javascript:alert(1)", "data:text/html,hi"])("rejects %s as its address", (url) => {
    expect(() => preloadCheckout(url)).toThrow(TypeError);
    expect(document.querySelector("iframe")).toBeNull();
  });
});
