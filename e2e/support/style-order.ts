import { readFileSync } from "node:fs";

const LIST = new URL("../../widget/dist/style-modules.json", import.meta.url);

/** The style module of each class on the page, as the widget's build lists them. */
export function styleModules(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(LIST, "utf8"));
}

/**
 * Runs in the page. Returns the computed values that depend on the load order of the style modules, because two modules
 * set a property of an element with the same specificity. Includes rules for other media.
 */
export function stylesByOrder(moduleOf: Readonly<Record<string, string>>): readonly string[] {
  const sheets = [...document.querySelectorAll("style")].flatMap(({ sheet }) => sheet ?? []);
  const rules = sheets.flatMap(({ cssRules }) => [...cssRules]).flatMap(singleRules);
  const names = [...new Set(rules.map(moduleName))];
  const modules = names.map((name) => rules.filter((rule) => moduleName(rule) === name));
  const properties = [...new Set(rules.flatMap((rule) => rule.match(/(?<=[{;] ?)[a-z-]+(?=:)/g) ?? []))];
  const before = computedWith(modules.flat());
  const after = computedWith(modules.reverse().flat());
  return before.flatMap((value, index) => (value === after[index] ? [] : [`${value} or ${after[index]}`]));

  /** A build merges the rules of several modules into one selector list or one media query. */
  function singleRules(rule: CSSRule): readonly string[] {
    if (rule instanceof CSSStyleRule) {
      const selectors = rule.selectorText.split(/,\s*(?![^()]*\))/);
      return selectors.map((selector) => `${selector} {${rule.style.cssText}}`);
    }
    if (!(rule instanceof CSSGroupingRule)) return [rule.cssText];
    const inner = [...rule.cssRules].flatMap(singleRules);
    if (rule instanceof CSSMediaRule && !rule.conditionText.includes("prefers")) return inner;
    const condition = rule.cssText.slice(0, rule.cssText.indexOf("{"));
    return inner.map((text) => `${condition} {${text}}`);
  }

  function moduleName(rule: string): string {
    const classes = rule.match(/(?<=\.)[a-z]\w*/g) ?? [];
    return classes.map((name) => moduleOf[name]).find((name) => name !== undefined) ?? "tokens";
  }

  function computedWith(ordered: readonly string[]): readonly string[] {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(ordered.join("\n"));
    const adopted = [...document.adoptedStyleSheets];
    document.adoptedStyleSheets = [sheet, ...adopted];
    for (const own of sheets) own.disabled = true;
    const computed = [...document.body.querySelectorAll("*")].flatMap((element) =>
      ["", "::before", "::after"].flatMap((part) => {
        const style = getComputedStyle(element, part);
        const name = `<${element.localName} class="${element.getAttribute("class") ?? ""}">${part}`;
        return properties.map((property) => `${name} ${property}: ${style.getPropertyValue(property)}`);
      }),
    );
    for (const own of sheets) own.disabled = false;
    document.adoptedStyleSheets = adopted;
    return computed;
  }
}
