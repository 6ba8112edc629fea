import { DEFERRED_PERCENTAGE, FIRST_PERCENTAGE } from "../contract/terms.ts";
import type { Page } from "./pages/layout.ts";
import { markdownPath } from "./pages/markdown-path.ts";

/** The table of contents for machines (llmstxt.org). */
export function llmsText(pages: readonly Page[], orderApiUrl: string): string {
  const isOperation = ({ contents }: Page) => contents === "Operation";
  const english = pages.filter(({ language }) => language === "en");
  const list = (some: readonly Page[]) =>
    some.map(({ path, title, lead }) => `- [${title}](${orderApiUrl}${markdownPath(path)}): ${lead}`).join("\n");
  return `# AAPD for partners

> A checkout that clinics in Chile put on their pages: the patient pays ${FIRST_PERCENTAGE} % of a medical bill by card today, a lender covers ${DEFERRED_PERCENTAGE} %, and the service files the claim with the patient's insurer and collects the rest later. Partners create orders, embed the checkout, receive signed webhooks and submit receipts.

Every page below is Markdown; without \`.md\` it is the same page for people. The OpenAPI 3.1 document is at ${orderApiUrl}/openapi.json. To integrate it step by step, begin at ${orderApiUrl}/SKILL.md. The guide in Spanish begins at ${orderApiUrl}/docs/es.md; its pages have the same names below /docs/es/.

## Guide

${list(english.filter((page) => !isOperation(page)))}

## Endpoints

${list(english.filter(isOperation))}
`;
}
