import { useRef } from "react";
import { openPage, pageTarget } from "./open-page.ts";

/** A page that the service has opened. */
interface Opened {
  readonly url: string;
  readonly display?: unknown;
}

/**
 * The tab of a page that cannot be framed. The press that asks for the page opens it, because a browser blocks a tab
 * that opens later; the page's address fills it.
 */
export function usePageTab(display: unknown) {
  const tab = useRef<Window | null>(null);
  return {
    /** Call it synchronously in the press. `text` stands in the tab until the page is there. */
    open: (text: string): void => {
      if (!display || pageTarget(window) === "_top") return;
      tab.current = openPage(window, "");
      tab.current?.document.body.append(text);
    },
    /** Leads the tab to the page, or closes it without one. Returns whether the patient now sees the page there. */
    fill: (page?: Opened): boolean => {
      const opened = tab.current;
      tab.current = null;
      if (page?.display && opened && !opened.closed) {
        opened.location.replace(page.url);
        return true;
      }
      opened?.close();
      return false;
    },
  };
}
