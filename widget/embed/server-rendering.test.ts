// @vitest-environment node
import { expect, it } from "vitest";

it("the kit can be imported where there is no DOM", async () => {
  expect(globalThis.HTMLElement).toBeUndefined();
  await expect(import("./index.ts")).resolves.toHaveProperty("mountCheckout");
});
