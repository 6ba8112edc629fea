import type { ReactNode, Ref } from "react";
import { useWords } from "../words/words-context.tsx";
import styles from "./frame.module.css";
import { Icon } from "./icon.tsx";

export interface Support {
  readonly email: string;
  readonly phone: string | null;
}

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
  readonly progress: { readonly index: number; readonly count: number; readonly name: string } | null;
  readonly ref?: Ref<HTMLDivElement>;
}

/**
 * What stands around every screen: whose it is, how far along it is, and how to reach a person. Its one landmark has a
 * name, so that it can be told from the landmarks of the page around the frame.
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
    >
      <main className={styles.sheet} aria-label={words.page.secure}>
        <Header providerName={props.providerName} logoUrl={props.logoUrl} />
        {props.progress === null ? null : <Progress {...props.progress} />}
        <div className={styles.content}>{props.children}</div>
        {props.support === null ? null : <Help support={props.support} providerName={props.providerName} />}
      </main>
    </div>
  );
}

function Header({ providerName, logoUrl }: Pick<FrameProps, "providerName" | "logoUrl">) {
  const words = useWords();
  return (
    <div className={styles.header}>
      <div className={styles.provider}>
        {providerName === null ? null : logoUrl === null ? (
          <>
            <span className={styles.monogram} aria-hidden="true">
              {initialOf(providerName)}
            </span>
            <span>{providerName}</span>
          </>
        ) : (
          <img className={styles.logo} src={logoUrl} alt={providerName} />
        )}
      </div>
      <span className={styles.secure}>
        <Icon name="lock" size={16} />
        {words.page.secure}
      </span>
    </div>
  );
}

/** The initial of the word that tells clinics apart: "Clínica Los Aromos" is L, not C. */
function initialOf(name: string): string {
  const [first = "", second] = name.split(/\s+/);
  return (/^(cl[ií]nica|centro|fundaci[oó]n|hospital|red)$/i.test(first) && second ? second : first)
    .slice(0, 1)
    .toUpperCase();
}

function Progress({ index, count, name }: { readonly index: number; readonly count: number; readonly name: string }) {
  const words = useWords();
  const segments = Array.from({ length: count }, (_, position) => position + 1);
  return (
    <div className={styles.progress}>
      <div className={styles.segments} aria-hidden="true">
        {segments.map((position) => (
          <span key={position} className={styles.segment} data-reached={position <= index} />
        ))}
      </div>
      <p className={styles.where}>
        <span>{words.page.progress(index, count)}</span>
        <span>{name}</span>
      </p>
    </div>
  );
}

function Help({ support, providerName }: { readonly support: Support; readonly providerName: string | null }) {
  const words = useWords();
  return (
    <div className={styles.footer}>
      <details>
        <summary>{words.help.question}</summary>
        <div className={styles.contacts}>
          {providerName === null ? null : <p>{words.help.text(providerName)}</p>}
          <p>
            {words.help.email}: <a href={`mailto:${support.email}`}>{support.email}</a>
          </p>
          {support.phone === null ? null : (
            <p>
              {words.help.phone}: <a href={`tel:${support.phone.replace(/[^\d+]/g, "")}`}>{support.phone}</a>
            </p>
          )}
        </div>
      </details>
    </div>
  );
}

/** Stands where a screen will be, so that nothing jumps when it comes. */
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
