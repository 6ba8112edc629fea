import { useEffect, useState } from "react";
import { Knob } from "../appearance/knob.tsx";
import knobStyles from "../appearance/knobs.module.css";
import { OWN_LOOK, ownPartOf } from "../appearance/look.ts";
import { LookKnobs, ResetLook } from "../appearance/look-knobs.tsx";
import { type GalleryState, readGallery, wordsOf } from "../clinic-api.ts";
import { addressOfAppearance, addressOfGallery } from "../page-address.ts";
import styles from "./gallery-page.module.css";
import {
  ALL,
  CHOICES,
  type GallerySettings,
  type Picture,
  picturesOf,
  readSettings,
  writeSettings,
} from "./gallery-settings.ts";

const FRAME_HEIGHT_PX = 820;

const GROUP_WORDS: Readonly<Record<string, string>> = {
  summary: "Resumen",
  patient: "Datos del paciente",
  identity: "Identidad",
  recognition: "Código",
  card: "Tarjeta",
  review: "Revisar y pagar",
  done: "Listo",
  problem: "Problemas",
  return: "Vuelta del banco",
  "self-service link": "Enlaces de autoservicio",
};

interface GalleryPageProps {
  readonly widgetHostUrl: string;
  /** The query of the page's address. The page has no other state, so a view can be shared as a link. */
  readonly settings: URLSearchParams;
}

/**
 * Every screen and state of the checkout, rendered by the checkout itself from recorded responses, several side by side
 * if chosen.
 */
export function GalleryPage({ widgetHostUrl, settings: query }: GalleryPageProps) {
  const [states, setStates] = useState<readonly GalleryState[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const settings = readSettings(query);
  useEffect(() => {
    readGallery().then(setStates, (error: unknown) => setFailure(wordsOf(error)));
  }, []);

  const groups = [...new Set((states ?? []).map(({ group }) => group))];
  const shown = (states ?? []).filter(({ group }) => settings.group === ALL || group === settings.group);
  return (
    <>
      <h1 className={styles.title}>Galería</h1>
      <p className={styles.lead}>
        Cada pantalla y estado del pago, con respuestas grabadas. La dirección guarda la vista: se puede compartir. El
        contraste y el código de una apariencia están en <a href={toAppearance(settings)}>Apariencia</a>.
      </p>
      <Knobs settings={settings} groups={groups} />
      {failure !== null && <p role="alert">{failure}</p>}
      <ul className={styles.wall}>
        {shown.flatMap(({ name }) =>
          picturesOf(name, settings, widgetHostUrl).map((picture) => (
            <li key={`${picture.url} ${picture.widthPx}`}>
              <PictureFrame picture={picture} />
            </li>
          )),
        )}
      </ul>
    </>
  );
}

/** The same look in the playground. */
function toAppearance({ look }: GallerySettings): string {
  return addressOfAppearance(new URLSearchParams(ownPartOf(look)));
}

function PictureFrame({ picture: { state, words, scheme, widthPx, url } }: { readonly picture: Picture }) {
  return (
    <figure className={styles.picture}>
      <figcaption>
        <a href={url} target="_blank" rel="noopener noreferrer">
          {state}
        </a>
        <small>{words}</small>
      </figcaption>
      <iframe
        className={styles.frame}
        data-scheme={scheme}
        src={url}
        title={`${state}, ${words}`}
        width={widthPx}
        height={FRAME_HEIGHT_PX}
        loading="lazy"
        sandbox="allow-scripts allow-same-origin allow-forms"
      />
    </figure>
  );
}

interface KnobsProps {
  readonly settings: GallerySettings;
  readonly groups: readonly string[];
}

function Knobs({ settings, groups }: KnobsProps) {
  const change = (changes: Partial<GallerySettings>): void => {
    window.location.hash = addressOfGallery(writeSettings({ ...settings, ...changes }));
  };
  const all = { value: ALL, words: "Todos" };
  return (
    <fieldset className={knobStyles.knobs}>
      <legend>Qué se muestra</legend>
      <Knob
        label="Pantalla"
        value={settings.group}
        options={[...groups.map((value) => ({ value, words: GROUP_WORDS[value] ?? value })), all]}
        onChange={(group) => change({ group })}
      />
      <Knob
        label="Ancho"
        value={settings.width}
        options={[...CHOICES.width, all]}
        onChange={(width) => change({ width })}
      />
      <Knob
        label="Idioma"
        value={settings.locale}
        options={[...CHOICES.locale, all]}
        onChange={(locale) => change({ locale })}
      />
      <Knob
        label="Colores"
        value={settings.scheme}
        options={[...CHOICES.scheme, all]}
        onChange={(scheme) => change({ scheme })}
      />
      <LookKnobs look={settings.look} onChange={(look) => change({ look })} />
      <ResetLook onPress={() => change({ look: OWN_LOOK })} />
    </fieldset>
  );
}
