import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tokensCss, tokensJson } from "./tokens.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../src/design", path), "utf8");

it("the committed tokens.css is what `pnpm --filter widget tokens` writes", () => {
  expect(read("tokens.css")).toBe(tokensCss());
});

interface DesignToken {
  readonly $type: string;
  readonly $value: unknown;
  readonly $extensions?: Readonly<Record<string, string>>;
}

function tokensIn(group: object, path: readonly string[] = []): readonly (readonly [string, DesignToken])[] {
  return Object.entries(group).flatMap(([name, value]) => {
    if (name.startsWith("$")) return [];
    const here = [...path, name];
    return "$value" in value ? [[here.join("."), value] as const] : tokensIn(value, here);
  });
}

describe("tokens.json", () => {
  const tokens = tokensIn(tokensJson());

  it("has exactly the custom properties of the style sheet", () => {
    const inCss = new Set([...tokensCss().matchAll(/^ *--([\w-]+):/gm)].map(([, name]) => name));
    expect(new Set(tokens.map(([path]) => path.split(".").at(-1)))).toEqual(inCss);
  });

  it("has colours and sizes that the Design Tokens Format Module 2025.10 defines", () => {
    const values = { color: 0, dimension: 0, fontFamily: 0, shadow: 0 };
    for (const [path, { $type, $value }] of tokens) {
      if ($type === "color") {
        const { hex, components } = $value as { readonly hex: string; readonly components: readonly number[] };
        expect(hex, path).toMatch(/^#[0-9a-f]{6}$/);
        expect(
          components.map((part) => Math.round(part * 255)),
          path,
        ).toEqual([1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
      }
      if ($type === "dimension")
        expect($value, path).toEqual({ value: expect.any(Number), unit: expect.stringMatching(/^(px|rem)$/) });
      values[$type as keyof typeof values] += 1;
    }
    expect(Object.values(values).every((count) => count > 1)).toBe(true);
  });

  it("gives the CSS of a value that the browser computes", () => {
    const accent = tokens.find(([path]) => path === "color_scheme.light.accent")?.[1];
    expect(accent?.$extensions).toEqual({ "aapd.css": "var(--partner-accent, #0b6b61)" });
  });
});
