import { escapeHtml } from "../../src/platform/http/html.ts";
import type { PageVisit } from "./card-registration-store.ts";
import { page, safeUrl } from "./challenge-page.ts";

const PROCESSOR = {
  name: "Procesador de Prueba",
  note: "Procesador simulado del ambiente de pruebas. Usa solo tarjetas de prueba: no se mueve dinero real.",
};

const ENDINGS = {
  registered: ["Tarjeta inscrita", "Ya puedes volver a la página de pago. Todavía no se hizo ningún cobro."],
  declined: ["No pudimos inscribir la tarjeta", "Tu banco no aprobó la tarjeta. No se hizo ningún cobro."],
  abandoned: ["Inscripción cancelada", "La inscripción se canceló o venció. No se hizo ningún cobro."],
} as const;

/** The fields of a card, as browsers fill them in. */
const FIELDS = `<label>Número de tarjeta<input name="number" inputmode="numeric" autocomplete="cc-number" required maxlength="23"></label>
<div class="pair">
<label>Vencimiento (MM/AA)<input name="expiry" inputmode="numeric" autocomplete="cc-exp" required maxlength="7"></label>
<label>Código de seguridad<input name="cvc" inputmode="numeric" autocomplete="cc-csc" required maxlength="4"></label>
</div>
<label>Nombre en la tarjeta<input name="holder_name" autocomplete="cc-name" required maxlength="120"></label>`;

/** The processor's own page, while a card can be entered on it. */
export function renderPendingVisit(visit: PageVisit, { now, wrong }: { readonly now: Date; readonly wrong: boolean }) {
  const leftMs = Math.max(visit.pageExpiresAt.getTime() - now.getTime(), 0);
  const { sealed } = visit;
  const intro =
    sealed === null
      ? "Los datos de tu tarjeta quedan con el procesador de tarjetas. Ahora no se cobra nada."
      : "El procesador de tarjetas te pide confirmar tu tarjeta. Ahora no se cobra nada.";
  const shown = sealed === null ? FIELDS : `<p>Tarjeta terminada en <strong>${escapeHtml(sealed.last4)}</strong></p>`;
  const error = wrong ? '<p class="wrong" role="alert">Revisa los datos de tu tarjeta.</p>\n' : "";
  return page(sealed === null ? "Inscribe tu tarjeta" : "Confirma tu tarjeta", {
    who: PROCESSOR,
    attributes: `data-left-ms="${leftMs}" data-return-url="${escapeHtml(safeUrl(visit.returnUrl))}"`,
    content: `<p>${intro}</p>
${error}<form method="post">
${shown}
<button name="choice" value="register" class="main">${sealed === null ? "Inscribir la tarjeta" : "Confirmar la tarjeta"}</button>
<button name="choice" value="cancel" class="plain" formnovalidate>Cancelar y volver</button>
</form>`,
  });
}

/** The page after it has ended. Its script notifies the window that framed or opened it, or goes back. */
export function renderEndedVisit(visit: PageVisit): string {
  const [title, words] = ENDINGS[visit.state === "pending" ? "abandoned" : visit.state];
  const returnUrl = escapeHtml(safeUrl(visit.returnUrl));
  return page(title, {
    who: PROCESSOR,
    attributes: `data-ended="true" data-return-url="${returnUrl}"`,
    content: `<p role="status">${words}</p>\n<p><a class="button" href="${returnUrl}">Volver</a></p>`,
  });
}

export function renderUnknownVisit(): string {
  return page("Esta página no existe", {
    who: PROCESSOR,
    attributes: "",
    content: "<p>El enlace no corresponde a ninguna inscripción.</p>",
  });
}
