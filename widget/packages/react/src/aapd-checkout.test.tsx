import type { CheckoutOptions } from "@aapd/embed";
import { render } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { CHECKOUT_URL, PAID, READY, setStage } from "../../../embed/test/stage.ts";
import { settle } from "../../../embed/test/two-windows.ts";
import { holdKitScript } from "../../embed/src/test-page.ts";
import { AapdCheckout, type AapdCheckoutProps } from "./index.tsx";

let kit: ReturnType<typeof holdKitScript>;
beforeEach(() => {
  kit = holdKitScript();
});
afterEach(() => {
  delete window.Aapd;
});

const show = async (props: Partial<AapdCheckoutProps> = {}) => {
  const element = (changes: Partial<AapdCheckoutProps> = {}) => (
    <StrictMode>
      <AapdCheckout url={CHECKOUT_URL} className="pago" {...props} {...changes} />
    </StrictMode>
  );
  const { container, rerender, unmount } = render(element());
  await kit.letLoad();
  return {
    ...setStage(container),
    unmount,
    change: (changes: Partial<AapdCheckoutProps>) => rerender(element(changes)),
  };
};

function errorsInConsole() {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
  return lines;
}

describe("<AapdCheckout> in StrictMode", () => {
  it("shows one checkout that works", async () => {
    const onReady = vi.fn();
    const onComplete = vi.fn();
    const { container, loadFrame } = await show({ onReady, onComplete });
    expect(container.querySelectorAll(".pago iframe")).toHaveLength(1);
    const frame = await loadFrame(READY);
    frame.send(PAID);
    await settle();
    expect(onReady).toHaveBeenCalledOnce();
    expect(onComplete).toHaveBeenCalledExactlyOnceWith(PAID.payload);
  });

  it("calls the latest callbacks, and does not reload at a new render", async () => {
    const first = vi.fn();
    const latest = vi.fn();
    const { change, iframe, loadFrame } = await show({ onComplete: first });
    const frame = await loadFrame(READY);
    const loads = vi.spyOn(iframe(), "src", "set");
    change({ onComplete: latest, appearance: {} });
    frame.send(PAID);
    await settle();
    expect(loads).not.toHaveBeenCalled();
    expect(first).not.toHaveBeenCalled();
    expect(latest).toHaveBeenCalledOnce();
  });

  it("loads a new url, and sends a new language to the frame", async () => {
    const { change, iframe, loadFrame } = await show();
    const frame = await loadFrame(READY);
    change({ locale: "en" });
    await settle();
    expect(frame.heard.at(-1)).toEqual({ type: "locale", payload: { locale: "en" } });
    change({ url: `${CHECKOUT_URL}2` });
    expect(iframe().src).toBe(`${CHECKOUT_URL}2`);
  });

  it("replaces the checkout when the mode changes", async () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    const { change, container, unmount } = await show();
    change({ mode: "dialog" });
    await vi.waitFor(() => expect(showModal).toHaveBeenCalled());
    expect(container.querySelectorAll("iframe")).toHaveLength(1);
    unmount();
  });

  it("leaves nothing behind when it unmounts, before or after the kit has loaded", async () => {
    const early = render(<AapdCheckout url="https://held.example/?widget_token=t" />);
    early.unmount();
    const late = await show();
    late.unmount();
    expect(document.querySelector("iframe")).toBeNull();
    expect(document.adoptedStyleSheets).toEqual([]);
  });
});

describe("<AapdCheckout> whose kit does not load", () => {
  it("passes the reason to onError and says why in the console, once", async () => {
    const lines = errorsInConsole();
    const onError = vi.fn();
    render(
      <StrictMode>
        <AapdCheckout url="https://forbidden.example/?widget_token=t" onError={onError} />
      </StrictMode>,
    );
    const src = kit.sources()[0];
    const violation = new Event("securitypolicyviolation");
    const forbidden = { blockedURI: src, disposition: "enforce", effectiveDirective: "script-src-elem" };
    document.dispatchEvent(Object.assign(violation, forbidden));
    await vi.waitFor(() => expect(onError).toHaveBeenCalledExactlyOnceWith({ type: "load_error", reason: "csp" }));
    expect(lines).toEqual([
      expect.stringMatching(/^\[aapd\] the page's content security policy forbids .*embedding#csp$/),
    ]);
  });

  it("names a missing url in the console", async () => {
    const lines = errorsInConsole();
    // @ts-expect-error a checkout needs its url
    render(<AapdCheckout />);
    await vi.waitFor(() => expect(lines).toEqual([expect.stringContaining("answered, not undefined")]));
  });
});

it("types: its props are the kit's options and a class", () => {
  expectTypeOf<AapdCheckoutProps>().toExtend<CheckoutOptions>();
});
