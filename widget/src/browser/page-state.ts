import { PAGE_STATE_ELEMENT_ID, type PageState } from "bff/contract/widget-page";

/** The page state that the widget host wrote; null without one (Vite alone, or a page without a server). */
export function readPageState(page: Document): PageState | null {
  const text = page.getElementById(PAGE_STATE_ELEMENT_ID)?.textContent ?? "";
  if (text === "") return null;
  const value: unknown = JSON.parse(text);
  return isPageState(value) ? value : null;
}

/** Our own server wrote it into our own page, using the contract's types, so only its kind is checked here. */
function isPageState(value: unknown): value is PageState {
  return (
    typeof value === "object" && value !== null && ("session" in value || "problem" in value || "returned" in value)
  );
}

/** The token in the page's URL; empty if there is none. */
export function tokenIn(search: string): string {
  return new URLSearchParams(search).get("widget_token") ?? "";
}
