import { useEffect, useState } from "react";
import { type GalleryState, readGallery, wordsOf } from "../clinic-api.ts";
import { addressOfGallery } from "../page-address.ts";
import styles from "./gallery-page.module.css";
import {
  ALL,
  CHOICES,
  type GallerySettings,
  LOOKS,
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
  card: "Tarjeta",
  review: "Revisar y pagar",
  done: "Listo",
  problem: "Problemas",
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
        Cada pantalla y estado del pago, con respuestas grabadas. La dirección guarda la vista: se puede compartir.
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
    <fieldset className={styles.knobs}>
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
      <label className={styles.knob}>
        Acento
        <input
          type="color"
          value={settings.accent === "" ? "#0f5c5c" : settings.accent}
          onChange={(event) => change({ accent: event.target.value })}
        />
      </label>
      <Knob
        label="Bordes"
        value={settings.radius}
        options={lookOptions("radius")}
        onChange={(radius) => change({ radius })}
      />
      <Knob label="Letra" value={settings.font} options={lookOptions("font")} onChange={(font) => change({ font })} />
      <button type="button" className={styles.reset} onClick={() => change({ accent: "", radius: "", font: "" })}>
        Apariencia propia
      </button>
    </fieldset>
  );
}

interface Option {
  readonly value: string;
  readonly words: string;
}

function lookOptions(name: keyof typeof LOOKS): readonly Option[] {
  return [{ value: "", words: "Propia" }, ...LOOKS[name].map((value) => ({ value, words: value }))];
}

interface KnobProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

function Knob({ label, value, options, onChange }: KnobProps) {
  return (
    <label className={styles.knob}>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.words}
          </option>
        ))}
      </select>
    </label>
  );
}
