import type { Person } from "../../scenarios/people.ts";
import styles from "./shop.module.css";

/** The id of a patient who is not in the clinic's records. */
export const OTHER = "other";

export const EMPTY_PERSON: Person = { id: OTHER, rut: "", firstName: "", lastName: "", email: "", phone: "" };

const PERSON_FIELDS = [
  { name: "rut", label: "RUT" },
  { name: "firstName", label: "Nombres" },
  { name: "lastName", label: "Apellidos" },
  { name: "email", label: "Correo" },
  { name: "phone", label: "Celular" },
] as const;

interface PersonFieldsProps {
  readonly person: Person;
  readonly legend: string;
  readonly onChange: (person: Person) => void;
}

/** Fields for any other patient; the values become the clinic's record of the patient. */
export function PersonFields({ person, legend, onChange }: PersonFieldsProps) {
  return (
    <fieldset className={styles.other}>
      <legend>{legend}</legend>
      {PERSON_FIELDS.map(({ name, label }) => (
        <label key={name} className={styles.person}>
          {label}
          <input
            id={fieldId(name)}
            value={person[name]}
            autoComplete="off"
            onChange={(event) => onChange({ ...person, [name]: event.target.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}

function fieldId(name: string): string {
  return `person-${name}`;
}

/**
 * The patient as the fields have them now, because autofill may change fields without the events that `onChange`
 * receives.
 */
export function personInFields(person: Person): Person {
  const read = { ...person };
  for (const { name } of PERSON_FIELDS) {
    const field = document.getElementById(fieldId(name));
    if (field instanceof HTMLInputElement) read[name] = field.value;
  }
  return read;
}

export function isFilledIn(person: Person): boolean {
  return PERSON_FIELDS.every(({ name }) => person[name].trim() !== "");
}
