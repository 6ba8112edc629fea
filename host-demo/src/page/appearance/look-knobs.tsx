import { useState } from "react";
import { OWN_ACCENT } from "widget/embed/accent";
import { Knob } from "./knob.tsx";
import styles from "./knobs.module.css";
import { isColor, LOOK_CHOICES, type Look, type LookName } from "./look.ts";

const LABELS: Readonly<Record<LookName, string>> = {
  radius: "Bordes",
  font: "Letra",
  density: "Densidad",
  labels: "Etiquetas",
};
const NAMES = ["radius", "font", "density", "labels"] as const satisfies readonly LookName[];

interface LookKnobsProps {
  readonly look: Look;
  readonly onChange: (look: Look) => void;
}

/** The knobs of the look: the accent, and all settings with a few choices. */
export function LookKnobs({ look, onChange }: LookKnobsProps) {
  return (
    <>
      <AccentKnob accent={look.accent} onChange={(accent) => onChange({ ...look, accent })} />
      {NAMES.map((name) => (
        <Knob
          key={name}
          label={LABELS[name]}
          value={look[name]}
          options={LOOK_CHOICES[name]}
          onChange={(value) => onChange({ ...look, [name]: value })}
        />
      ))}
    </>
  );
}

/** Back to the widget's own look. */
export function ResetLook({ onPress }: { readonly onPress: () => void }) {
  return (
    <button type="button" className={styles.reset} onClick={onPress}>
      Restablecer
    </button>
  );
}

interface AccentKnobProps {
  readonly accent: string;
  readonly onChange: (accent: string) => void;
}

/** The colour as brand guides write it, with a picker. An invalid colour changes nothing. */
function AccentKnob({ accent, onChange }: AccentKnobProps) {
  const shown = accent === "" ? OWN_ACCENT : accent;
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && !isColor(typed);
  const change = (color: string) => onChange(color.toLowerCase() === OWN_ACCENT ? "" : color.toLowerCase());
  return (
    <div className={styles.accent}>
      <label className={styles.knob}>
        Acento
        <input
          type="text"
          value={typed ?? shown}
          maxLength={7}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={isWrong}
          aria-describedby={isWrong ? "accent-fault" : undefined}
          onChange={(event) => {
            const text = event.target.value.trim();
            setTyped(text);
            if (isColor(text)) change(text);
          }}
          onBlur={() => setTyped(null)}
        />
      </label>
      <input
        type="color"
        aria-label="Elegir el acento"
        value={shown}
        onChange={(event) => {
          setTyped(null);
          change(event.target.value);
        }}
      />
      <span className={styles.fault} id="accent-fault" role="status">
        {isWrong ? "Escríbelo como #0a7d55." : ""}
      </span>
    </div>
  );
}
