import { readAuditTrail } from "../../../platform/audit-store.ts";
import { html } from "../../../platform/http/html.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { listOperators, nameOf } from "../../operators.ts";
import { CONSOLE_PAGE_MAX, consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { field, fold, isUuid, knownFacts, moment, orderLink, shortId, table } from "../layout.ts";
import { ROLE_WORDS } from "../words.ts";

const { readAudit, listOperators: listing } = consoleEndpoints;

export function auditRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  const { db } = dependencies;
  return [
    consoleRoute(readAudit, {
      async handle({ query: { actor = null, act = null, before } }) {
        const requested = {
          actor,
          act,
          before: before === undefined ? null : new Date(before),
          limit: CONSOLE_PAGE_MAX,
        };
        const rows = (await readAuditTrail(db, requested)).map((row) => ({
          at: row.at.toISOString(),
          actor: row.actor,
          act: row.act,
          subject_kind: row.subject.kind,
          subject_id: row.subject.id,
          provider_id: row.providerId,
          details: row.details,
        }));
        return { rows, next_before: rows.length < CONSOLE_PAGE_MAX ? null : (rows.at(-1)?.at ?? null) };
      },
      page: auditPage,
    }),
    consoleRoute(listing, {
      async handle() {
        const operators = await listOperators(db);
        return {
          operators: operators.map(({ name, role, addedAt, endedAt, tokenEndsAt, isTokenShown }) => ({
            name,
            role,
            added_at: addedAt.toISOString(),
            ended_at: endedAt?.toISOString() ?? null,
            token_ends_at: role === "operator" && isTokenShown ? tokenEndsAt.toISOString() : null,
          })),
        };
      },
      page: operatorsPage,
    }),
  ];
}

function auditPage({ rows, next_before: next }: AnswerOf<typeof readAudit>, { query }: PageContext): ConsolePage {
  const requested = { actor: String(query.actor ?? ""), act: String(query.act ?? "") };
  const further = new URLSearchParams({ ...requested, before: next ?? "" });
  return {
    title: "Auditoría",
    body: html`${fold(
      `Filtrar: ${[requested.actor, requested.act].filter(Boolean).join(" · ") || "todo"}`,
      html`<form class="panel" action="/audit" aria-label="Filtrar la auditoría">${field("actor", "Quién", { value: requested.actor, hint: html`por ejemplo <code>operator:camila.rojas</code>` })}${field("act", "Qué", { value: requested.act, hint: html`por ejemplo <code>order.revealed</code>` })}<button class="quiet">Filtrar</button></form>`,
    )}
${table(
  "Lo más nuevo primero. La línea de comandos verifica que nada se cambió (aapd audit verify).",
  ["Cuándo", "Quién", "Qué", "Sobre", "Detalle"],
  rows.map((row) => [
    moment(row.at),
    row.actor.startsWith("operator:") ? nameOf(row.actor) : html`<code>${row.actor}</code>`,
    html`<code>${row.act}</code>`,
    row.subject_kind === "order"
      ? orderLink(row.subject_id)
      : html`<code>${row.subject_kind}</code> ${isUuid(row.subject_id) ? shortId(row.subject_id) : html`<span class="hash">${row.subject_id}</span>`}`,
    knownFacts(row.details),
  ]),
)}
${next !== null && html`<p><a href="/audit?${further.toString()}">Más antiguas</a></p>`}`,
  };
}

function operatorsPage({ operators }: AnswerOf<typeof listing>): ConsolePage {
  return {
    title: "Operadores",
    body: html`<p class="lead">Se agregan, cambian de rol y terminan con la línea de comandos: <code>aapd operator</code>. Un token vence a los 90 días.</p>
${table(
  "",
  ["Nombre", "Rol", "Desde", "Hasta", "Su token vence"],
  operators.map(({ name, role, added_at: from, ended_at: until, token_ends_at: expiry }) => [
    name,
    ROLE_WORDS[role],
    moment(from),
    moment(until),
    moment(until === null ? expiry : null),
  ]),
)}`,
  };
}
