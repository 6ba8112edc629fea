import { cleanup, render } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, expect, expectTypeOf, it, vi } from "vitest";
import type { CheckoutOptions } from "./index.ts";
import { AapdCheckout, type AapdCheckoutProps } from "./react.tsx";
import { CHECKOUT_URL, PAID, READY, setStage } from "./test/stage.ts";
import { settle } from "./test/two-windows.ts";

afterEach(cleanup);

const show = (props: Partial<AapdCheckoutProps> = {}) => {
  const element = (changes: Partial<AapdCheckoutProps> = {}) => (
    <StrictMode>
      <AapdCheckout url={CHECKOUT_URL} className="pago" {...props} {...changes} />
    </StrictMode>
  );
  const { container, rerender, unmount } = render(element());
  return {
    ...setStage(container),
    unmount,
    change: (changes: Partial<AapdCheckoutProps>) => rerender(element(changes)),
  };
};

it("in StrictMode, which mounts twice, there is one checkout and it works", async () => {
  const onReady = vi.fn();
  const onComplete = vi.fn();
  const { container, loadFrame } = show({ onReady, onComplete });
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  expect(container.querySelector(".pago iframe")).not.toBeNull();
  const frame = await loadFrame(READY);
  frame.send(PAID);
  await settle();
  expect(onReady).toHaveBeenCalledOnce();
  expect(onComplete).toHaveBeenCalledExactlyOnceWith(PAID.payload);
});

it("callbacks are always the latest, and drawing again loads nothing", async () => {
  const first = vi.fn();
  const latest = vi.fn();
  const { change, iframe, loadFrame } = show({ onComplete: first });
  const frame = await loadFrame(READY);
  const loads = vi.spyOn(iframe(), "src", "set");
  change({ onComplete: latest, appearance: {} });
  frame.send(PAID);
  await settle();
  expect(loads).not.toHaveBeenCalled();
  expect(first).not.toHaveBeenCalled();
  expect(latest).toHaveBeenCalledOnce();
});

it("a new url loads anew, a new language is told to the frame", async () => {
  const { change, iframe, loadFrame } = show();
  const frame = await loadFrame(READY);
  change({ locale: "en" });
  await settle();
  expect(frame.heard.at(-1)).toEqual({ type: "locale", payload: { locale: "en" } });
  change({ url: `${CHECKOUT_URL}2` });
  expect(iframe().src).toBe(`${CHECKOUT_URL}2`);
});

it("another mode is another checkout in the same place", () => {
  const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  const { change, container, unmount } = show();
  change({ mode: "dialog" });
  expect(showModal).toHaveBeenCalled();
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  unmount();
});

it("unmounted it leaves nothing behind", () => {
  const { unmount, container } = show();
  unmount();
  expect(container.childElementCount).toBe(0);
  expect(document.adoptedStyleSheets).toEqual([]);
});

it("types: its props are the kit's options and a class", () => {
  expectTypeOf<AapdCheckoutProps>().toExtend<CheckoutOptions>();
  // @ts-expect-error a checkout needs its url
  expect(<AapdCheckout onReady={() => undefined} />).toBeDefined();
});
