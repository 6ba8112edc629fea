import { TOKENS, type Tokens } from "../src/design/tokens.ts";

const EXTENSION = "aapd.css";

/**
 * The custom properties of the frame's root element: the first value of each field, then the overrides of the others.
 */
export function tokensCss(): string {
  const { color_scheme: schemes, ...fields } = TOKENS;
  const firsts = Object.values(fields).map(
    (values: Readonly<Record<string, Tokens>>) => Object.values(values)[0] ?? {},
  );
  const first: Tokens = Object.fromEntries([schemes.light, ...firsts].flatMap((tokens) => Object.entries(tokens)));
  const dark = rule('.aapd-frame:not([data-scheme="light"])', schemes.dark).replaceAll(/^(?=.)/gm, "  ");
  const others = Object.entries(fields).flatMap(([field, values]) =>
    Object.entries<Tokens>(values)
      .slice(1)
      .map(([value, tokens]) => rule(`.aapd-frame[data-${field}="${value}"]`, tokens)),
  );
  return [
    "/* Generated from tokens.ts by `pnpm --filter widget tokens`. Partners set --partner-accent on the frame. */",
    rule(".aapd-frame", first),
    `@media (prefers-color-scheme: dark) {\n${dark}\n}`,
    rule('.aapd-frame[data-scheme="dark"]', schemes.dark),
    ...others,
    "",
  ].join("\n");
}

function rule(selector: string, tokens: Tokens): string {
  const lines = Object.entries(tokens).map(([name, { css }]) => `  --${name}: ${css};`);
  return `${selector} {\n${lines.join("\n")}\n}`;
}

/** Design Tokens Format Module 2025.10. Values that CSS computes in the browser are extensions of their tokens. */
export function tokensJson(): Readonly<Record<string, unknown>> {
  const description = "Look of the checkout: a group for each field of `appearance`, and in it one for each value.";
  return { $description: description, ...mapValues(TOKENS, (values) => mapValues<Tokens>(values, designTokens)) };
}

function designTokens(tokens: Tokens): Readonly<Record<string, unknown>> {
  return mapValues(tokens, ({ type, value, css }) => {
    const token = { $type: type, $value: value };
    return /\b(var|min|color-mix)\(/.test(css) ? { ...token, $extensions: { [EXTENSION]: css } } : token;
  });
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
