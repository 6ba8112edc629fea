import { useEffect, useState } from "react";
import { Knob } from "../appearance/knob.tsx";
import knobStyles from "../appearance/knobs.module.css";
import { OWN_LOOK, ownPartOf } from "../appearance/look.ts";
import { LookKnobs, ResetLook } from "../appearance/look-knobs.tsx";
import { type ClinicFacts, type GalleryState, readGallery, wordsOf } from "../clinic-api.ts";
import { addressOfAppearance, addressOfGallery } from "../page-address.ts";
import styles from "./gallery-page.module.css";
import {
  ALL,
  CHOICES,
  type ChoiceName,
  type GallerySettings,
  IMITATED,
  type ImitatedName,
  picturesOf,
  readSettings,
  writeSettings,
} from "./gallery-settings.ts";
import { PictureFrame } from "./picture-frame.tsx";
import { StateTree } from "./state-tree.tsx";

interface GalleryPageProps {
  readonly facts: Pick<ClinicFacts, "widgetHostUrl" | "mailsGalleryUrl">;
  /** The query of the page's address. The page shows only what it says, so a view can be shared as a link. */
  readonly settings: URLSearchParams;
}

/**
 * Every screen and state of the checkout, rendered by the checkout itself from recorded responses, several side by side
 * if chosen.
 */
export function GalleryPage({ facts: { widgetHostUrl, mailsGalleryUrl }, settings: query }: GalleryPageProps) {
  const [states, setStates] = useState<readonly GalleryState[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const settings = readSettings(query);
  useEffect(() => {
    readGallery().then(setStates, (error: unknown) => setFailure(wordsOf(error)));
  }, []);

  const { state } = settings;
  const group = states.find(({ name }) => name === state)?.group ?? settings.group;
  const shown = states.filter(({ name, group }) => isShown(settings, name, group));
  return (
    <>
      <h1 className={styles.title}>Galería</h1>
      <p className={styles.lead}>
        Cada pantalla y estado del pago, con respuestas grabadas. La dirección guarda la vista: se puede compartir. El
        contraste y el código de una apariencia están en <a href={toAppearance(settings)}>Apariencia</a>
        {mailsGalleryUrl === null ? "." : <MailsLink url={mailsGalleryUrl} />}
      </p>
      <Knobs settings={settings} />
      {failure !== null && <p role="alert">{failure}</p>}
      <div className={styles.gallery}>
        {states.length > 0 && (
          <StateTree
            states={states}
            shown={{ state, group }}
            addressOf={(to) => addressOfGallery(writeSettings({ ...settings, ...to }))}
          />
        )}
        <ul className={styles.wall}>
          {shown.flatMap(({ name }) =>
            picturesOf(name, settings, widgetHostUrl).map((picture) => (
              <li key={`${picture.url} ${picture.widthPx}`}>
                <PictureFrame picture={picture} />
              </li>
            )),
          )}
        </ul>
      </div>
    </>
  );
}

function isShown(settings: GallerySettings, name: string, group: string): boolean {
  if (settings.state !== "") return name === settings.state;
  return settings.group === ALL || group === settings.group;
}

function MailsLink({ url }: { readonly url: string }) {
  return (
    <>
      ;{" "}
      <a href={url} target="_blank" rel="noopener noreferrer">
        los correos, mensajes y documentos
      </a>
      , en otra página.
    </>
  );
}

/** The same look in the playground. */
function toAppearance({ look }: GallerySettings): string {
  return addressOfAppearance(new URLSearchParams(ownPartOf(look)));
}

const CHOICE_KNOBS: Readonly<Record<ChoiceName, string>> = { width: "Ancho", locale: "Idioma", scheme: "Colores" };
const IMITATED_KNOBS: Readonly<Record<ImitatedName, string>> = {
  text: "Tamaño del texto",
  contrast: "Contraste",
  motion: "Movimiento",
  content: "Contenido",
};

function Knobs({ settings }: { readonly settings: GallerySettings }) {
  const change = (changes: Partial<GallerySettings>): void => {
    window.location.hash = addressOfGallery(writeSettings({ ...settings, ...changes }));
  };
  const all = { value: ALL, words: "Todos" };
  const knob = (name: ChoiceName | ImitatedName, label: string, options: Parameters<typeof Knob>[0]["options"]) => (
    <Knob
      key={name}
      label={label}
      value={settings[name]}
      options={options}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <fieldset className={knobStyles.knobs}>
      <legend>Qué se muestra</legend>
      {entriesOf(CHOICE_KNOBS).map(([name, label]) => knob(name, label, [...CHOICES[name], all]))}
      {entriesOf(IMITATED_KNOBS).map(([name, label]) => knob(name, label, IMITATED[name]))}
      <LookKnobs look={settings.look} onChange={(look) => change({ look })} />
      <ResetLook onPress={() => change({ look: OWN_LOOK })} />
    </fieldset>
  );
}

function entriesOf<Name extends string>(record: Readonly<Record<Name, string>>): [Name, string][] {
  return Object.entries(record) as [Name, string][];
}
