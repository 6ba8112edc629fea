import { useState } from "react";
import type { Person } from "../scenarios/people.ts";
import type { Service } from "../scenarios/services.ts";
import type { ClinicFacts } from "./clinic-api.ts";
import { pesos } from "./pesos.ts";
import styles from "./shop.module.css";

const OTHER = "other";

/** A link may name the patient and the service (`?service=…&rut=…&first_name=…`), so that a scenario opens prefilled. */
function personInAddress(search: string): Person | null {
  const query = new URLSearchParams(search);
  const rut = query.get("rut");
  if (rut === null) return null;
  return {
    id: OTHER,
    rut,
    firstName: query.get("first_name") ?? "",
    lastName: query.get("last_name") ?? "",
    email: query.get("email") ?? "",
    phone: query.get("phone") ?? "",
  };
}

const NOBODY: Person = { id: OTHER, rut: "", firstName: "", lastName: "", email: "", phone: "" };

const PERSON_FIELDS = [
  { name: "rut", label: "RUT" },
  { name: "firstName", label: "Nombres" },
  { name: "lastName", label: "Apellidos" },
  { name: "email", label: "Correo" },
  { name: "phone", label: "Celular" },
] as const;

interface PersonFieldsProps {
  readonly person: Person;
  readonly onChange: (person: Person) => void;
}

/** Any other patient, for whoever tests: the clinic's records know what is written here. */
function PersonFields({ person, onChange }: PersonFieldsProps) {
  return (
    <fieldset className={styles.other}>
      <legend>Otro paciente</legend>
      {PERSON_FIELDS.map(({ name, label }) => (
        <label key={name} className={styles.person}>
          {label}
          <input
            value={person[name]}
            autoComplete="off"
            onChange={(event) => onChange({ ...person, [name]: event.target.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}

interface ShopProps {
  readonly facts: ClinicFacts;
  readonly onPayLater: (service: Service, person: Person) => Promise<void>;
}

/** The clinic's own page: what is booked, for whom, and the two ways to pay. */
export function Shop({ facts, onPayLater }: ShopProps) {
  const [serviceId, setServiceId] = useState(
    () => new URLSearchParams(window.location.search).get("service") ?? facts.services[1]?.id ?? "",
  );
  const [other, setOther] = useState(() => personInAddress(window.location.search));
  const [personId, setPersonId] = useState(other === null ? (facts.people[0]?.id ?? OTHER) : OTHER);
  const [isBusy, setBusy] = useState(false);
  const service = facts.services.find(({ id }) => id === serviceId);
  const person = personId === OTHER ? (other ?? NOBODY) : facts.people.find(({ id }) => id === personId);

  return (
    <div className={styles.shop}>
      <section className={styles.choice} aria-labelledby="choose">
        <h1 id="choose">Reserva tu atención</h1>
        <p className={styles.lead}>Elige la consulta y paga como prefieras. Te atiendes hoy mismo.</p>
        <fieldset className={styles.services}>
          <legend>Consultas y exámenes</legend>
          {facts.services.map((option) => (
            <label key={option.id} className={styles.service} data-chosen={option.id === serviceId}>
              <input
                type="radio"
                name="service"
                value={option.id}
                checked={option.id === serviceId}
                onChange={() => setServiceId(option.id)}
              />
              <span className={styles.serviceText}>
                <strong>{option.name}</strong>
                <span>{option.professional}</span>
              </span>
              <span className={styles.price}>{pesos(option.priceClp)}</span>
            </label>
          ))}
        </fieldset>
      </section>
      <aside className={styles.pay} aria-labelledby="pay">
        <h2 id="pay">Tu reserva</h2>
        <label className={styles.person}>
          Paciente
          <select value={personId} onChange={(event) => setPersonId(event.target.value)}>
            {facts.people.map((option) => (
              <option key={option.id} value={option.id}>
                {option.firstName} {option.lastName} · {option.rut}
              </option>
            ))}
            <option value={OTHER}>Otro paciente…</option>
          </select>
        </label>
        {personId === OTHER && <PersonFields person={other ?? NOBODY} onChange={setOther} />}
        <dl className={styles.total}>
          <dt>{service?.name}</dt>
          <dd>{pesos(service?.priceClp ?? 0)}</dd>
        </dl>
        <button
          type="button"
          className={styles.primary}
          disabled={isBusy || service === undefined || person === undefined}
          onClick={() => {
            if (service === undefined || person === undefined) return;
            setBusy(true);
            void onPayLater(service, person).finally(() => setBusy(false));
          }}
        >
          Atiéndete ahora, paga después
        </button>
        <p className={styles.hint}>
          Hoy pagas el 30 % con tu tarjeta. El resto se cobra después, cuando tu isapre responda.
        </p>
      </aside>
    </div>
  );
}
