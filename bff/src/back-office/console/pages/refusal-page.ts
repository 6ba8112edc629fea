import { html } from "../../../platform/http/html.ts";
import type { Environment } from "../../../platform/provider.ts";
import { renderBare, spoken } from "../layout.ts";
import { type ConsoleRefused, REFUSALS } from "../refusal.ts";
import { inSpanish } from "../sentences.ts";

/** The page for a refusal, as text. */
export function refusalPage(
  { code, status, why, issues }: ConsoleRefused,
  {
    environment,
    requestId,
    back,
  }: { readonly environment: Environment; readonly requestId: string; readonly back: string | null },
): string {
  const body = html`<p class="notice" data-tone="warning" role="alert">${REFUSALS[code].es}</p>
${why !== null && html`<p>${spoken(why)}</p>`}
${issues.length > 0 && html`<ul>${issues.map(({ path, message }) => html`<li>${path === "" ? "Lo que enviaste" : html`<code>${path}</code>`} ${inSpanish(message) ?? "no es válido"}</li>`)}</ul>`}
${status >= 500 && html`<p class="lead">Número de la solicitud: <span class="hash">${requestId}</span></p>`}
<p>${back !== null && html`<a href="${back}">Volver a donde estabas</a> · `}<a href="/">Ir al inicio</a></p>`;
  return renderBare({ title: titleOf(code, status), body }, environment);
}

/** After an unexpected error it is unknown whether the act was done. */
function titleOf(code: ConsoleRefused["code"], status: number): string {
  if (status >= 500) return "Algo falló";
  return code === "not_found" ? "No está aquí" : "No se hizo";
}
