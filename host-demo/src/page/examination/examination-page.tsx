import { useState } from "react";
import type { Report } from "../../backend/examination.ts";
import { examineIntegration, wordsOf } from "../clinic-api.ts";
import styles from "./examination-page.module.css";

const VERDICT_WORDS: Readonly<Record<Report["findings"][number]["verdict"], string>> = {
  fine: "Bien",
  warning: "Aviso",
  mistake: "Error",
};

/** The doctor's findings in this page and in the clinic's receiver, for developers who integrate their own page. */
export function ExaminationPage() {
  const [report, setReport] = useState<Report | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isUnderWay, setIsUnderWay] = useState(false);

  const examine = async (): Promise<void> => {
    setIsUnderWay(true);
    setFailure(null);
    try {
      setReport(await examineIntegration());
    } catch (error) {
      setFailure(wordsOf(error));
    }
    setIsUnderWay(false);
  };

  return (
    <>
      <h1 className={styles.title}>Revisión</h1>
      <p className={styles.lead}>
        Lo que <code>aapd-dev doctor</code> encuentra en esta página, en el receptor de webhooks de la clínica y en sus
        órdenes. Revisa tu propia integración con el mismo comando.
      </p>
      <button type="button" className={styles.examine} disabled={isUnderWay} onClick={() => void examine()}>
        {isUnderWay ? "Revisando…" : "Revisar ahora"}
      </button>
      {failure !== null && <p role="alert">{failure}</p>}
      <div aria-live="polite">
        {report !== null && (
          <>
            <p className={styles.score}>
              <strong data-testid="score">{report.score}</strong> de 100
            </p>
            <ul className={styles.findings} lang="en">
              {report.findings.map(({ id, verdict, words, change }) => (
                <li key={`${id} ${words}`} data-verdict={verdict}>
                  <span className={styles.verdict} lang="es-CL">
                    {VERDICT_WORDS[verdict]}
                  </span>
                  <span>{words}</span> <code>{id}</code>
                  {change !== null && <p className={styles.change}>{change}</p>}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </>
  );
}
