import { tables } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";
import { DEFERRED_PERCENTAGE, FIRST_PERCENTAGE } from "../contract/terms.ts";
import { html, renderHtml } from "../platform/http/html.ts";
import type { Page } from "./pages/layout.ts";
import { markdownPath } from "./pages/markdown-path.ts";
import { prose } from "./prose.ts";

/* The pages as Markdown, for machines that read them: the same words, made of the same HTML. */

export function pageMarkdown({ title, heading, lead, body }: Page): string {
  const text = renderHtml(html`<h1>${heading ?? title}</h1><p>${prose(lead)}</p>${body}`);
  return `${converter.turndown(text)}\n`;
}

/** What the documentation has, for a machine that begins here (llmstxt.org). */
export function llmsText(pages: readonly Page[], orderApiUrl: string): string {
  const isOperation = ({ path }: Page) => path.startsWith("/docs/reference/");
  const list = (some: readonly Page[]) =>
    some.map(({ path, title, lead }) => `- [${title}](${orderApiUrl}${markdownPath(path)}): ${lead}`).join("\n");
  return `# AAPD for partners

> A checkout that clinics in Chile put on their pages: the patient pays ${FIRST_PERCENTAGE} % of a medical bill by card today, a lender covers ${DEFERRED_PERCENTAGE} %, and the service files the claim with the patient's insurer and collects the rest later. Partners create orders, embed the checkout, receive signed webhooks and submit receipts.

Every page below is Markdown; without \`.md\` it is the same page for people. The OpenAPI 3.1 document is at ${orderApiUrl}/openapi.json. To integrate it step by step, begin at ${orderApiUrl}/SKILL.md.

## Guide

${list(pages.filter((page) => !isOperation(page)))}

## Endpoints

${list(pages.filter(isOperation))}
`;
}

/** What a rule is given of an element; the library brings its own document. */
interface Element {
  readonly nodeName: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
}

const isAnchor = (element: Element) => element.nodeName === "A" && element.getAttribute("class") === "anchor";
const isPageLink = (element: Element) => element.nodeName === "A" && /^\/docs\b/.test(hrefOf(element));

const converter = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  .use(tables)
  // A heading's link to itself says nothing without its page.
  .addRule("anchor", { filter: isAnchor, replacement: (content) => content })
  .addRule("page", {
    filter: isPageLink,
    replacement: (content, element: Element) => `[${content}](${markdownLink(hrefOf(element))})`,
  })
  .addRule("code", {
    filter: (element: Element) => element.nodeName === "PRE",
    replacement: (_content, element: Element) => fenced(element),
  })
  .addRule("term", { filter: ["dt"], replacement: (content) => `\n- ${content.trim()}:` })
  .addRule("description", { filter: ["dd"], replacement: (content) => ` ${content.trim()}` });

function hrefOf(element: Element): string {
  return element.getAttribute("href") ?? "";
}

function markdownLink(href: string): string {
  const [path = "", anchor] = href.split("#");
  return `${markdownPath(path)}${anchor === undefined ? "" : `#${anchor}`}`;
}

function fenced(element: Element): string {
  const language = element.getAttribute("data-language") ?? "";
  return `\n\n\`\`\`${language === "text" ? "" : language}\n${element.textContent?.trimEnd() ?? ""}\n\`\`\`\n\n`;
}
