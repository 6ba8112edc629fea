import { addressOfAppearance, addressOfGallery } from "../page-address.ts";
import styles from "./appearance-page.module.css";
import {
  type AppearanceSettings,
  readAppearanceSettings,
  SCHEMES,
  snippetOf,
  WIDTHS,
  writeAppearanceSettings,
} from "./appearance-settings.ts";
import { ContrastVerdict } from "./contrast-verdict.tsx";
import { Knob } from "./knob.tsx";
import knobStyles from "./knobs.module.css";
import { OWN_LOOK, ownPartOf } from "./look.ts";
import { LookKnobs, ResetLook } from "./look-knobs.tsx";
import { Previews } from "./previews.tsx";
import { Snippet } from "./snippet.tsx";

interface AppearancePageProps {
  readonly widgetHostUrl: string;
  /** The query of the page's address. The page has no other state, so a look can be shared as a link. */
  readonly settings: URLSearchParams;
}

/** A playground for designers: knobs, their effect on the real checkout, the contrast, and the code to copy. */
export function AppearancePage({ widgetHostUrl, settings: query }: AppearancePageProps) {
  const settings = readAppearanceSettings(query);
  return (
    <>
      <h1 className={styles.title}>Apariencia</h1>
      <p className={styles.lead}>
        Dale al pago el aspecto de tu página, mira cómo queda y copia el código. La dirección guarda lo que elegiste: se
        puede compartir. Todos los estados de cada pantalla están en la <a href={toGallery(settings)}>galería</a>.
      </p>
      <Knobs settings={settings} />
      <div className={styles.bench}>
        <div className={styles.tools}>
          <ContrastVerdict accent={settings.look.accent} />
          <Snippet text={snippetOf(settings, widgetHostUrl)} />
        </div>
        <Previews settings={settings} widgetHostUrl={widgetHostUrl} />
      </div>
    </>
  );
}

/** The same look in the gallery. */
function toGallery({ look, scheme }: AppearanceSettings): string {
  return addressOfGallery(
    new URLSearchParams({ ...ownPartOf(look), ...(scheme === "dark" ? { scheme } : {}), group: "card" }),
  );
}

function Knobs({ settings }: { readonly settings: AppearanceSettings }) {
  const change = (changes: Partial<AppearanceSettings>): void => {
    // Replaces the history entry: going back leaves the page, instead of stepping through every colour.
    window.location.replace(addressOfAppearance(writeAppearanceSettings({ ...settings, ...changes })));
  };
  return (
    <fieldset className={knobStyles.knobs}>
      <legend>Ajustes</legend>
      <LookKnobs look={settings.look} onChange={(look) => change({ look })} />
      <Knob
        label="Colores"
        value={settings.scheme}
        options={SCHEMES}
        onChange={(value) => change({ scheme: SCHEMES.find((scheme) => scheme.value === value)?.value ?? "auto" })}
      />
      <Knob
        label="Ancho"
        value={settings.width}
        options={WIDTHS}
        onChange={(value) => change({ width: WIDTHS.find((width) => width.value === value)?.value ?? "phone" })}
      />
      <ResetLook onPress={() => change({ look: OWN_LOOK, scheme: "auto" })} />
    </fieldset>
  );
}
