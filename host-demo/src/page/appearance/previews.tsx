import { useEffect, useRef, useState } from "react";
import type { Checkout } from "widget/embed";
import { loadEmbedKit } from "../checkout/embed-kit.ts";
import { wordsOf } from "../clinic-api.ts";
import styles from "./appearance-page.module.css";
import { type AppearanceSettings, wholeAppearanceOf } from "./appearance-settings.ts";

/** States of the gallery that show the effect of the knobs. */
const SHOWN = [
  { state: "summary", words: "Resumen" },
  { state: "patient", words: "Datos del paciente" },
  { state: "card-faults", words: "Tarjeta con errores" },
  { state: "review", words: "Revisar y pagar" },
  { state: "done", words: "Pagado" },
] as const;

interface PreviewsProps {
  readonly settings: AppearanceSettings;
  readonly widgetHostUrl: string;
}

/** The checkout itself, mounted by the kit as partners mount it, on recorded answers. */
export function Previews({ settings, widgetHostUrl }: PreviewsProps) {
  return (
    <section className={styles.previews} aria-labelledby="previews" data-width={settings.width}>
      <h2 id="previews">Vista previa</h2>
      <ul className={styles.wall}>
        {SHOWN.map(({ state, words }) => (
          <li key={state}>
            <Preview state={state} words={words} settings={settings} widgetHostUrl={widgetHostUrl} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface PreviewProps extends PreviewsProps {
  readonly state: string;
  readonly words: string;
}

function Preview({ state, words, settings, widgetHostUrl }: PreviewProps) {
  const container = useRef<HTMLElement>(null);
  const [checkout, setCheckout] = useState<Checkout | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const appearance = wholeAppearanceOf(settings);
  const latest = useRef(appearance);

  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    let unmount = (): void => undefined;
    let isGone = false;
    loadEmbedKit(widgetHostUrl).then(
      ({ mountCheckout }) => {
        if (isGone) return;
        const query = new URLSearchParams({ state, parent_origin: window.location.origin });
        const url = `${widgetHostUrl}/gallery.html?${query}`;
        const mounted = mountCheckout(element, { url, locale: "es-CL", appearance: latest.current });
        // The kit names every checkout the same; with several here, screen reader users must be able to distinguish
        // them.
        const frame = element.querySelector("iframe");
        if (frame !== null) frame.title = `Vista previa: ${words}`;
        setCheckout(mounted);
        unmount = () => mounted.destroy();
      },
      (error: unknown) => setFailure(wordsOf(error)),
    );
    return () => {
      isGone = true;
      unmount();
    };
  }, [state, words, widgetHostUrl]);

  // After every render: the kit sends nothing to the frame if nothing has changed.
  useEffect(() => {
    latest.current = appearance;
    checkout?.update({ appearance });
  });

  return (
    <>
      <p className={styles.name}>{words}</p>
      {failure !== null && <p role="alert">{failure}</p>}
      <figure
        ref={container}
        className={styles.place}
        aria-label={words}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        data-preview={state}
      />
    </>
  );
}
