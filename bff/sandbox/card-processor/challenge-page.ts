import { formatClp } from "../../src/contract/vocabulary/clp.ts";
import { escapeHtml } from "../../src/platform/http/html.ts";
import type { findChallenge } from "./card-processor-store.ts";

export type Challenge = NonNullable<Awaited<ReturnType<typeof findChallenge>>>;

/**
 * The message that the page posts when the challenge has ended: to the window that framed or opened it, and only for
 * the origin of the return URL. It contains no result, because any page could post it; the receiver must ask the
 * service.
 */
export const CHALLENGE_ENDED_MESSAGE = "aapd:challenge-ended";

/**
 * The message that the page posts when the patient can use it, so that the framing page need not offer it elsewhere.
 */
export const CHALLENGE_SHOWN_MESSAGE = "aapd:challenge-shown";

export const CHOICES = ["approve", "reject", "cancel"] as const;
export type ChallengeChoice = (typeof CHOICES)[number];

const endings = {
  authenticated: ["Confirmación lista", "Ya puedes volver a la página de pago."],
  failed: ["No pudimos confirmar", "Tu banco no pudo confirmar que eres tú. No se hizo ningún cobro."],
  abandoned: ["Confirmación cancelada", "La confirmación se canceló o venció. No se hizo ningún cobro."],
} as const;

/** The question to the patient. With a mandate, nothing is charged now. */
const CONFIRMED = {
  payment: {
    title: "Confirma tu compra",
    intro: "Para proteger tu tarjeta, tu banco necesita saber que eres tú quien hace esta compra.",
    amount: "Monto",
    confirm: "Confirmar la compra",
  },
  mandate: {
    title: "Confirma tu tarjeta",
    intro:
      "Para proteger tu tarjeta, tu banco necesita saber que eres tú quien la deja para un cobro posterior. Ahora no se cobra nada.",
    amount: "Cobro posterior",
    confirm: "Confirmar la tarjeta",
  },
} as const;

/** The bank's page for a challenge that can still be answered. */
export function renderPendingChallenge(challenge: Challenge, now: Date): string {
  const leftMs = Math.max(challenge.pageExpiresAt.getTime() - now.getTime(), 0);
  const time = new Intl.DateTimeFormat("es-CL", { timeStyle: "short", hourCycle: "h23", timeZone: "America/Santiago" });
  const { title, intro, confirm, amount } = CONFIRMED[challenge.purpose];
  return page(title, {
    attributes: `data-left-ms="${leftMs}" data-return-url="${escapeHtml(safeUrl(challenge.returnUrl))}"`,
    content: `<p>${intro}</p>
<dl>
<div><dt>${amount}</dt><dd>${escapeHtml(formatClp(challenge.amount))}</dd></div>
<div><dt>Tarjeta</dt><dd><span aria-hidden="true">•••• </span><span class="hidden">terminada en </span>${escapeHtml(challenge.last4)}</dd></div>
<div><dt>Tienes hasta las</dt><dd>${escapeHtml(time.format(challenge.pageExpiresAt))}</dd></div>
</dl>
<form method="post">
<button name="choice" value="approve" class="main">${confirm}</button>
<button name="choice" value="reject">No fui yo: rechazar</button>
<button name="choice" value="cancel" class="plain">Cancelar y volver</button>
</form>`,
  });
}

/**
 * The bank's page for a challenge that has ended. Its script notifies the window that framed or opened it; without such
 * a window it goes to the return URL.
 */
export function renderEndedChallenge(challenge: Challenge): string {
  const [title, words] = endings[challenge.state === "pending" ? "abandoned" : challenge.state];
  const returnUrl = escapeHtml(safeUrl(challenge.returnUrl));
  return page(title, {
    attributes: `data-ended="true" data-return-url="${returnUrl}"`,
    content: `<p role="status">${words}</p>\n<p><a class="button" href="${returnUrl}">Volver</a></p>`,
  });
}

export function renderUnknownChallenge(): string {
  return page("Esta página no existe", {
    attributes: "",
    content: "<p>El enlace no corresponde a ninguna confirmación.</p>",
  });
}

/** A page of the bank's or the processor's, both simulated. */
export function page(
  title: string,
  { attributes, content, who = BANK }: { attributes: string; content: string; who?: typeof BANK },
): string {
  return `<!doctype html>
<html lang="es-CL">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · ${who.name}</title>
<link rel="stylesheet" href="/challenge.css">
<script src="/challenge.js" defer></script>
</head>
<body ${attributes}>
<main>
<p class="bank"><span aria-hidden="true" class="mark"></span>${who.name}</p>
<h1>${escapeHtml(title)}</h1>
${content}
<p class="note">${who.note}</p>
</main>
</body>
</html>
`;
}

const BANK = {
  name: "Banco de Prueba",
  note: "Banco simulado del ambiente de pruebas. No se mueve dinero real.",
};

/** The return URL comes from a caller, so only http and https may become links. */
export function safeUrl(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : "about:blank";
}

export const CHALLENGE_STYLE = `:root{color-scheme:light;--ink:#14213d;--soft:#55607a;--line:#d9deea;--blue:#1d4ed8}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:1rem;background:#eef2fb;color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:26rem;background:#fff;border:1px solid var(--line);border-radius:1rem;padding:1.5rem;box-shadow:0 8px 30px rgb(20 33 61/.08)}
.bank{display:flex;align-items:center;gap:.5rem;margin:0 0 1.25rem;font-weight:600;color:var(--blue)}
.mark{width:1.5rem;height:1.5rem;border-radius:.4rem;background:linear-gradient(135deg,#1d4ed8 50%,#60a5fa 50%)}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25}
p{margin:0 0 1rem}
dl{margin:0 0 1.25rem;border-block:1px solid var(--line)}
dl div{display:flex;justify-content:space-between;gap:1rem;padding:.6rem 0}
dl div+div{border-top:1px solid var(--line)}
dt{color:var(--soft)}dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
form{display:grid;gap:.625rem;margin:0 0 1rem}
button,.button{display:block;width:100%;min-height:3rem;padding:.625rem 1rem;border:1px solid var(--line);border-radius:.625rem;background:#fff;color:var(--ink);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:#f5f7fd}
.main{background:var(--blue);border-color:var(--blue);color:#fff}.main:hover{background:#1e40af}
.plain{border-color:transparent;color:var(--soft)}
:focus-visible{outline:3px solid #93b4ff;outline-offset:2px}
label{display:grid;gap:.25rem;font-weight:600}
input{min-height:3rem;padding:.5rem .75rem;border:1px solid #8a94ad;border-radius:.625rem;font:inherit;width:100%}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:.75rem}
.wrong{padding:.75rem 1rem;border-radius:.625rem;background:#fdecec;color:#8a1c1c}
.note{margin:0;font-size:.8125rem;color:var(--soft)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

export const CHALLENGE_SCRIPT = `"use strict";
(() => {
  const { ended, returnUrl, leftMs } = document.body.dataset;
  if (leftMs) window.setTimeout(() => location.reload(), Number(leftMs) + 500);
  if (!/^https?:/.test(returnUrl)) return;
  const origin = new URL(returnUrl).origin;
  if (!ended) {
    if (window.parent !== window) window.parent.postMessage("${CHALLENGE_SHOWN_MESSAGE}", origin);
  } else if (window.parent !== window) {
    // The surrounding window closes the frame. Following the link here would open a checkout inside the checkout.
    document.querySelector(".button")?.remove();
    window.parent.postMessage("${CHALLENGE_ENDED_MESSAGE}", origin);
  } else if (window.opener) {
    window.opener.postMessage("${CHALLENGE_ENDED_MESSAGE}", origin);
    window.close();
  } else location.replace(returnUrl);
})();
`;
