import { describe, expect, it, vi } from "vitest";
import { isOurs } from "./is-ours.ts";
import { CHECKOUT_WAITS, PAGE_ENDED } from "./messages.ts";
import { openPage, pageTarget } from "./open-page.ts";
import { createReturnWindow, readWayBack } from "./return-window.ts";

const ORIGIN = "https://pago.example";
const ADDRESS = "/?widget_token=t&public_key=PK_x#review";

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
}

interface Shape {
  readonly url?: string;
  readonly parent?: Window;
  readonly opens?: (self: Window) => Window | null;
  readonly userAgent?: string;
  readonly sessionStorage?: Storage;
}

/** A window as far as these files use one. */
function windowOf({ url = `${ORIGIN}${ADDRESS}`, parent, opens = () => null, userAgent = "", ...more }: Shape = {}) {
  const listeners = new Set<(event: MessageEvent) => void>();
  const assign = vi.fn<(url: string) => void>();
  const self = {
    closed: false,
    setInterval: vi.fn<(look: () => void, everyMs: number) => number>(() => 1),
    clearInterval: vi.fn<(timer: number) => void>(),
    location: Object.assign(new URL(url), { assign, replace: assign }),
    navigator: { userAgent },
    sessionStorage: more.sessionStorage ?? storage(),
    postMessage: vi.fn<(...message: unknown[]) => void>(),
    addEventListener: (_type: string, listener: (event: MessageEvent) => void) => void listeners.add(listener),
    removeEventListener: (_type: string, listener: (event: MessageEvent) => void) => void listeners.delete(listener),
    close: vi.fn<() => void>(),
    open: vi.fn<(url: string, target: string) => Window | null>(),
    opener: {} as Window | null,
    parent: undefined as unknown as Window,
  };
  self.open.mockImplementation(() => opens(self as unknown as Window));
  self.parent = parent ?? (self as unknown as Window);
  const window = self as unknown as Window & typeof globalThis;
  const hear = (data: unknown, origin: string, source: unknown) => {
    for (const listener of listeners) listener({ data, origin, source } as MessageEvent);
  };
  return { ...self, self: window, assign, hear };
}

/** A page of another origin, whose address is unreadable. */
function foreign(parent?: Window): Window {
  const other = {
    postMessage: vi.fn(),
    get location(): Location {
      throw new DOMException("blocked", "SecurityError");
    },
    parent: undefined as unknown as Window,
  };
  other.parent = parent ?? (other as unknown as Window);
  return other as unknown as Window;
}

describe("external page opened in a tab", () => {
  it("gets no opener, while the checkout keeps the tab and stores the way back", () => {
    const tab = windowOf();
    const checkout = windowOf({ opens: () => tab.self });
    expect(openPage(checkout.self, "https://bank.example/1")).toBe(tab.self);
    expect(checkout.open).toHaveBeenCalledWith("https://bank.example/1", "_blank");
    expect(tab.self.opener).toBeNull();
    expect(readWayBack(checkout.self)).toEqual({ address: ADDRESS, widgetToken: "t", isInPlace: false });
  });

  it("gets messages only while it shows our return page, never on the bank's page", () => {
    const tab = windowOf({ url: "https://bank.example/1" });
    const checkout = windowOf({ opens: () => tab.self });
    openPage(checkout.self, "https://bank.example/1");
    const look = checkout.setInterval.mock.calls[0]?.[0] ?? expect.fail("no timer");
    look();
    Object.assign(tab.self, { location: new URL(`${ORIGIN}/?widget_token=t`) });
    look();
    expect(tab.postMessage).not.toHaveBeenCalled();
    Object.assign(tab.self, { location: new URL(`${ORIGIN}/return/r`) });
    look();
    expect(tab.postMessage).toHaveBeenCalledWith(CHECKOUT_WAITS, ORIGIN);
    Object.assign(tab.self, { closed: true });
    look();
    expect(checkout.clearInterval).toHaveBeenCalledWith(1);
    expect(tab.postMessage).toHaveBeenCalledOnce();
  });

  it("replaces the checkout in a browser without tabs, after storing the way back", () => {
    for (const opens of [() => null, (self: Window) => self]) {
      const checkout = windowOf({ opens });
      expect(openPage(checkout.self, "https://bank.example/1")).toBe(checkout.self);
      expect(readWayBack(checkout.self)).toMatchObject({ isInPlace: true });
      expect(checkout.assign.mock.calls).toEqual(opens(checkout.self) === null ? [["https://bank.example/1"]] : []);
    }
  });

  it("never replaces only the frame of a framed checkout", () => {
    const checkout = windowOf({ parent: foreign() });
    expect(openPage(checkout.self, "https://bank.example/1")).toBeNull();
    expect(checkout.assign).not.toHaveBeenCalled();
  });

  it("replaces the whole window in in-app browsers without tabs", () => {
    const inApp = windowOf({ userAgent: "Mozilla/5.0 (iPhone) Instagram 300.0" });
    expect(pageTarget(inApp.self)).toBe("_top");
    expect(pageTarget(windowOf().self)).toBe("_blank");
  });

  it("stores no way back if storage is denied or there is no token", () => {
    const denied = windowOf({
      opens: () => windowOf().self,
      sessionStorage: { setItem: () => expect.fail("used"), getItem: () => null } as unknown as Storage,
    });
    Object.defineProperty(denied.self, "sessionStorage", {
      get: () => {
        throw new DOMException("denied", "SecurityError");
      },
    });
    expect(openPage(denied.self, "https://bank.example/1")).not.toBeNull();
    expect(readWayBack(denied.self)).toBeNull();
    const without = windowOf({ url: `${ORIGIN}/`, opens: () => windowOf().self });
    openPage(without.self, "https://bank.example/1");
    expect(readWayBack(without.self)).toBeNull();
  });
});

describe("window of the return page", () => {
  it("answers only a checkout of our origin that announces that it waits", () => {
    const page = windowOf({ url: `${ORIGIN}/return/r` });
    const onNotified = vi.fn();
    const stop = createReturnWindow(page.self).notifyCheckout(onNotified);
    const checkout = { postMessage: vi.fn() };
    page.hear(CHECKOUT_WAITS, "https://evil.example", checkout);
    page.hear("something", ORIGIN, checkout);
    page.hear(CHECKOUT_WAITS, ORIGIN, null);
    expect([onNotified.mock.calls.length, checkout.postMessage.mock.calls.length]).toEqual([0, 0]);
    page.hear(CHECKOUT_WAITS, ORIGIN, checkout);
    expect(checkout.postMessage).toHaveBeenCalledWith(PAGE_ENDED, { targetOrigin: ORIGIN });
    expect(onNotified).toHaveBeenCalledOnce();
    stop();
    page.hear(CHECKOUT_WAITS, ORIGIN, checkout);
    expect(onNotified).toHaveBeenCalledOnce();
  });

  it("notifies the framing checkout past the processor's page, never the clinic's page", () => {
    const clinic = foreign();
    const checkout = windowOf({ parent: clinic });
    const processor = foreign(checkout.self);
    const page = windowOf({ url: `${ORIGIN}/return/r`, parent: processor });
    const onNotified = vi.fn();
    createReturnWindow(page.self).notifyCheckout(onNotified);
    expect(checkout.postMessage).toHaveBeenCalledWith(PAGE_ENDED, ORIGIN);
    expect(processor.postMessage).not.toHaveBeenCalled();
    expect(clinic.postMessage).not.toHaveBeenCalled();
    expect(onNotified).toHaveBeenCalledOnce();
    expect([isOurs(processor, ORIGIN), isOurs(checkout.self, ORIGIN)]).toEqual([false, true]);
  });
});
