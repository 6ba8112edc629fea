import { isSight, type Scenario } from "../../scenarios/scenario.ts";
import { wordsOfStep } from "../../scenarios/step-words.ts";
import styles from "./scenario-card.module.css";

/** The steps of a scenario for a person to follow: what to do, and what must then be visible. */
export function StepList({ scenario }: { readonly scenario: Scenario }) {
  return (
    <ol className={styles.steps}>
      {Object.entries(scenario.steps).map(([position, step]) => (
        <li key={position} data-kind={isSight(step) ? "see" : "do"}>
          {wordsOfStep(step)}
        </li>
      ))}
    </ol>
  );
}

/** A scenario next to the page where it is tried: the values to type, and the steps. */
export function ScenarioCardView({ scenario }: { readonly scenario: Scenario }) {
  return (
    <section className={styles.card} aria-labelledby="scenario">
      <h2 id="scenario">Escenario: {scenario.title}</h2>
      <dl className={styles.values}>
        <div>
          <dt>Número de documento</dt>
          <dd>{scenario.documentSerial}</dd>
        </div>
        <div>
          <dt>Tarjeta</dt>
          <dd>
            {scenario.card.number} · {scenario.card.expiry} · {scenario.card.cvc}
          </dd>
        </div>
        <div>
          <dt>La isapre</dt>
          <dd>{scenario.insurerOutcome}</dd>
        </div>
      </dl>
      <StepList scenario={scenario} />
    </section>
  );
}
