import { join } from "node:path";
import { cleanup, render } from "@testing-library/react";
import { type ComponentType, StrictMode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { AapdCheckoutProps } from "./react.tsx";
import { CHECKOUT_URL, PAID, READY, setStage } from "./test/stage.ts";
import { settle } from "./test/two-windows.ts";

/*
 * The component that the guide prints for partners to copy, as it is printed: the tests' configuration answers for the
 * address of its kit with the kit's source.
 */
const printed = join(import.meta.dirname, "../../bff/docs/site/aapd-checkout.jsx");
const { AapdCheckout }: { AapdCheckout: ComponentType<AapdCheckoutProps> } = await import(printed);

afterEach(cleanup);

const page = (props: Partial<AapdCheckoutProps> = {}) => (
  <StrictMode>
    <AapdCheckout url={CHECKOUT_URL} className="pago" {...props} />
  </StrictMode>
);

it("mounts one checkout, also in StrictMode, which mounts twice, and tells the latest callbacks", async () => {
  const onComplete = vi.fn();
  const { container, rerender } = render(page());
  await vi.waitFor(() => expect(container.querySelectorAll(".pago iframe")).toHaveLength(1), { timeout: 10_000 });
  rerender(page({ onComplete, locale: "en" }));
  const frame = await setStage(container).loadFrame(READY);
  frame.send(PAID);
  await settle();
  expect(onComplete).toHaveBeenCalledExactlyOnceWith(PAID.payload);
});

it("leaves nothing behind, also where it is gone before the kit has come", async () => {
  const early = render(page());
  early.unmount();
  const late = render(page());
  await vi.waitFor(() => expect(late.container.querySelectorAll("iframe")).toHaveLength(1), { timeout: 10_000 });
  expect(early.container.querySelector("iframe")).toBeNull();
  late.unmount();
  expect(document.querySelector("iframe")).toBeNull();
});
