import type { Locale, WidgetSession } from "bff/contract/widget-tokens";
import type { ReactNode, Ref } from "react";
import { useLocaleSwitch, useWords } from "../words/words-context.tsx";
import styles from "./frame.module.css";
import { Icon } from "./icon.tsx";
import { PROGRESS_ID, TITLE_ID } from "./screen-title.tsx";
import { tradeName } from "./trade-name.ts";

export type Support = WidgetSession["provider"]["support"];

export interface FrameLook {
  readonly accent?: string | undefined;
  readonly radius?: "none" | "small" | "medium" | "large" | undefined;
  readonly font?: "system" | "humanist" | "geometric" | "serif" | undefined;
  readonly color_scheme?: "light" | "dark" | "auto" | undefined;
  readonly density?: "comfortable" | "compact" | undefined;
  readonly labels?: "above" | "inside" | undefined;
}

export interface FrameProps {
  readonly children: ReactNode;
  readonly providerName: string | null;
  readonly logoUrl: string | null;
  readonly support: Support | null;
  readonly look: FrameLook;
  readonly standalone: boolean;
  readonly progress: { readonly index: number; readonly count: number } | null;
  readonly onInput?: () => void;
  readonly ref?: Ref<HTMLDivElement>;
}

/**
 * The parts around every screen: the clinic, help, progress and the language. The landmark is named after the screen,
 * or after the page while no screen has a title.
 */
export function Frame(props: FrameProps) {
  const words = useWords();
  return (
    <div
      ref={props.ref}
      className={`aapd-frame ${styles.frame}`}
      data-scheme={props.look.color_scheme ?? "auto"}
      data-radius={props.look.radius ?? "medium"}
      data-font={props.look.font ?? "system"}
      data-density={props.look.density ?? "comfortable"}
      data-labels={props.look.labels ?? "above"}
      data-standalone={props.standalone}
      onInput={props.onInput}
    >
      <main className={styles.sheet} aria-labelledby={TITLE_ID} aria-label={words.page.secure}>
        <Header {...props} />
        {props.progress === null ? null : <Progress {...props.progress} />}
        <div className={styles.content}>{props.children}</div>
        <Footer />
      </main>
    </div>
  );
}

function Header({ providerName, logoUrl, support }: Pick<FrameProps, "providerName" | "logoUrl" | "support">) {
  const name = providerName === null ? null : tradeName(providerName);
  return (
    <div className={styles.header}>
      <div className={styles.provider}>
        {name === null ? null : logoUrl === null ? (
          <>
            <span className={styles.monogram} aria-hidden="true">
              {initialOf(name)}
            </span>
            <span>{name}</span>
          </>
        ) : (
          <img className={styles.logo} src={logoUrl} alt={name} />
        )}
      </div>
      {support === null ? null : <Help support={support} name={name} />}
    </div>
  );
}

/** The initial of the distinctive part of a clinic's name: L for "Clínica Los Aromos", not C. */
function initialOf(name: string): string {
  const [first = "", second] = name.split(/\s+/);
  return (/^(cl[ií]nica|centro|fundaci[oó]n|hospital|red)$/i.test(first) && second ? second : first)
    .slice(0, 1)
    .toUpperCase();
}

function Progress({ index, count }: { readonly index: number; readonly count: number }) {
  const words = useWords();
  const segments = Array.from({ length: count }, (_, position) => position + 1);
  return (
    <div className={styles.progress}>
      <div className={styles.segments} aria-hidden="true">
        {segments.map((position) => (
          <span key={position} className={styles.segment} data-reached={position <= index} />
        ))}
      </div>
      <p className={styles.where} id={PROGRESS_ID}>
        {words.page.progress(index, count)}
      </p>
    </div>
  );
}

/** Opens over the screen, and closes with Escape or when the focus returns to the screen. */
function Help({ support, name }: { readonly support: Support; readonly name: string | null }) {
  const { help } = useWords();
  return (
    <details
      className={styles.help}
      // A patient may have opened it before the scripts loaded.
      suppressHydrationWarning
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Escape") currentTarget.open = false;
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
      }}
    >
      <summary>{help.question}</summary>
      <div className={styles.contacts}>
        {name === null ? null : <p>{help.text(name)}</p>}
        {support.phone === null ? null : (
          <a href={`tel:${support.phone.replace(/[^\d+]/g, "")}`}>
            {help.phone}: <span>{support.phone}</span>
          </a>
        )}
        {support.whatsapp ? (
          <a href={`https://wa.me/${support.whatsapp.slice(1)}`} target="_blank" rel="noopener noreferrer">
            WhatsApp
          </a>
        ) : null}
        <a href={`mailto:${support.email}`}>
          {help.email}: {support.email}
        </a>
      </div>
    </details>
  );
}

/** The other language, named in its own words, by the language that is shown. */
const OTHER_LANGUAGE = {
  "es-CL": { locale: "en", name: "English" },
  en: { locale: "es-CL", name: "Español" },
} as const satisfies Readonly<Record<Locale, { readonly locale: Locale; readonly name: string }>>;

function Footer() {
  const words = useWords();
  const switchTo = useLocaleSwitch();
  const other = OTHER_LANGUAGE[words.locale];
  return (
    <div className={styles.footer}>
      <span className={styles.secure}>
        <Icon name="lock" size={16} />
        {words.page.secure}
      </span>
      {switchTo === null ? null : (
        <button type="button" className={styles.language} lang={other.locale} onClick={() => switchTo(other.locale)}>
          {other.name}
        </button>
      )}
    </div>
  );
}

/** Placeholder for a screen, so that nothing jumps when it appears. */
export function Skeleton() {
  const words = useWords();
  return (
    <div className={styles.skeleton} role="status">
      <span className={styles.bone} aria-hidden="true" />
      <span className={styles.bone} aria-hidden="true" />
      <span className={styles.bone} aria-hidden="true" />
      <span className="aapd-unseen">{words.page.loading}</span>
    </div>
  );
}
