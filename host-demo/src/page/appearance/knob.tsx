import styles from "./knobs.module.css";

export interface Option {
  readonly value: string;
  readonly words: string;
}

interface KnobProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

/** One setting of a view, with a few choices. */
export function Knob({ label, value, options, onChange }: KnobProps) {
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
