import { type Clp, clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { type Content, type Html, html, renderHtml } from "../../platform/http/html.ts";
import type { Environment } from "../../platform/provider.ts";
import type { Severity } from "../exceptions/severity.ts";
import { TOKEN_WARNING_MS } from "../operators/operator.ts";
import { type Ability, may } from "../operators/role.ts";
import type { ConsolePage, PageContext } from "./console-route.ts";
import { inSpanish } from "./sentences.ts";
import {
  durationWords,
  FACT_NAMES,
  FACT_VALUES,
  momentWords,
  ROLE_WORDS,
  SEVERITY_WORDS,
  stateWords,
} from "./words.ts";

export const STYLESHEET_PATH = "/console.css";

const SECTIONS: readonly (readonly [path: string, title: string, ability: Ability])[] = [
  ["/", "Inicio", "look"],
  ["/money", "Dinero", "look"],
  ["/gateways", "Terceros", "look"],
  ["/orders", "Órdenes", "look"],
  ["/exceptions", "Excepciones", "look"],
  ["/clinics", "Clínicas", "look"],
  ["/trial-balance", "Balance", "look"],
  ["/switches", "Interruptores", "look"],
  ["/approvals", "Aprobaciones", "look"],
  ["/audit", "Auditoría", "audit"],
  ["/operators", "Operadores", "look"],
];

/** A page of a signed-in operator as text. It needs no script and loads nothing from another host. */
export function renderConsolePage(
  page: ConsolePage,
  { operator, environment, clock }: Pick<PageContext, "operator" | "environment" | "clock">,
  path: string,
): string {
  const links = SECTIONS.filter(([, , ability]) => may(operator.role, ability)).map(
    ([target, title]) =>
      html`<li><a href="${target}"${isWithin(path, target) && html` aria-current="page"`}>${title}</a></li>`,
  );
  return renderBare(
    { ...page, body: html`${expiryNotice(operator, clock)}${page.body}` },
    environment,
    html`<nav aria-label="Secciones"><ul>${links}</ul></nav>
<form class="who" method="post" action="/sign-out"><span>${operator.name} · ${ROLE_WORDS[operator.role]}</span><button class="quiet">Salir</button></form>`,
  );
}

/** Only operators with a token of the command line have one that expires. */
function expiryNotice(
  { role, tokenEndsAt, isTokenShown }: PageContext["operator"],
  clock: PageContext["clock"],
): Content {
  const left = tokenEndsAt.getTime() - clock.now().getTime();
  if (role !== "operator" || !isTokenShown || left > TOKEN_WARNING_MS) return false;
  const words = left > 0 ? "vence" : "venció";
  return html`<p class="notice" data-tone="warning">Tu token de la línea de comandos ${words} el ${moment(tokenEndsAt.toISOString())}. Renuévalo con <code>aapd operator renew</code>; otra persona lo aprueba.</p>`;
}

function isWithin(path: string, section: string): boolean {
  return section === "/" ? path === "/" : path === section || path.startsWith(`${section}/`);
}

/** A page without a signed-in operator, such as the sign-in page. */
export function renderBare(page: ConsolePage, environment: Environment, beside: Html | null = null): string {
  return renderHtml(html`<!doctype html>
<html lang="es-CL">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${page.refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${page.refreshSeconds}">`}
<title>${page.title} · Consola AAPD</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<a class="skip" href="#content">Saltar al contenido</a>
<header class="top">
<p class="brand"><span class="mark" aria-hidden="true"></span>Consola AAPD <span class="environment" data-environment="${environment}">${environment === "production" ? "producción" : "pruebas"}</span></p>
${beside}
</header>
<main id="content" tabindex="-1">
<h1>${page.title}</h1>
${page.body}
</main>
</body>
</html>
`);
}

/** A table whose rows stack on a phone; each cell then shows the name of its column. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
  { empty = "Nada." }: { readonly empty?: string } = {},
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<table class="stacks"><caption>${caption}</caption><thead><tr>${columns.map(
    (column) => html`<th scope="col">${column}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, index) => html`<td data-column="${columns[index] ?? ""}">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

/** Names and values in pairs. */
export function facts(pairs: readonly (readonly [name: string, value: Content])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** `at`: the anchor by which other pages link here. */
export function section(title: string, content: Content, at?: "link" | "account"): Html {
  return html`<section${at !== undefined && html` id="${at}"`}><h2>${title}</h2>${content}</section>`;
}

/** Content that is shown only when its summary is pressed. */
export function fold(summary: Content, content: Content): Html {
  return html`<details class="fold"><summary>${summary}</summary>${content}</details>`;
}

/** The beginning of an id; the whole id is its title and, if it is a link, on the page behind it. */
export function shortId(id: string, path?: string): Html {
  const short = id.slice(0, SHORT_ID_LENGTH);
  return path === undefined
    ? html`<span class="hash" title="${id}">${short}</span>`
    : html`<a class="hash" href="${path}" title="${id}">${short}</a>`;
}

const SHORT_ID_LENGTH = 8;

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

export function ago(seconds: number): string {
  return `hace ${durationWords(seconds)}`;
}

/** An age under the heading *Hace*, with the moment as its title. */
export function age(seconds: number, iso: string): Html {
  return html`<time datetime="${iso}" title="${momentWords(iso)}">${durationWords(seconds)}</time>`;
}

export function severityMark(severity: Severity): Html {
  return html`<span class="severity" data-severity="${severity}">${SEVERITY_WORDS[severity]}</span>`;
}

/** An order, or a dash for none. */
export function orderLink(hash: string | null): Content {
  return hash === null ? "—" : shortId(hash, `/orders/${hash}`);
}

/** A form that posts to a path. */
export function form(action: string, content: Content, label?: string): Html {
  return html`<form class="panel" method="post" action="${action}"${label !== undefined && html` aria-label="${label}"`}>${content}</form>`;
}

export interface FieldOptions {
  readonly type?: "text" | "number" | "month" | "search" | "date";
  readonly value?: string;
  readonly hint?: Content;
  readonly isRequired?: boolean;
  readonly lengthMax?: number;
}

export function field(name: string, label: string, options: FieldOptions = {}): Html {
  const { type = "text", value, hint, isRequired = false, lengthMax } = options;
  return html`<p class="field"><label>${label}${hint !== undefined && html` <small>${hint}</small>`}
<input name="${name}" type="${type}" autocomplete="off"${value !== undefined && html` value="${value}"`}${isRequired && html` required`}${lengthMax !== undefined && html` maxlength="${lengthMax}"`}></label></p>`;
}

/** A list to choose from; its id is unique on the page. */
export function choice(
  name: string,
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  chosen = "",
  id = name,
): Html {
  return html`<p class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></p>`;
}

export function moment(iso: string | null): Content {
  return iso === null ? "—" : html`<time datetime="${iso}">${momentWords(iso)}</time>`;
}

/** Pesos in Chilean notation; may be negative, as in balances. */
export function pesos(amount: number | null): Content {
  if (amount === null) return "—";
  const words = formatClp(clp(Math.abs(amount)) as Clp);
  return html`<span class="amount">${amount < 0 ? `−${words}` : words}</span>`;
}

/**
 * Facts of an exception: in Spanish where a translation exists, with the documents' name next to facts that operators
 * look up.
 */
export function knownFacts(known: Readonly<Record<string, unknown>>): Content {
  const facts = Object.entries(known).filter(([, value]) => value !== null);
  return facts.map(
    ([name, value]) => html`<span class="fact"><b>${factName(name)}</b> ${factValue(name, value)}</span> `,
  );
}

function factName(name: string): Content {
  return FACT_NAMES[name] ?? html`<code>${name}</code>`;
}

function factValue(name: string, value: unknown): Content {
  if (typeof value === "number") return PESOS_FACTS.includes(name) ? pesos(value) : value;
  if (typeof value === "boolean") return value ? "sí" : "no";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const words = STATES.includes(name) ? stateWords(text) : FACT_VALUES[text];
  if (words !== undefined && words !== text && !OF_A_STEP.includes(name)) return html`${words} (<code>${text}</code>)`;
  if (isUuid(text)) return shortId(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return moment(text);
  // A note is an operator's own sentence. Anything else is a name, as the documents write it.
  return name === "note" ? html`<q>${text}</q>` : html`<code>${text}</code>`;
}

const STATES: readonly string[] = ["state", "status"];
/** Facts whose values have other meanings: `payment` is a step of the checkout. */
const OF_A_STEP: readonly string[] = ["step", "for", "purpose", "channel", "by", "act"];
const PESOS_FACTS: readonly string[] = [
  ...["amount", "amount_lent", "amount_taken", "commission", "expected", "fee", "first_instalment", "found"],
  ...["given_back", "net", "of", "owed", "refunded", "reimbursed", "vat"],
];

/** A value in Spanish, or as the documents write it. */
export function named(value: string): Content {
  return FACT_VALUES[value] ?? html`<code>${value}</code>`;
}

/** A sentence of the service's operations: in Spanish, or as it is if it has no translation. */
export function spoken(text: string): Content {
  return inSpanish(text) ?? html`<span lang="en">${text}</span>`;
}
