import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import type { CheckoutElement, CheckoutElementEvents } from "./checkout-element.ts";
import "./index.ts";
import type { Completion, Step } from "./protocol.ts";
import { CHECKOUT_URL, PAID, READY, setStage } from "./test/stage.ts";
import { settle } from "./test/two-windows.ts";

afterEach(() => {
  document.body.replaceChildren();
});

const stageElement = (attributes: Record<string, string> = { url: CHECKOUT_URL }) => {
  const element = document.createElement("aapd-checkout");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return { element, ...setStage(element) };
};

const eventNames = ["aapd-ready", "aapd-step", "aapd-complete", "aapd-error", "aapd-close"] as const;

describe("<aapd-checkout>", () => {
  it("mounts the checkout of its attributes and dispatches events that bubble", async () => {
    const { element, iframe, loadFrame } = stageElement({ url: CHECKOUT_URL, locale: "en" });
    const events: unknown[] = [];
    for (const name of eventNames) {
      document.body.addEventListener(name, (event) => events.push([event.type, (event as CustomEvent).detail]));
    }
    expect(iframe()).toMatchObject({ src: CHECKOUT_URL, title: "Secure payment" });
    const frame = await loadFrame(READY);
    const step: Step = { name: "card", index: 4, count: 6 };
    frame.send({ type: "step", payload: step });
    frame.send(PAID);
    frame.send({ type: "close_requested", payload: {} });
    await settle();
    expect(events).toEqual([
      ["aapd-ready", null],
      ["aapd-step", step],
      ["aapd-complete", PAID.payload],
      ["aapd-close", null],
    ]);
    await expect(element.checkout?.completed).resolves.toEqual(PAID.payload);
  });

  it("sends no locale without a locale attribute, so that the token's language applies", async () => {
    const { loadFrame } = stageElement();
    const frame = await loadFrame(READY);
    expect(frame.heard.find(({ type }) => type === "hello")).toMatchObject({ payload: { mode: "inline" } });
    expect(JSON.stringify(frame.heard)).not.toContain("locale");
  });

  it("mounts once it has a url, and loads a new one", () => {
    const { element, container, iframe } = stageElement({});
    expect(container.querySelector("iframe")).toBeNull();
    element.setAttribute("url", CHECKOUT_URL);
    expect(iframe().src).toBe(CHECKOUT_URL);
    element.setAttribute("url", `${CHECKOUT_URL}2`);
    expect(iframe().src).toBe(`${CHECKOUT_URL}2`);
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
  });

  it("ignores an unsupported locale", () => {
    const { iframe } = stageElement({ url: CHECKOUT_URL, locale: "fr" });
    expect(iframe().title).toBe("Pago seguro");
  });

  it("mounts when it enters a document, with the properties set before", async () => {
    const element = document.createElement("aapd-checkout");
    element.setAttribute("url", CHECKOUT_URL);
    expect(element.checkout).toBeUndefined();
    // Frameworks set a property if the element has one, and an attribute otherwise.
    expect(["appearance" in element, "requestToken" in element]).toEqual([true, true]);
    element.appearance = { radius: "large" };
    const { loadFrame } = setStage(element);
    const frame = await loadFrame(READY);
    expect(frame.heard[0]).toMatchObject({ payload: { appearance: { radius: "large" } } });
  });

  it("is defined once on a page that loads two kit scripts", async () => {
    vi.resetModules();
    await expect(import("./index.ts")).resolves.toHaveProperty("mountCheckout");
  });

  it("dispatches its events out of a shadow root", async () => {
    const host = document.createElement("div");
    document.body.append(host);
    const element = document.createElement("aapd-checkout");
    element.setAttribute("url", CHECKOUT_URL);
    host.attachShadow({ mode: "open" }).append(element);
    const events = vi.fn();
    host.addEventListener("aapd-ready", events);
    await setStage(element).loadFrame(READY);
    expect(events).toHaveBeenCalledOnce();
    element.checkout?.destroy();
  });

  it("becomes a dialog with mode=dialog", () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    const { element } = stageElement();
    element.setAttribute("mode", "dialog");
    expect(showModal).toHaveBeenCalledOnce();
    element.checkout?.destroy();
  });

  it("requests a fresh link with the property that was set", async () => {
    const { element, loadFrame } = stageElement();
    const frame = await loadFrame(READY);
    element.requestToken = async () => CHECKOUT_URL.replace("token-1", "token-2");
    frame.send({ type: "request_token", payload: {} });
    await settle();
    expect(frame.heard.at(-1)).toEqual({ type: "token", payload: { widget_token: "token-2" } });
  });

  it("stays one checkout and connects again when moved within the document", async () => {
    const { element, loadFrame } = stageElement();
    await loadFrame(READY);
    const { checkout } = element;
    const elsewhere = document.createElement("main");
    document.body.append(elsewhere);
    elsewhere.append(element);
    expect(element.checkout).toBe(checkout);
    await loadFrame(READY, PAID);
    await expect(checkout?.completed).resolves.toEqual(PAID.payload);
  });

  it("leaves nothing behind when removed from the document", () => {
    const { element } = stageElement();
    element.remove();
    expect(document.adoptedStyleSheets).toEqual([]);
  });

  it("types: the element, its properties and its events are known by name", () => {
    expectTypeOf(document.createElement("aapd-checkout")).toEqualTypeOf<CheckoutElement>();
    expectTypeOf<HTMLElementEventMap["aapd-complete"]>().toEqualTypeOf<CustomEvent<Completion>>();
    expectTypeOf<CheckoutElementEvents["aapd-step"]["detail"]>().toEqualTypeOf<Step>();
    const element = document.createElement("aapd-checkout");
    // @ts-expect-error a radius has a name
    element.appearance = { radius: 7 };
    expect(eventNames satisfies readonly (keyof CheckoutElementEvents)[]).toHaveLength(5);
  });
});
