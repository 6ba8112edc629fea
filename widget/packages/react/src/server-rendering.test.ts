// @vitest-environment node
import { expect, it } from "vitest";

it("the packages can be imported where there is no DOM", async () => {
  expect(globalThis.HTMLElement).toBeUndefined();
  await expect(import("@aapd/embed")).resolves.toHaveProperty("mountCheckout");
  await expect(import("./index.tsx")).resolves.toHaveProperty("AapdCheckout");
});
