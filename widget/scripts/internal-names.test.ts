import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { INTERNAL_NAMES } from "./internal-names.ts";

it("no name that the kit's build shortens belongs to the platform", () => {
  const platform = new Set(
    Object.getOwnPropertyNames(globalThis).flatMap((name) => {
      const value: unknown = Reflect.get(globalThis, name);
      if (typeof value !== "function") return [name];
      const statics = Object.getOwnPropertyNames(value);
      return [name, ...statics, ...Object.getOwnPropertyNames(value.prototype ?? {})];
    }),
  );
  expect(platform).toContain("appendChild");
  expect(platform).toContain("resolve");
  expect(INTERNAL_NAMES.filter((name) => platform.has(name))).toEqual([]);
});

it("no name that the kit's build shortens is used on the wire, as an option, or in another file of the kit", () => {
  const read = (file: string) =>
    readFileSync(join(import.meta.dirname, "../embed", file), "utf8").replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, "");
  const options = /export type CheckoutOptions = \{.*?\n\};/s.exec(read("mount-checkout.ts"))?.[0] ?? "";
  const others = ["protocol.ts", "preload-checkout.ts", "lifecycle-element.ts", "checkout-element.ts"].map(read);
  expect(options).toContain("onComplete");
  const known = INTERNAL_NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(options + others.join("")));
  expect(known).toEqual([]);
});
