import { expect, it } from "vitest";
import { PAGE_MARKERS, PAGE_STATE_ELEMENT_ID, type PageState } from "../contract/widget-page.ts";
import { fillPage, jsonForHtml } from "./page.ts";

const template = `<html lang="${PAGE_MARKERS.lang}"><div>${PAGE_MARKERS.html}</div>${PAGE_MARKERS.state}</html>`;

function problem(providerName: string): PageState {
  return {
    problem: {
      code: "widget_token_expired",
      locale: "es-CL",
      provider_name: providerName,
      support: null,
      parent_origins: [],
      return_url: null,
      native: false,
      purpose: null,
      order: null,
      client_id: null,
    },
    framed: true,
    unseen: false,
  };
}

it("fillPage replaces the markers for language, markup and state", () => {
  const page = fillPage(template, { html: "<p>$& $1 Hola</p>", state: problem("Clínica") });
  expect(page).toContain('<html lang="es-CL"><div><p>$& $1 Hola</p></div>');
  expect(page).toContain(`<script type="application/json" id="${PAGE_STATE_ELEMENT_ID}">`);
});

it("a name cannot end the state's element, open a comment or imitate a marker", () => {
  const name = `</script><script>alert(1)</script><!--${PAGE_MARKERS.html}`;
  const page = fillPage(template, { html: "", state: problem(name) });
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain("<!--");
  const json = />(\{.*\})<\/script>/s.exec(page)?.[1] ?? "";
  expect(JSON.parse(json)).toEqual(problem(name));
});

it("fillPage adds the provider's colour once at the end of the head, if there is one", () => {
  const page = `<html lang="aapd-lang"><head><title>x</title></head><body>${PAGE_MARKERS.html}${PAGE_MARKERS.state}</body></html>`;
  const style = ".aapd-frame{--partner-accent:#6a1b9a}";
  const filled = fillPage(page, { html: "<p>a name with </head> in it</p>", style, state: problem("Clínica") });
  expect(filled).toContain(`<title>x</title><style>${style}</style></head><body>`);
  expect(filled.match(/<style>/g)).toHaveLength(1);
  expect(fillPage(page, { html: "", state: problem("Clínica") })).not.toContain("<style>");
});

it("fillPage escapes the line separators that would end a line of script", () => {
  expect(jsonForHtml("a\u2028b\u2029c")).toBe('"a\\u2028b\\u2029c"');
});
