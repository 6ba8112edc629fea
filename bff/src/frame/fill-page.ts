import { localeOf, PAGE_MARKERS, PAGE_STATE_ELEMENT_ID, type PageState } from "../contract/widget-page.ts";

/**
 * Fills the built HTML with the markup and style rendered for this state, and with the state as JSON that is never
 * executed.
 */
export function fillPage(
  template: string,
  parts: { readonly html: string; readonly style?: string; readonly state: PageState },
): string {
  const filling: Record<string, string> = {
    [HEAD_END]: parts.style ? `<style>${parts.style}</style>${HEAD_END}` : HEAD_END,
    [PAGE_MARKERS.lang]: localeOf(parts.state),
    [PAGE_MARKERS.html]: parts.html,
    [PAGE_MARKERS.state]: `<script type="application/json" id="${PAGE_STATE_ELEMENT_ID}">${jsonForHtml(parts.state)}</script>`,
  };
  // The template is replaced in one pass, so that markers inside a filled-in value are not replaced.
  return template.replace(MARKERS, (marker) => filling[marker] ?? marker);
}

const HEAD_END = "</head>";
const MARKERS = new RegExp(
  [HEAD_END, ...Object.values(PAGE_MARKERS)].map((marker) => marker.replace(/[^\w-]/g, "\\$&")).join("|"),
  "g",
);

/** JSON that can neither close its element nor open a comment, because every `<` is escaped. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
