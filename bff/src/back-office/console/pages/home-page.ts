import { type Content, html } from "../../../platform/http/html.ts";
import { listSwitchedOff } from "../../../platform/switch-store.ts";
import { selectOutboxLag, selectTimerLoads } from "../../../platform/timers/timer-store.ts";
import { firstReconciliationAt, reconciliationAge } from "../../../settlement/read-reconciliation.ts";
import { deliveryLag } from "../../../webhooks/deliveries.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { exceptionTotals, openOutcomes } from "../../list-exceptions.ts";
import { totalViews } from "../../views/exception-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { ago, facts, moment, section, severityMark } from "../layout.ts";
import { durationWords, EXCEPTION_WORDS, FACT_VALUES, SWITCH_WORDS } from "../words.ts";
import { orderSearchForm } from "./order-pages.ts";

const { home } = consoleEndpoints;

export function homeRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [consoleRoute(home, { handle: () => readHome(dependencies), page: homePage })];
}

async function readHome(dependencies: ConsoleDependencies): Promise<AnswerOf<typeof home>> {
  const { db, clock } = dependencies;
  const loads = await selectTimerLoads(db, clock.now());
  const late = loads.map(({ lateSeconds }) => lateSeconds);
  const off = await listSwitchedOff(db);
  const reconciled = await reconciliationAge(dependencies);
  const firstReconciled = reconciled === null ? await firstReconciliationAt(db) : null;
  return {
    exceptions: totalViews(await exceptionTotals(dependencies, null)),
    switched_off: off.map(({ what, providerId }) => ({ what, provider_id: providerId })),
    oldest: {
      timer: late.length === 0 ? null : Math.max(...late),
      event: await selectOutboxLag(db, clock.now()),
      webhook: await deliveryLag(dependencies),
      reconciliation: reconciled,
    },
    first_reconciliation_at: firstReconciled?.toISOString() ?? null,
    open_outcomes: (await openOutcomes(dependencies)).flatMap(({ of, count, oldestSeconds }) =>
      count === 0 ? [] : [{ of, count, oldest_seconds: oldestSeconds }],
    ),
  };
}

function homePage(
  { exceptions, switched_off: off, oldest, first_reconciliation_at: first, open_outcomes: open }: AnswerOf<typeof home>,
  { operator }: PageContext,
): ConsolePage {
  const waits = (seconds: number | null) => (seconds === null ? "nada espera" : durationWords(seconds));
  return {
    title: "Qué espera a una persona",
    body: html`${
      off.length > 0 &&
      html`<p class="notice" data-tone="warning">Apagado: ${[...new Set(off.map(({ what }) => SWITCH_WORDS[what].name))].join(", ")}. <a href="/switches">Ver interruptores</a></p>`
    }
${
  exceptions.length === 0
    ? html`<p class="notice">Ninguna excepción espera a una persona; aparecen aquí apenas ocurren. De una parte externa caída, de un receptor que no contesta o de un disco lleno avisan las alertas.</p>`
    : html`<ul class="cards">${exceptions.map(
        ({ kind, severity, count, oldest_seconds: seconds }) =>
          html`<li><a href="/exceptions?kind=${kind}"><span>${EXCEPTION_WORDS[kind].title}<small>Gravedad ${severityMark(severity)} · la más antigua, ${ago(seconds)}</small></span> <b>${count}</b></a></li>`,
      )}</ul>`
}
${
  open.length > 0 &&
  section(
    "Llamadas cuyo resultado no se conoce",
    facts(
      open.map(({ of, count, oldest_seconds: seconds }) => [
        FACT_VALUES[of] ?? of,
        `${count}, la más antigua hace ${durationWords(seconds)}`,
      ]),
    ),
  )
}
${section("Buscar una orden", orderSearchForm([], operator.role))}
${section(
  "El servicio ahora",
  facts([
    ["Tarea más atrasada", waits(oldest.timer)],
    ["Evento más antiguo sin repartir", waits(oldest.event)],
    ["Webhook más antiguo sin intentar", waits(oldest.webhook)],
    ["Última conciliación de la clínica más atrasada", reconciledWords(oldest.reconciliation, first)],
  ]),
)}`,
  };
}

/** On the first day nothing was reconciled yet, which is no delay. */
function reconciledWords(seconds: number | null, first: string | null): Content {
  if (seconds !== null) return ago(seconds);
  return first === null ? "ninguna todavía: nadie ha pagado" : html`ninguna todavía: la primera es el ${moment(first)}`;
}
