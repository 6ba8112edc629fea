import { clp, formatClp } from "../../src/contract/vocabulary/clp.ts";
import { type Content, type Html, html, renderHtml } from "../../src/platform/http/html.ts";
import type { Enrolment } from "./enrolment-store.ts";
import type { WebpayForm } from "./enrolments.ts";

/*
 * The pages around Webpay, in a separate window, because Webpay cannot be framed. The patient reads, presses, enrols
 * the card at Webpay and comes back. Then the window closes.
 */

/** Posted to the page that opened the window, at the origin of the return URL. It contains no result. */
const ENDED_MESSAGE = "aapd:challenge-ended";

const ENDINGS = {
  registered: ["Tarjeta inscrita", "Ya puedes volver a la página de pago. Todavía no se cobró la atención."],
  declined: ["No pudimos inscribir la tarjeta", "Tu banco no aprobó la inscripción. Prueba con otra tarjeta."],
  abandoned: ["Inscripción cancelada", "No inscribiste una tarjeta o se acabó el tiempo. No se cobró la atención."],
  lost: [
    "No pudimos confirmar la inscripción",
    "Transbank no respondió a tiempo. No se cobró la atención. Vuelve a la página de pago e inténtalo otra vez.",
  ],
} as const;

/** The page of an enrolment in its present state. `isUnavailable`: the last press did not reach Webpay. */
export function renderEnrolment(
  { id, state, returnUrl, clinic, total }: Enrolment,
  { isUnavailable = false } = {},
): string {
  switch (state) {
    case "open":
    case "started":
      return page("Inscribe tu tarjeta", {
        returnUrl,
        content: html`${
          clinic !== null &&
          total !== null &&
          html`<p><strong>${clinic}</strong><br>Atención de ${formatClp(clp(total))}</p>`
        }
<p>Sigues en Webpay, la página de Transbank. Ahí eliges tu tarjeta de crédito, débito o prepago, y tu banco te pide confirmar.</p>
<p>Ahora no se cobra la atención. Tu banco puede mostrar un cargo de $50 para comprobar la tarjeta: después lo devuelve.</p>
${isUnavailable && html`<p class="wrong" role="alert">Webpay no responde. Inténtalo de nuevo en un momento.</p>`}
<form method="post" action="/card/${id}/start"><button class="main">Continuar a Webpay</button></form>
<p class="note">Tienes 5 minutos desde que Webpay se abre.</p>`,
      });
    case "finishing":
    case "enrolled":
      return page("Estamos confirmando tu tarjeta", {
        returnUrl,
        refresh: `/card/${id}`,
        content: html`<p role="status">Espera unos segundos. No cierres esta ventana.</p>`,
      });
    default: {
      const [title, words] = ENDINGS[state];
      return page(title, {
        returnUrl,
        isEnded: true,
        content: html`<p role="status">${words}</p>
<p><a class="main" href="${safeUrl(returnUrl)}">Volver a la página de pago</a></p>`,
      });
    }
  }
}

/** Sends the browser to Webpay. The token is in the form, so that it is in no address. */
export function renderWebpayForm({ url, token }: WebpayForm, { returnUrl }: Enrolment): string {
  return page("Abriendo Webpay", {
    returnUrl,
    content: html`<form method="post" action="${url}" data-submit><input type="hidden" name="TBK_TOKEN" value="${token}">
<button class="main">Continuar a Webpay</button></form>`,
  });
}

export function renderUnknownEnrolment(): string {
  return page("Esta página no existe", { content: html`<p>El enlace no corresponde a ninguna inscripción.</p>` });
}

function page(
  title: string,
  {
    content,
    returnUrl = "",
    isEnded = false,
    refresh,
  }: { content: Content; returnUrl?: string; isEnded?: boolean; refresh?: string },
): string {
  const document: Html = html`<html lang="es-CL">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh !== undefined && html`<meta http-equiv="refresh" content="2;url=${refresh}">`}
<title>${title}</title>
<link rel="stylesheet" href="/card.css">
<script src="/card.js" defer></script>
</head>
<body data-return-url="${safeUrl(returnUrl)}" data-ended="${isEnded ? "true" : "false"}">
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return `<!doctype html>\n${renderHtml(document)}`;
}

/** The return URL comes from a caller, so only http and https may become links. */
function safeUrl(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : "about:blank";
}

export const CARD_STYLE = `:root{color-scheme:light dark;--ink:#1b2430;--soft:#55607a;--paper:#fff;--ground:#f2f4f8;--line:#d5dae4;--main:#1d4ed8;--on-main:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#eef1f6;--soft:#aab4c5;--paper:#1b212b;--ground:#11151c;--line:#39424f;--main:#8fb0ff;--on-main:#0d1626}}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:26rem;background:var(--paper);border:1px solid var(--line);border-radius:1rem;padding:1.5rem}
h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.25}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
form{margin:0 0 1rem}
.main{display:block;width:100%;min-height:3rem;padding:.75rem 1rem;border:0;border-radius:.625rem;background:var(--main);color:var(--on-main);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
.wrong{padding:.75rem 1rem;border:1px solid currentcolor;border-radius:.625rem;font-weight:600}
.note{margin:0;font-size:.875rem;color:var(--soft)}
`;

export const CARD_SCRIPT = `"use strict";
(() => {
  document.querySelector("form[data-submit]")?.submit();
  const { ended, returnUrl } = document.body.dataset;
  if (ended !== "true" || !/^https?:/.test(returnUrl)) return;
  if (window.opener) {
    window.opener.postMessage("${ENDED_MESSAGE}", new URL(returnUrl).origin);
    window.close();
  } else location.replace(returnUrl);
})();
`;
