import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { useWords } from "../words/words-context.tsx";
import styles from "./frame.module.css";

/** Called with the heading of a screen that has appeared. */
export type ScreenArrival = (heading: HTMLElement) => void;

const ScreenArrivalContext = createContext<ScreenArrival>(() => undefined);

export const ScreenArrivalProvider = ScreenArrivalContext.Provider;

/** The title names the landmark around the screen, and the progress describes the title. */
export const TITLE_ID = "aapd-title";
export const PROGRESS_ID = "aapd-progress";

/**
 * The heading of a screen. When it appears, it becomes the page's title and takes the focus, so that a screen reader
 * starts there. The first screen leaves the focus where it is.
 */
export function ScreenTitle({ title, intro }: { readonly title: string; readonly intro?: ReactNode }) {
  const words = useWords();
  const arrive = useContext(ScreenArrivalContext);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    document.title = words.page.title(title);
  }, [words, title]);
  useEffect(() => {
    if (heading.current !== null) arrive(heading.current);
  }, [arrive]);

  return (
    <div>
      <h1 ref={heading} id={TITLE_ID} className={styles.title} tabIndex={-1} aria-describedby={PROGRESS_ID}>
        {title}
      </h1>
      {intro === undefined ? null : <p className={styles.intro}>{intro}</p>}
    </div>
  );
}
