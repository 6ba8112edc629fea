import { SCENARIOS } from "../../scenarios/catalogue.ts";
import { SCENARIO_GROUPS, type Scenario } from "../../scenarios/scenario.ts";
import { findService } from "../../scenarios/services.ts";
import { addressOfScenario } from "../page-address.ts";
import { StepList } from "./scenario-card.tsx";
import styles from "./scenarios-page.module.css";

function ScenarioItem({ scenario }: { readonly scenario: Scenario }) {
  return (
    <li className={styles.item} id={scenario.id}>
      <div className={styles.head}>
        <h3>{scenario.title}</h3>
        <a className={styles.open} href={addressOfScenario(scenario.id)} aria-label={`Probar: ${scenario.title}`}>
          Probar
        </a>
      </div>
      <dl className={styles.values}>
        <div>
          <dt>Paciente</dt>
          <dd className={styles.number}>{scenario.patient === "new" ? "Nuevo" : scenario.patient.rut}</dd>
        </div>
        <div>
          <dt>Documento</dt>
          <dd>{scenario.documentSerial}</dd>
        </div>
        <div>
          <dt>Tarjeta</dt>
          <dd>{scenario.card.number}</dd>
        </div>
        <div>
          <dt>Atención</dt>
          <dd>{findService(scenario.serviceId)?.name}</dd>
        </div>
        <div>
          <dt>Isapre</dt>
          <dd>{scenario.insurerOutcome}</dd>
        </div>
      </dl>
      <details className={styles.details}>
        <summary>Pasos y qué debe verse</summary>
        <StepList scenario={scenario} />
      </details>
    </li>
  );
}

/** Every scenario of the catalogue, to try by hand; the browser tests run the same steps from the same file. */
export function ScenariosPage() {
  return (
    <>
      <h1 className={styles.title}>Escenarios</h1>
      <p className={styles.lead}>
        Cada situación que el pago debe resolver bien, con los valores de prueba que la provocan. «Probar» abre la
        reserva con el paciente y la atención elegidos; las pruebas automáticas recorren los mismos pasos.
      </p>
      {SCENARIO_GROUPS.map(({ id, words }) => (
        <section key={id} className={styles.group} aria-labelledby={`group-${id}`}>
          <h2 id={`group-${id}`}>{words}</h2>
          <ul className={styles.list}>
            {SCENARIOS.filter(({ group }) => group === id).map((scenario) => (
              <ScenarioItem key={scenario.id} scenario={scenario} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
