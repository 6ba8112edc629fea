import { ACCENT_PLACES, type AccentContrast, type AccentPlace, judgeAccent, OWN_ACCENT } from "widget/embed/accent";
import styles from "./appearance-page.module.css";

const PLACES: Readonly<Record<AccentPlace, string>> = {
  button_words: "Texto blanco en el botón",
  text: "Enlaces sobre el fondo",
  text_on_tint: "Enlaces sobre el tinte",
  button_shape: "Botón contra el fondo",
};

/** Rounded down, so that a ratio below a limit never appears to reach it. */
function ratioWords(ratio: number): string {
  return `${(Math.floor(ratio * 100) / 100).toLocaleString("es-CL", { maximumFractionDigits: 2 })}:1`;
}

/** Whether the accent is readable, in words, and how the checkout uses it. */
export function ContrastVerdict({ accent }: { readonly accent: string }) {
  const given = accent === "" ? OWN_ACCENT : accent;
  const { ratio, min, isTaken, shown, contrasts } = judgeAccent(given);
  const asked = `El texto blanco sobre ${given} tiene ${ratioWords(ratio)}; AA pide ${ratioWords(min)}.`;
  return (
    <section className={styles.panel} aria-labelledby="contrast">
      <h2 id="contrast">Contraste</h2>
      <div className={styles.verdict} data-taken={isTaken} role="status">
        <p>
          <strong>{isTaken ? "Alcanza." : "No alcanza."}</strong> {asked}
        </p>
        <p>
          {isTaken
            ? "El pago usa este color tal cual en los botones."
            : `El pago no usa este color ni lo corrige: se queda con el que tenía, el que registraste con nosotros o el propio (${OWN_ACCENT}).`}
        </p>
      </div>
      <table className={styles.ratios}>
        <caption>
          Así se lee {isTaken ? "tu color" : "el color propio"}, {shown}. En los textos el pago lo oscurece un poco
          sobre claro y lo aclara sobre oscuro.
        </caption>
        <thead>
          <tr>
            <th scope="col">Dónde</th>
            <th scope="col">Claro</th>
            <th scope="col">Oscuro</th>
          </tr>
        </thead>
        <tbody>
          {ACCENT_PLACES.map((place) => (
            <tr key={place}>
              <th scope="row">{PLACES[place]}</th>
              <Ratio {...contrasts[place].light} />
              <Ratio {...contrasts[place].dark} />
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.note}>
        En oscuro el botón se aclara hasta donde el texto blanco se sigue leyendo, para que se distinga del fondo.
      </p>
    </section>
  );
}

function Ratio({ ratio, min }: AccentContrast) {
  return (
    <td>
      {ratioWords(ratio)} <small>{ratio >= min ? "alcanza" : "no alcanza"}</small>
    </td>
  );
}
