import { useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { Person } from "../../scenarios/people.ts";
import { patientOf, type Scenario } from "../../scenarios/scenario.ts";
import { type Service, soldIn } from "../../scenarios/services.ts";
import { ORDER_WORDS, wordsFor } from "../../scenarios/step-words.ts";
import type { ClinicFacts } from "../clinic-api.ts";
import { freshRut } from "../fresh-rut.ts";
import { addressOfPurchase, type View } from "../page-address.ts";
import { pesos } from "../pesos.ts";
import { ScenarioCardView } from "../scenarios/scenario-card.tsx";
import { EMPTY_PERSON, isFilledIn, OTHER, PersonFields, personInFields } from "./person-fields.tsx";
import styles from "./shop.module.css";
import { TwoParts } from "./two-parts.tsx";

/** The patient and the service that a link names, if any (`?service=…&rut=…&first_name=…`). */
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

interface ShopProps {
  readonly facts: ClinicFacts;
  readonly view: View;
  readonly purchases: readonly Purchase[];
  /** The scenario that the link names: its patient and service are preselected, and its steps are shown. */
  readonly scenario: Scenario | null;
  /** The patient of this visit, who may book again; null if the link names no patient. */
  readonly visitor: Person | null;
  readonly failure: string | null;
  /** The patient is about to press the button. */
  readonly onIntent: (service: Service, person: Person) => void;
  readonly onPayLater: (service: Service, person: Person) => Promise<void>;
}

/** The patient whom the link names, or the scenario has. */
export function visitorOf(scenario: Scenario | null): Person | null {
  return scenario === null ? personInAddress(window.location.search) : patientOf(scenario, freshRut);
}

/** The clinic's own page: the booked service, its patient, and the payment. */
export function Shop({ facts, view, purchases, scenario, visitor, failure, onIntent, onPayLater }: ShopProps) {
  const [serviceId, setServiceId] = useState(
    () =>
      scenario?.serviceId ??
      new URLSearchParams(window.location.search).get("service") ??
      facts.services[1]?.id ??
      facts.services[0]?.id ??
      "",
  );
  const [other, setOther] = useState(visitor);
  const [personId, setPersonId] = useState(other === null ? (facts.people[0]?.id ?? OTHER) : OTHER);
  const [isBusy, setBusy] = useState(false);
  const service = facts.services.find(({ id }) => id === serviceId);
  const person = personId === OTHER ? (other ?? EMPTY_PERSON) : facts.people.find(({ id }) => id === personId);

  // A patient named by the link or the bench counts as known to the clinic.
  const isTyped = personId === OTHER && scenario === null && (view === "bench" || visitor === null);

  function expectPress(): void {
    if (service !== undefined && person !== undefined && isFilledIn(person)) onIntent(service, person);
  }

  return (
    <div className={styles.shop}>
      <section className={styles.choice} aria-labelledby="choose">
        <h1 id="choose">Reserva tu atención</h1>
        <p className={styles.lead}>Elige la consulta y paga como prefieras. Te atiendes hoy mismo.</p>
        <Services services={facts.services} chosenId={serviceId} onChoose={setServiceId} />
        {view === "bench" && scenario !== null && <ScenarioCardView scenario={scenario} />}
        {view === "bench" && <RecentPurchases purchases={purchases} />}
      </section>
      <aside className={styles.pay} aria-labelledby="pay">
        <h2 id="pay">Tu reserva</h2>
        {view === "bench" && (
          <label className={styles.person}>
            Paciente
            <select value={personId} onChange={(event) => setPersonId(event.target.value)}>
              {facts.people.map((option) => (
                <option key={option.id} value={option.id}>
                  {option.firstName} {option.lastName} · {option.rut}
                </option>
              ))}
              {scenario === null ? (
                <option value={OTHER}>Otro paciente…</option>
              ) : (
                <option value={OTHER}>
                  {other?.firstName} {other?.lastName} · {other?.rut}
                </option>
              )}
            </select>
          </label>
        )}
        {isTyped ? (
          <PersonFields
            person={other ?? EMPTY_PERSON}
            legend={view === "bench" ? "Otro paciente" : "Tus datos"}
            onChange={setOther}
          />
        ) : (
          view === "patient" && (
            <p className={styles.patient}>
              {person?.firstName} {person?.lastName}
            </p>
          )
        )}
        <dl className={styles.total}>
          <dt>{service?.name}</dt>
          <dd>{pesos(service?.priceClp ?? 0)}</dd>
        </dl>
        <button
          type="button"
          className={styles.primary}
          disabled={isBusy || service === undefined || person === undefined}
          onPointerEnter={expectPress}
          onFocus={expectPress}
          onClick={() => {
            if (service === undefined || person === undefined) return;
            setBusy(true);
            void onPayLater(service, personInFields(person)).finally(() => setBusy(false));
          }}
        >
          Atiéndete ahora, paga después
        </button>
        {failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        <div className={styles.twoParts}>
          {service === undefined ? null : (
            <TwoParts facts={facts} priceClp={service.priceClp} className={styles.hint} />
          )}
        </div>
      </aside>
    </div>
  );
}

interface ServicesProps {
  readonly services: readonly Service[];
  readonly chosenId: string;
  readonly onChoose: (id: string) => void;
}

function Services({ services, chosenId, onChoose }: ServicesProps) {
  return (
    <fieldset className={styles.services}>
      <legend>Consultas y exámenes</legend>
      {services.map((option) => (
        <label key={option.id} className={styles.service} data-chosen={option.id === chosenId}>
          <input
            type="radio"
            name="service"
            value={option.id}
            checked={option.id === chosenId}
            onChange={() => onChoose(option.id)}
          />
          <span className={styles.serviceText}>
            <strong>{option.name}</strong>
            <span>{option.professional}</span>
          </span>
          <span className={styles.price}>{pesos(option.priceClp)}</span>
        </label>
      ))}
    </fieldset>
  );
}

const RECENT_SHOWN = 5;

interface RecentPurchasesProps {
  readonly purchases: readonly Purchase[];
}

/** Recent purchases, so that a tester can return to them days later. */
function RecentPurchases({ purchases }: RecentPurchasesProps) {
  const recent = purchases.slice(-RECENT_SHOWN).reverse();
  if (recent.length === 0) return null;
  return (
    <section className={styles.recent} aria-labelledby="recent">
      <h2 id="recent">Reservas recientes</h2>
      <ul>
        {recent.map((purchase) => (
          <li key={purchase.id}>
            <a href={addressOfPurchase(purchase.id)}>
              <span>{soldIn(purchase)?.name ?? purchase.serviceId}</span>
              <small>
                {purchase.firstName} {purchase.lastName} · {purchase.reference}
              </small>
            </a>
            <span className={styles.status}>{wordsFor(ORDER_WORDS, purchase.orderStatus, "Por crear")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
