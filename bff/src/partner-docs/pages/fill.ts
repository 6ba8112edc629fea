import { escapeMarkdown, type Part } from "./part.ts";

/** Text and numbers may be anywhere. Markdown and parts must be alone on a line. A flag controls `{{#if flag}}`. */
export type Value = string | number | boolean | { readonly markdown: string } | Part;
export type Values = Readonly<Record<string, Value>>;

/** Thrown for a guide page that cannot be filled or rendered. */
export class UnfitGuidePage extends Error {
  override readonly name = "UnfitGuidePage";
}

const CONDITION = /^\{\{#if ([\w.-]+)\}\}\n([\s\S]*?)^\{\{\/if\}\}\n/gm;
/** Fenced code, a span of code, a placeholder alone on its line, and one in a line. */
const PIECES = /(?<code>^```[^\n]*\n[\s\S]*?^```$|`[^`]*`)|^\{\{(?<alone>[^{}]*)\}\}$|\{\{(?<inLine>[^{}]*)\}\}/gm;

/** The page as Markdown, for machines. */
export function fillMarkdown(template: string, values: Values, locale = "en-GB"): string {
  const texts = withNumbersAsText(values, locale);
  return fill(template, texts, (name) => markdownOf(texts, name));
}

/** The page as Markdown in which parts are still placeholders, for `renderMarkdown`. */
export function fillAroundParts(template: string, values: Values, locale = "en-GB"): string {
  const texts = withNumbersAsText(values, locale);
  return fill(template, texts, (name) => (isPart(valueNamed(texts, name)) ? `{{${name}}}` : markdownOf(texts, name)));
}

function withNumbersAsText(values: Values, locale: string): Values {
  const write = (value: Value) => (typeof value === "number" ? value.toLocaleString(locale) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]));
}

export function isPart(value: Value): value is Part {
  return typeof value === "object" && "html" in value;
}

function fill(template: string, values: Values, writeAlone: (name: string) => string): string {
  const chosen = template.replaceAll(CONDITION, (_whole, name: string, inside: string) => {
    const flag = valueNamed(values, name);
    if (typeof flag !== "boolean") throw new UnfitGuidePage(`{{#if ${name}}} needs a flag.`);
    return flag ? inside : "";
  });
  return chosen.replaceAll(PIECES, (...match) => {
    const { code, alone, inLine } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    if (code !== undefined) return fillCode(code, values);
    return alone === undefined ? escaped(values, inLine ?? "") : writeAlone(alone);
  });
}

function markdownOf(values: Values, name: string): string {
  const value = valueNamed(values, name);
  return typeof value === "object" ? value.markdown : escaped(values, name);
}

function escaped(values: Values, name: string): string {
  return escapeMarkdown(textOf(values, name)).replaceAll("|", "\\|");
}

/** Nothing is escaped inside code, so a value must not contain the end of the code. */
function fillCode(code: string, values: Values): string {
  const isFenced = code.startsWith("```");
  return code.replaceAll(/\{\{([^{}]*)\}\}/g, (_braces, name: string) => {
    const text = textOf(values, name).trimEnd();
    if (isFenced ? /^```/m.test(text) : /[`|\n]/.test(text))
      throw new UnfitGuidePage(`{{${name}}} would end its code.`);
    return text;
  });
}

function textOf(values: Values, name: string): string {
  const value = valueNamed(values, name);
  if (typeof value !== "string") throw new UnfitGuidePage(`{{${name}}} is neither text nor a number.`);
  return value;
}

function valueNamed(values: Values, name: string): Value {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new UnfitGuidePage(`{{${name}}} is no placeholder.`);
  return value;
}
