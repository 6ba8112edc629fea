import { useState } from "react";
import type { Person } from "../../scenarios/people.ts";
import { type DeskCode, startAtDesk, wordsOf } from "../clinic-api.ts";
import { pesos } from "../pesos.ts";
import { EMPTY_PERSON, isFilledIn, OTHER, PersonFields, personInFields } from "../shop/person-fields.tsx";
import styles from "./desk.module.css";

interface DeskFormProps {
  readonly people: readonly Person[];
  readonly onBegun: (begun: DeskCode & { readonly id: string }) => void;
}

const FIRST_AMOUNT = "45.952";

/** The amount that the receptionist types, `45.952` or `$45952`; null if it is not a whole amount of pesos. */
function amountIn(typed: string): number | null {
  const digits = typed.replaceAll(/[.$\s]/g, "");
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}

/** The receptionist enters patient and amount. */
export function DeskForm({ people, onBegun }: DeskFormProps) {
  const [personId, setPersonId] = useState(people[0]?.id ?? OTHER);
  const [other, setOther] = useState(EMPTY_PERSON);
  const [amount, setAmount] = useState(FIRST_AMOUNT);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const amountClp = amountIn(amount);

  async function begin(form: HTMLFormElement): Promise<void> {
    // Read from the fields themselves: autofill may change them without an event.
    const typed = new FormData(form);
    const chosen = typed.get("patient");
    const person = chosen === OTHER ? personInFields(other) : (people.find(({ id }) => id === chosen) ?? EMPTY_PERSON);
    const amountClp = amountIn(String(typed.get("amount")));
    if (amountClp === null || !isFilledIn(person)) {
      setFailure(amountClp === null ? "Escribe el monto en pesos, sin decimales." : "Completa los datos del paciente.");
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      onBegun(await startAtDesk(person, amountClp));
    } catch (error) {
      setFailure(wordsOf(error));
      setBusy(false);
    }
  }

  return (
    <div className={styles.desk}>
      <h1 className={styles.title}>Cobra en el mesón</h1>
      <p className={styles.lead}>
        El paciente paga en su propio teléfono: escanea un código o abre el enlace de su correo.
      </p>
      <form
        className={styles.card}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void begin(event.currentTarget);
        }}
      >
        <label className={styles.field}>
          Paciente
          <select name="patient" value={personId} onChange={(event) => setPersonId(event.target.value)}>
            {people.map((option) => (
              <option key={option.id} value={option.id}>
                {option.firstName} {option.lastName} · {option.rut}
              </option>
            ))}
            <option value={OTHER}>Otro paciente…</option>
          </select>
        </label>
        {personId === OTHER && <PersonFields legend="Otro paciente" person={other} onChange={setOther} />}
        <label className={styles.field}>
          Monto en pesos
          <input
            name="amount"
            value={amount}
            inputMode="numeric"
            autoComplete="off"
            aria-describedby="amount-read"
            onChange={(event) => setAmount(event.target.value)}
          />
        </label>
        <p className={styles.hint} id="amount-read">
          {amountClp === null ? "Solo números, por ejemplo 45.952." : `Se cobrarán ${pesos(amountClp)}.`}
        </p>
        <button type="submit" className={styles.primary} disabled={isBusy}>
          Mostrar el código
        </button>
        {failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
      </form>
    </div>
  );
}
