import { type ReactNode, useId, useRef, useState } from "react";
import styles from "./tabs.module.css";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

const STEP_BY_KEY: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Tabs after the ARIA pattern, in which the arrow keys move between them. The content of a hidden tab stays mounted.
 */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  const [shownId, setShownId] = useState(tabs[0]?.id);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = STEP_BY_KEY[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const position = tabs.findIndex(({ id }) => id === shownId);
    const next = tabs[(position + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    setShownId(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };

  return (
    <div className={styles.tabs}>
      <div ref={list} className={styles.list} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-tab-${id}`}
            data-tab={id}
            aria-selected={id === shownId}
            aria-controls={`${prefix}-panel-${id}`}
            tabIndex={id === shownId ? 0 : -1}
            onClick={() => setShownId(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div
          key={id}
          className={styles.panel}
          role="tabpanel"
          id={`${prefix}-panel-${id}`}
          aria-labelledby={`${prefix}-tab-${id}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long content scrolls inside, and the keyboard must reach it.
          tabIndex={0}
          hidden={id !== shownId}
        >
          {content}
        </div>
      ))}
    </div>
  );
}
