import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import type { Inspect } from "./host-side.ts";
import { LOAD_TIMEOUT_MS } from "./load-watch.ts";
import { type Checkout, type CheckoutError, type CheckoutOptions, mountCheckout } from "./mount-checkout.ts";
import { type Completion, enclose, type LoadErrorReason, type Step } from "./protocol.ts";
import { adoptedRules, CHECKOUT_URL, PAID, READY, setStage } from "./test/stage.ts";
import { FRAME_ORIGIN, settle } from "./test/two-windows.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
  expect(document.adoptedStyleSheets).toEqual([]);
  expect(document.documentElement.className).toBe("");
});

/** A mounted checkout, and the callbacks that it called. */
const mount = (options: Partial<CheckoutOptions> = {}) => {
  const stage = setStage();
  const events: unknown[] = [];
  const checkout = mountCheckout(stage.container, {
    url: CHECKOUT_URL,
    onReady: () => events.push("ready"),
    onStep: (step) => events.push(step),
    onComplete: (completion) => events.push(completion),
    onError: (error) => events.push(error),
    onClose: () => events.push("close"),
    ...options,
  });
  return { ...stage, events, checkout };
};

const inNextTimeout = (): void => {
  vi.advanceTimersByTime(LOAD_TIMEOUT_MS);
};

describe("the iframe", () => {
  it("has exactly the attributes that its policy needs", () => {
    const { iframe } = mount();
    const attributes = Object.fromEntries([...iframe().attributes].map(({ name, value }) => [name, value]));
    expect(attributes).toEqual({
      class: "aapd-frame",
      src: CHECKOUT_URL,
      title: "Pago seguro",
      sandbox:
        "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation allow-modals allow-downloads",
      allow: "payment; publickey-credentials-get",
      referrerpolicy: "strict-origin",
    });
  });

  it("is outside the document when its address is set, so that it adds no entry to the history", () => {
    const { iframe, checkout, container } = mount();
    const frame = iframe();
    const wasConnected: boolean[] = [];
    vi.spyOn(frame, "src", "set").mockImplementation(() => wasConnected.push(frame.isConnected));
    inNextTimeout();
    checkout.update({ url: `${CHECKOUT_URL}2` });
    expect(wasConnected).toEqual([false, false]);
    container.remove();
    // In a document it would load by itself.
    expect(container.querySelector("iframe")).toBeNull();
  });

  it("shares its dialog only with the close button", () => {
    const { dialog } = mount();
    expect(dialog().textContent).toBe("×");
  });

  it("needs no exception from the page's style-src, because it never has a style attribute or element", async () => {
    const { container, loadFrame } = mount({ mode: "dialog" });
    const unstyled = () => expect(document.querySelectorAll("[style], style")).toHaveLength(0);
    unstyled();
    await loadFrame(READY, { type: "resize", payload: { height: 900 } });
    unstyled();
    inNextTimeout();
    inNextTimeout();
    unstyled();
    container.remove();
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,hi",
    "blob:https://widget.example/1",
    "https://",
    "/?widget_token=t",
    "",
    undefined as never,
  ])("refuses %s as its address", (url) => {
    const { container } = setStage();
    expect(() => mountCheckout(container, { url })).toThrow(TypeError);
    expect(container.childElementCount).toBe(0);
  });

  it.each([null, undefined, "#checkout"])("cannot be mounted in %s, and the error says so", (container) => {
    const mounting = () => mountCheckout(container as never, { url: CHECKOUT_URL });
    expect(mounting).toThrow("[aapd] no element, see /docs/embedding#element");
    expect(mounting).toThrow(TypeError);
  });
});

describe("messages from the frame", () => {
  it("reach the page: ready and each completion once, every step and error", async () => {
    const { events, loadFrame, windows } = mount();
    const frame = await loadFrame(READY);
    const step: Step = { name: "card", index: 4, count: 6 };
    frame.send({ type: "step", payload: step });
    const error = { code: "card_declined", audience: "patient", recoverable: true, trace_id: "req-1" } as const;
    frame.send({ type: "error", payload: error });
    frame.send(PAID);
    await settle();
    expect(events).toEqual(["ready", step, { type: "error", ...error }, PAID.payload]);
    windows.pageShowInFrame(true);
    await settle();
    expect(events.slice(4)).toEqual([step]);
  });

  it("set the height in a rule of this checkout only", async () => {
    const { loadFrame, checkout } = mount();
    const frame = await loadFrame(READY, { type: "resize", payload: { height: 733 } });
    expect(adoptedRules()).toContain("--aapd-height: 733px");
    frame.send({ type: "resize", payload: { height: 512 } });
    await settle();
    expect(adoptedRules()).toContain("--aapd-height: 512px");
    checkout.destroy();
  });

  it("the hello carries mode, language and the page's own colour scheme", async () => {
    const { loadFrame } = mount({ locale: "en", appearance: { accent: "#0a7d55" } });
    const { heard } = await loadFrame(READY);
    expect(heard).toEqual([
      {
        type: "hello",
        payload: { mode: "inline", locale: "en", appearance: { accent: "#0a7d55", color_scheme: "light" } },
      },
    ]);
  });

  it.each([
    ["normal", true, "light"],
    ["dark", false, "dark"],
    ["light dark", true, "dark"],
    ["light dark", false, "light"],
  ])(
    "a page with the colour scheme %j, for a patient with the dark scheme: %j, is reported as %s",
    async (colorScheme, matches, scheme) => {
      vi.spyOn(window, "getComputedStyle").mockReturnValue(
        Object.assign(document.createElement("i").style, { colorScheme }),
      );
      const system = Object.assign(new EventTarget(), { matches });
      vi.spyOn(window, "matchMedia").mockReturnValue(system as MediaQueryList);
      const { checkout, loadFrame } = mount();
      expect(adoptedRules()).toContain(`color-scheme: ${scheme}`);
      const { heard } = await loadFrame(READY);
      expect(heard).toMatchObject([{ payload: { appearance: { color_scheme: scheme } } }]);
      system.dispatchEvent(new Event("change"));
      await settle();
      expect(heard.at(-1)).toEqual({ type: "appearance", payload: { color_scheme: scheme } });
      checkout.destroy();
    },
  );

  it("passes sent, received and refused messages to inspect", async () => {
    const inspected: Parameters<Inspect>[] = [];
    const { checkout, loadFrame, windows } = mount({ inspect: (...entry) => inspected.push(entry) });
    await loadFrame(READY);
    windows.sayToHost(enclose({ type: "announce", payload: {} }, "s", 1), { origin: "https://evil.example" });
    expect(inspected.map(([direction, what]) => [direction, typeof what === "string" ? what : what.type])).toEqual([
      ["received", "announce"],
      ["sent", "hello"],
      // Strings for pages of the older integration are not part of this protocol.
      ["refused", "shape"],
      ["refused", "shape"],
      ["received", "ready"],
      ["refused", "origin"],
    ]);
    checkout.update({ locale: "en" });
    expect(inspected.at(-1)).toEqual(["sent", { type: "locale", payload: { locale: "en" } }]);
  });
});

describe("completed", () => {
  it("resolves with the payment where the link names an order, not with the sign-up before it", async () => {
    const { checkout, loadFrame } = mount();
    const seen = vi.fn<(completion: Completion) => void>();
    void checkout.completed.then(seen);
    const frame = await loadFrame(READY);
    frame.send({
      type: "completed",
      payload: { kind: "onboarding", order_token: null, status: "registered", signed_receipt: null },
    });
    await settle();
    expect(seen).not.toHaveBeenCalled();
    frame.send(PAID);
    await settle();
    expect(seen).toHaveBeenCalledExactlyOnceWith(PAID.payload);
  });

  it("resolves with the sign-up where the link names no order", async () => {
    const { checkout, loadFrame } = mount({ url: `${FRAME_ORIGIN}/?widget_token=token-1&public_key=PK_1` });
    const completion: Completion = {
      kind: "onboarding",
      order_token: null,
      status: "registered",
      signed_receipt: null,
    };
    await loadFrame(READY, { type: "completed", payload: completion });
    await expect(checkout.completed).resolves.toEqual(completion);
  });

  it("rejects with an AbortError when the checkout is destroyed before", async () => {
    const { checkout } = mount();
    checkout.destroy();
    await expect(checkout.completed).rejects.toMatchObject({ name: "AbortError" });
  });

  it("causes no unhandled rejection if the page does not await it", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    mount().checkout.destroy();
    await settle();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("a checkout that does not appear", () => {
  const loadError = (reason: LoadErrorReason): CheckoutError => ({ type: "load_error", reason });

  it("is loaded once more, then replaced by an error with a link, because nothing arrived", () => {
    const { events, iframe, failure } = mount();
    const loads = vi.spyOn(iframe(), "src", "set");
    inNextTimeout();
    expect(loads).toHaveBeenCalledTimes(1);
    expect(failure()).toBeNull();
    inNextTimeout();
    expect(loads).toHaveBeenCalledTimes(1);
    expect(events).toEqual([loadError("timeout")]);
    expect(failure()?.textContent).toContain("No se cargó el pago");
    expect(failure()?.querySelector("a")).toMatchObject({ href: CHECKOUT_URL, target: "_blank" });
  });

  it.each(["[FBAN/FBIOS;FBAV/541.0.0.44.104]", "Instagram 410.0.0.30.115", "GSA/385.0.777"])(
    "shows the link in its own place if no window can be opened: %s",
    (app) => {
      vi.stubGlobal("navigator", { userAgent: `Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 ${app}` });
      const { failure } = mount();
      inNextTimeout();
      inNextTimeout();
      expect(failure()?.querySelector("a")).toMatchObject({ href: CHECKOUT_URL, target: "" });
      vi.unstubAllGlobals();
    },
  );

  it("reports that a page arrived but sent nothing", () => {
    const { events, iframe } = mount();
    inNextTimeout();
    iframe().dispatchEvent(new Event("load"));
    inNextTimeout();
    expect(events).toEqual([loadError("not_ready")]);
  });

  it("reports no error when it was ready in time", async () => {
    const { events, loadFrame, failure } = mount();
    await loadFrame(READY);
    inNextTimeout();
    inNextTimeout();
    expect(events).toEqual(["ready"]);
    expect(failure()).toBeNull();
  });

  it("replaces the error when it appears later", async () => {
    const { events, loadFrame, failure } = mount();
    inNextTimeout();
    inNextTimeout();
    await loadFrame(READY);
    expect(failure()).toBeNull();
    expect(events).toEqual([loadError("timeout"), "ready"]);
  });

  it("is loaded again on the patient's request, with its full time limit", async () => {
    const { events, container, loadFrame, failure } = mount({ locale: "en" });
    inNextTimeout();
    inNextTimeout();
    const retry = container.querySelector<HTMLButtonElement>('[role="alert"] button');
    expect(retry?.textContent).toBe("Try again");
    retry?.click();
    expect(failure()).toBeNull();
    vi.advanceTimersByTime(LOAD_TIMEOUT_MS - 1);
    expect(failure()).toBeNull();
    await loadFrame(READY);
    inNextTimeout();
    expect(events).toEqual([loadError("timeout"), "ready"]);
  });

  it("gets the full time limit again for another url", () => {
    const { checkout, iframe, failure } = mount();
    vi.advanceTimersByTime(LOAD_TIMEOUT_MS - 1);
    checkout.update({ url: `${CHECKOUT_URL}2` });
    const loads = vi.spyOn(iframe(), "src", "set");
    vi.advanceTimersByTime(LOAD_TIMEOUT_MS - 1);
    expect(loads).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(loads).toHaveBeenCalledOnce();
    expect(failure()).toBeNull();
  });

  it("fails at once, without a second attempt, when the frame has another protocol version", async () => {
    const { events, windows, iframe, failure } = mount();
    iframe();
    windows.sayToHost({ ...enclose({ type: "announce", payload: {} }, "s", 1), version: 2 });
    expect(events).toEqual([loadError("version")]);
    expect(failure()).not.toBeNull();
    inNextTimeout();
    inNextTimeout();
    expect(events).toHaveLength(1);
  });

  const violation = (fields: object): Event =>
    Object.assign(new Event("securitypolicyviolation"), {
      blockedURI: `${FRAME_ORIGIN}/`,
      disposition: "enforce",
      effectiveDirective: "frame-src",
      ...fields,
    });

  it.each([
    ["another frame", { blockedURI: "https://ads.example/" }],
    ["an origin that only begins alike", { blockedURI: `${FRAME_ORIGIN}.evil/` }],
    ["a policy that only reports", { disposition: "report" }],
    ["an image", { effectiveDirective: "img-src" }],
  ])("is not attributed to the page's policy for %s", (_name, fields) => {
    const { events } = mount();
    document.dispatchEvent(violation(fields));
    expect(events).toEqual([]);
  });

  it.each([{}, { blockedURI: FRAME_ORIGIN }, { effectiveDirective: "default-src" }])(
    "is attributed to the page's policy at once when that forbids the frame: %o",
    (fields) => {
      const { events } = mount();
      document.dispatchEvent(violation(fields));
      expect(events).toEqual([loadError("csp")]);
    },
  );

  it("reports a reloaded frame that shows no screen, and a policy that now forbids it", async () => {
    const { events, loadFrame } = mount();
    await loadFrame(READY);
    await loadFrame();
    document.dispatchEvent(violation({}));
    expect(events).toEqual(["ready", loadError("csp")]);
    await loadFrame(READY);
    await loadFrame();
    inNextTimeout();
    expect(events).toHaveLength(2);
    inNextTimeout();
    expect(events.slice(2)).toEqual([loadError("timeout")]);
  });

  it("reports a frame whose reload shows nothing", async () => {
    const { events, loadFrame, iframe } = mount();
    await loadFrame(READY);
    iframe().dispatchEvent(new Event("load"));
    inNextTimeout();
    // It has both attempts again.
    expect(events).toEqual(["ready"]);
    inNextTimeout();
    expect(events).toEqual(["ready", loadError("timeout")]);
  });
});

describe("a token that is about to expire", () => {
  const fresh = `${FRAME_ORIGIN}/?widget_token=token-2&public_key=PK_1&order_token=order-1`;
  const ask = async (requestToken?: CheckoutOptions["requestToken"]) => {
    const mounted = mount(requestToken && { requestToken });
    const frame = await mounted.loadFrame(READY);
    frame.send({ type: "request_token", payload: {} });
    await settle();
    return { ...mounted, answer: frame.heard.at(-1) };
  };
  const token = (widget_token: string | null) => ({ type: "token", payload: { widget_token } });

  it("is exchanged for the page's fresh one without loading the frame again", async () => {
    const { answer, iframe, checkout } = await ask(async () => fresh);
    expect(answer).toEqual(token("token-2"));
    checkout.update({ url: fresh });
    expect(iframe().src).toBe(CHECKOUT_URL);
  });

  it("is replaced by the fresh one when the frame has to load again", async () => {
    const { container, iframe } = await ask(async () => fresh);
    container.remove();
    document.body.append(container);
    expect(iframe().src).toBe(fresh);
  });

  it("sends the frame a null token when the page has none, without an error", async () => {
    const reported = vi.fn();
    vi.stubGlobal("reportError", reported);
    expect((await ask()).answer).toEqual(token(null));
    expect(reported).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  });

  it("is not requested when the patient wants to close", async () => {
    const { events, loadFrame } = mount();
    const frame = await loadFrame(READY);
    frame.send({ type: "token_expiring", payload: {} });
    await settle();
    expect(events).toEqual(["ready"]);
  });

  it("is not replaced by a link of another origin", async () => {
    expect((await ask(async () => "https://evil.example/?widget_token=stolen")).answer).toEqual(token(null));
  });

  it("sends the frame a null token when requestToken throws, and reports the page's error", async () => {
    const reported = vi.fn();
    vi.stubGlobal("reportError", reported);
    const failure = new Error("the clinic's back end is down");
    expect((await ask(() => Promise.reject(failure))).answer).toEqual(token(null));
    expect(reported).toHaveBeenCalledExactlyOnceWith(failure);
    vi.unstubAllGlobals();
  });
});

describe("mounting and destroying", () => {
  it("mounting twice on one element makes one checkout, with the latest options", async () => {
    const { container, checkout, iframe, loadFrame, events } = mount();
    const onReady = vi.fn();
    const loads = vi.spyOn(iframe(), "src", "set");
    const again = mountCheckout(container, { url: CHECKOUT_URL, onReady });
    expect(again).toBe(checkout);
    expect(loads).not.toHaveBeenCalled();
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
    await loadFrame(READY);
    expect(onReady).toHaveBeenCalledOnce();
    expect(events).toEqual([]);
  });

  it("mounting again after the page has emptied the element restores the same checkout", async () => {
    const { container, checkout, loadFrame } = mount();
    container.replaceChildren();
    expect(mountCheckout(container, { url: CHECKOUT_URL })).toBe(checkout);
    await loadFrame(READY);
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
  });

  it("mounting in another mode makes another checkout", async () => {
    const { container, checkout } = mount();
    const again = mountCheckout(container, { url: CHECKOUT_URL, mode: "dialog" });
    expect(again).not.toBe(checkout);
    await expect(checkout.completed).rejects.toMatchObject({ name: "AbortError" });
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
    again.destroy();
  });

  it("destroying before it was ready leaves nothing and reports nothing", async () => {
    const { container, checkout, events, windows, iframe } = mount();
    iframe();
    checkout.destroy();
    windows.sayToHost(enclose({ type: "announce", payload: {} }, "s", 1));
    inNextTimeout();
    inNextTimeout();
    await settle();
    expect(container.childNodes).toHaveLength(0);
    expect(windows.toFrame).toEqual([]);
    expect(events).toEqual([]);
  });

  it("destroying again is harmless, also after another was mounted in its place", async () => {
    const { container, checkout, loadFrame } = mount();
    checkout.destroy();
    checkout.destroy();
    const onReady = vi.fn();
    const other = mountCheckout(container, { url: CHECKOUT_URL, onReady });
    expect(other).not.toBe(checkout);
    checkout.destroy();
    expect(mountCheckout(container, { url: CHECKOUT_URL, onReady })).toBe(other);
    await loadFrame(READY);
    expect(onReady).toHaveBeenCalledOnce();
  });

  it("sends host_closing to the frame before it destroys it", async () => {
    const { checkout, loadFrame } = mount();
    const frame = await loadFrame(READY);
    checkout.destroy();
    await settle();
    expect(frame.heard.at(-1)).toEqual({ type: "host_closing", payload: {} });
  });

  it("it stops outside the document: no message is received and no timer runs", async () => {
    const { checkout, container, events, windows, iframe } = mount();
    iframe();
    container.remove();
    windows.sayToHost(enclose({ type: "announce", payload: {} }, "s", 1));
    checkout.update({ url: `${CHECKOUT_URL}2` });
    inNextTimeout();
    inNextTimeout();
    expect(windows.toFrame).toEqual([]);
    expect(events).toEqual([]);
  });

  it("ignores a frame that was removed or loaded again, and sends it nothing", async () => {
    const sent: unknown[] = [];
    const inspect: Inspect = (direction, what) => direction === "sent" && sent.push(what);
    const { checkout, container, events, loadFrame } = mount({ inspect });
    const frame = await loadFrame(READY);
    sent.length = 0;
    checkout.update({ url: `${CHECKOUT_URL}2`, locale: "en" });
    expect(sent).toEqual([]);
    const other = await loadFrame(READY);
    container.remove();
    frame.send(PAID);
    other.send(PAID);
    await settle();
    sent.length = 0;
    checkout.update({ locale: "es-CL" });
    expect([sent, events]).toEqual([[], ["ready", "ready"]]);
  });

  it("it loads and connects again when moved to another place", async () => {
    const { container, loadFrame, events } = mount();
    await loadFrame(READY);
    const elsewhere = document.createElement("main");
    document.body.append(elsewhere);
    elsewhere.append(container);
    const frame = await loadFrame(READY);
    frame.send(PAID);
    await settle();
    expect(events).toEqual(["ready", PAID.payload]);
  });

  it("mounted in an element outside of the document, it waits until that is inside", async () => {
    const stage = setStage();
    stage.container.remove();
    const onReady = vi.fn();
    const onError = vi.fn();
    mountCheckout(stage.container, { url: CHECKOUT_URL, onReady, onError });
    inNextTimeout();
    inNextTimeout();
    expect(onError).not.toHaveBeenCalled();
    document.body.append(stage.container);
    await stage.loadFrame(READY);
    expect(onReady).toHaveBeenCalledOnce();
  });

  it("mounting and destroying five hundred times leaves the page unchanged", () => {
    const { container } = setStage();
    const untouched = document.documentElement.outerHTML;
    for (let cycle = 0; cycle < 500; cycle++) {
      mountCheckout(container, { url: CHECKOUT_URL, mode: cycle % 2 ? "dialog" : "inline" }).destroy();
    }
    expect(document.documentElement.outerHTML).toBe(untouched);
    expect(document.adoptedStyleSheets).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("it has its styles in a shadow root", () => {
    const host = document.createElement("div");
    const shadow = host.attachShadow({ mode: "open" });
    const container = document.createElement("div");
    shadow.append(container);
    document.body.append(host);
    const checkout = mountCheckout(container, { url: CHECKOUT_URL });
    expect(shadow.adoptedStyleSheets).toHaveLength(1);
    checkout.destroy();
    expect(shadow.adoptedStyleSheets).toHaveLength(0);
  });
});

describe("changing options", () => {
  it("a changed language or appearance is sent to the frame, an unchanged one is not", async () => {
    const { checkout, loadFrame, iframe } = mount({ appearance: { radius: "small" } });
    const frame = await loadFrame(READY);
    checkout.update({ appearance: { radius: "small" }, locale: "en" });
    checkout.update({ appearance: { radius: "large", color_scheme: "dark" }, locale: "en" });
    await settle();
    expect(frame.heard.slice(1)).toEqual([
      { type: "locale", payload: { locale: "en" } },
      { type: "appearance", payload: { radius: "large", color_scheme: "dark" } },
    ]);
    expect(iframe().title).toBe("Secure payment");
    expect(adoptedRules()).toContain("color-scheme: dark");
  });

  it("loads another checkout for another url, and ignores an invalid one", async () => {
    const { checkout, loadFrame, iframe, events } = mount();
    await loadFrame(READY, PAID);
    expect(() => checkout.update({ url: "javascript:alert(1)", locale: "en" })).toThrow(TypeError);
    expect(iframe()).toMatchObject({ src: CHECKOUT_URL, title: "Pago seguro" });
    const other = `${FRAME_ORIGIN}/?widget_token=token-9&order_token=order-9`;
    checkout.update({ url: other });
    expect(iframe().src).toBe(other);
    const completion: Completion = { kind: "payment", order_token: "order-9", status: "paid", signed_receipt: null };
    await loadFrame(READY, { type: "completed", payload: completion });
    expect(events).toEqual(["ready", PAID.payload, "ready", completion]);
  });
});

describe("as a dialog", () => {
  it("is modal from the start, keeps the page from scrolling, and has a name", () => {
    const { dialog, checkout } = mount({ mode: "dialog" });
    const shown = dialog();
    const closed = vi.spyOn(shown, "close");
    expect(shown.open).toBe(true);
    expect(shown.ariaLabel).toBe("Pago seguro");
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(true);
    checkout.destroy();
    // Closed instead of removed, so that the browser returns the focus to the element that had it.
    expect(closed).toHaveBeenCalledOnce();
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(false);
  });

  it("keeps the page from moving sideways if its scroll bar takes room, and only then", () => {
    const gutter = () => document.documentElement.classList.contains("aapd-gutter");
    const width = vi.spyOn(document.documentElement, "clientWidth", "get").mockReturnValue(innerWidth);
    const first = mount({ mode: "dialog" });
    expect(gutter()).toBe(false);
    first.checkout.destroy();
    width.mockReturnValue(innerWidth - 15);
    const second = mount({ mode: "dialog" });
    expect(gutter()).toBe(true);
    second.checkout.destroy();
    expect(gutter()).toBe(false);
  });

  it("is made modal by the browser's own dialog", () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    mount({ mode: "dialog" }).checkout.destroy();
    expect(showModal).toHaveBeenCalledOnce();
    mount({ mode: "inline" }).checkout.destroy();
    expect(showModal).toHaveBeenCalledOnce();
  });

  const ways: [string, (dialog: HTMLDialogElement) => void][] = [
    ["Escape", (dialog) => dialog.dispatchEvent(new Event("cancel", { cancelable: true }))],
    ["its button", (dialog) => dialog.querySelector("button")?.click()],
    ["the browser, over any objection", (dialog) => dialog.close()],
  ];
  it.each(ways)("is removed when closed by %s, and calls onClose once", async (_name, close) => {
    const { dialog, events, container, checkout } = mount({ mode: "dialog" });
    close(dialog());
    await settle();
    expect(container.childElementCount).toBe(0);
    expect(events).toEqual(["close"]);
    await expect(checkout.completed).rejects.toMatchObject({ name: "AbortError" });
  });

  it.each(ways.slice(0, 2))(
    "is closed by %s only once the frame agrees, or by a second press",
    async (_name, close) => {
      const { events, container, loadFrame, dialog } = mount({ mode: "dialog" });
      const frame = await loadFrame(READY);
      close(dialog());
      await settle();
      expect(frame.heard.at(-1)).toEqual({ type: "host_closing", payload: {} });
      expect(events).toEqual(["ready"]);
      // The frame shows its question, and the patient stays: the next press asks again.
      frame.send({ type: "resize", payload: { height: 700 } });
      await settle();
      close(dialog());
      await settle();
      expect(events).toEqual(["ready"]);
      // A frame that does not answer cannot keep the patient.
      close(dialog());
      await settle();
      expect(container.childElementCount).toBe(0);
      expect(events).toEqual(["ready", "close"]);
    },
  );

  it("is removed when the patient closes it from inside", async () => {
    const { events, container, loadFrame } = mount({ mode: "dialog" });
    const frame = await loadFrame(READY);
    frame.send({ type: "close_requested", payload: {} });
    await settle();
    expect(container.childElementCount).toBe(0);
    expect(events).toEqual(["ready", "close"]);
  });

  it("is modal again when it returns to the document after the page removed it", () => {
    const { container, dialog } = mount({ mode: "dialog" });
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    container.remove();
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(false);
    document.body.append(container);
    expect(showModal).toHaveBeenCalledOnce();
    expect(dialog().open).toBe(true);
  });
});

describe("inline", () => {
  it("a frame that requests room is shown as a dialog and put back, and never leaves the document", async () => {
    const { loadFrame, dialog, iframe, events } = mount();
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    const frame = await loadFrame(READY);
    const removals = new MutationObserver(() => undefined);
    removals.observe(dialog(), { childList: true, subtree: true });
    frame.send({ type: "open_dialog", payload: {} });
    await settle();
    expect(showModal).toHaveBeenCalledOnce();
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(true);
    const cancel = new Event("cancel", { cancelable: true });
    dialog().dispatchEvent(cancel);
    expect(cancel.defaultPrevented).toBe(true);
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(true);
    frame.send({ type: "close_dialog", payload: {} });
    await settle();
    expect(dialog().open).toBe(true);
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(false);
    expect(removals.takeRecords()).toEqual([]);
    expect(iframe().isConnected).toBe(true);
    expect(events).toEqual(["ready"]);
  });

  it("is shown once however often the frame requests it, and put back once", async () => {
    const { loadFrame, dialog } = mount();
    const frame = await loadFrame(READY);
    const [shown, modal] = [dialog(), vi.spyOn(HTMLDialogElement.prototype, "showModal")];
    modal.mockImplementation(function (this: HTMLDialogElement) {
      if (this.open) throw new DOMException("Open already, and not modal.", "InvalidStateError");
      this.open = true;
    });
    const closed = vi.spyOn(shown, "close");
    for (const type of ["open_dialog", "open_dialog", "close_dialog", "close_dialog"] as const) {
      frame.send({ type, payload: {} });
      await settle();
    }
    expect([modal.mock.calls.length, closed.mock.calls.length, shown.open]).toEqual([1, 2, true]);
  });

  it("the frame has the focus as a dialog, and keeps it when it is put back", async () => {
    const { loadFrame, iframe } = mount();
    const frame = await loadFrame(READY);
    const focused = vi.spyOn(iframe(), "focus");
    frame.send({ type: "open_dialog", payload: {} });
    await settle();
    expect(focused).toHaveBeenCalledTimes(1);
    expect(document.activeElement).toBe(iframe());
    frame.send({ type: "close_dialog", payload: {} });
    await settle();
    expect(focused).toHaveBeenCalledTimes(2);
  });

  it("keeps the page locked behind another checkout's dialog when it is destroyed", () => {
    const inline = mount();
    const dialog = mount({ mode: "dialog" });
    inline.checkout.destroy();
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(true);
    dialog.checkout.destroy();
  });

  it("leaves the focus where it is when it becomes inline again", async () => {
    const { loadFrame } = mount();
    const frame = await loadFrame(READY);
    frame.send({ type: "open_dialog", payload: {} });
    await settle();
    const field = document.createElement("input");
    document.body.append(field);
    field.focus();
    frame.send({ type: "close_dialog", payload: {} });
    await settle();
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it("becomes inline again when the browser closes its dialog despite preventDefault", async () => {
    const { loadFrame, dialog, events } = mount();
    const frame = await loadFrame(READY);
    frame.send({ type: "open_dialog", payload: {} });
    await settle();
    dialog().close();
    await settle();
    expect(dialog().open).toBe(true);
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(false);
    expect(events).toEqual(["ready"]);
  });

  it("becomes inline again when the frame reloads in its dialog", async () => {
    const { loadFrame } = mount();
    const frame = await loadFrame(READY);
    frame.send({ type: "open_dialog", payload: {} });
    await settle();
    await loadFrame(READY);
    expect(document.documentElement.classList.contains("aapd-locked")).toBe(false);
  });

  it("stays mounted after the patient's request to close, which only calls onClose", async () => {
    const { loadFrame, events, container } = mount();
    const frame = await loadFrame(READY);
    frame.send({ type: "close_requested", payload: {} });
    await settle();
    expect(events).toEqual(["ready", "close"]);
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
  });
});

it("types accept a partner's valid options and reject others", () => {
  expectTypeOf(mountCheckout).parameters.toEqualTypeOf<[HTMLElement, CheckoutOptions]>();
  expectTypeOf(mountCheckout).returns.toEqualTypeOf<Checkout>();
  expectTypeOf<Checkout["completed"]>().resolves.toEqualTypeOf<Completion>();
  expectTypeOf<CheckoutOptions["mode"]>().toEqualTypeOf<"inline" | "dialog" | undefined>();
  const onError = (error: CheckoutError): void => {
    if (error.type === "load_error") expectTypeOf(error.reason).toEqualTypeOf<LoadErrorReason>();
    else expectTypeOf(error.audience).toEqualTypeOf<"patient" | "integrator" | (string & {})>();
  };
  expectTypeOf(onError).toExtend<NonNullable<CheckoutOptions["onError"]>>();
  // @ts-expect-error a checkout needs its url
  const noUrl: CheckoutOptions = { mode: "inline" };
  // @ts-expect-error a colour is a string
  const badAppearance: CheckoutOptions = { url: CHECKOUT_URL, appearance: { accent: 3 } };
  // @ts-expect-error nothing else is a mode
  const badMode: CheckoutOptions = { url: CHECKOUT_URL, mode: "popup" };
  expect([noUrl, badAppearance, badMode]).toHaveLength(3);
});
