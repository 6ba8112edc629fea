import { type GatewayState, readGatewayStates } from "../../../gateways/gateway-states.ts";
import { type Content, html } from "../../../platform/http/html.ts";
import { santiagoTime } from "../../../platform/santiago-time.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { openOutcomes } from "../../list-exceptions.ts";
import { COMPARED_DAYS, readLastConfirmed, readMovingMoney } from "../../moving-money.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { ago, facts, moment, pesos, section, table } from "../layout.ts";
import { FACT_VALUES, MOVE_WORDS, PACE_WORDS, PARTY_WORDS } from "../words.ts";

const { readMoving, listGateways } = consoleEndpoints;

/** Whether money moves, and whether the outside parties answer. */
export function movingRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(readMoving, { handle: () => showMoving(dependencies), page: movingPage }),
    consoleRoute(listGateways, {
      handle: async () => ({ gateways: (await readGatewayStates(dependencies)).map(gatewayView) }),
      page: gatewaysPage,
    }),
  ];
}

async function showMoving(dependencies: ConsoleDependencies): Promise<AnswerOf<typeof readMoving>> {
  const moving = await readMovingMoney(dependencies);
  const confirmed = await readLastConfirmed(dependencies);
  const open = await openOutcomes(dependencies);
  return {
    moves: moving.map(({ move, pace, usualCount, days }) => ({
      move,
      pace,
      usual_count: usualCount,
      days: days.map(({ daysAgo, ...moved }) => ({ days_ago: daysAgo, ...moved })),
    })),
    confirmed: [...confirmed].map(([party, seconds]) => ({ party, seconds_ago: seconds })),
    open_outcomes: open
      .filter(({ count }) => count > 0)
      .map(({ of, count, oldestSeconds, byAge }) => ({
        of,
        count,
        oldest_seconds: oldestSeconds,
        by_age: { five_minutes: byAge.fiveMinutes, hour: byAge.hour, day: byAge.day, older: byAge.older },
      })),
  };
}

function movingPage(moving: AnswerOf<typeof readMoving>, { clock }: PageContext): ConsolePage {
  const { moves, confirmed, open_outcomes: open } = moving;
  const low = moves.filter(({ pace }) => pace === "low");
  return {
    title: "¿Se mueve el dinero?",
    body: html`${
      low.length > 0
        ? html`<p class="notice" data-tone="warning" role="status">Menos de la mitad de lo habitual a esta hora: ${low.map(({ move }) => MOVE_WORDS[move].toLowerCase()).join(", ")}. Mira <a href="/gateways">los terceros</a>.</p>`
        : html`<p class="notice" role="status">Nada está por debajo de lo habitual a esta hora.</p>`
    }
${table(
  `Hoy hasta las ${santiagoTime(clock.now()).slice(0, 5)} en Santiago, y los ${COMPARED_DAYS} días anteriores hasta la misma hora.`,
  ["Qué", "Hoy", "Habitual", "Ayer", "Hace 7 días", "Cómo va"],
  moves.map(({ move, pace, usual_count: usual, days }) => [
    MOVE_WORDS[move],
    movedWords(days[0]),
    usual,
    movedWords(days[1]),
    movedWords(days[COMPARED_DAYS]),
    pace === "low" ? html`<span class="severity" data-severity="high">${PACE_WORDS.low}</span>` : PACE_WORDS[pace],
  ]),
)}
${section(
  "Última vez que cada tercero confirmó algo",
  facts(
    confirmed.map(({ party, seconds_ago: seconds }) => [
      PARTY_WORDS[party] ?? party,
      seconds === null ? "nada en los últimos 8 días" : ago(seconds),
    ]),
  ),
)}
${section(
  "Llamadas cuyo resultado no se conoce, por antigüedad",
  table(
    "",
    ["De qué", "Menos de 5 min", "Menos de 1 h", "Menos de 1 día", "Más", "La más antigua"],
    open.map(({ of, by_age: age, oldest_seconds: oldest }) => [
      FACT_VALUES[of] ?? of,
      age.five_minutes,
      age.hour,
      age.day,
      age.older,
      ago(oldest),
    ]),
    { empty: "Ninguna." },
  ),
)}`,
  };
}

type Moved = AnswerOf<typeof readMoving>["moves"][number]["days"][number];

function movedWords(day: Moved | undefined): Content {
  if (day === undefined) return "—";
  return day.pesos === null || day.count === 0 ? day.count : html`${day.count} · ${pesos(day.pesos)}`;
}

function gatewayView(state: GatewayState): AnswerOf<typeof listGateways>["gateways"][number] {
  const { party, processes, requestsStopped, backgroundStopped, stoppedSince, answeredAt, unansweredAt } = state;
  return {
    party,
    processes,
    requests_stopped: requestsStopped,
    background_stopped: backgroundStopped,
    stopped_since: stoppedSince?.toISOString() ?? null,
    answered_at: answeredAt?.toISOString() ?? null,
    unanswered_at: unansweredAt?.toISOString() ?? null,
  };
}

type Gateway = AnswerOf<typeof listGateways>["gateways"][number];

function gatewaysPage({ gateways }: AnswerOf<typeof listGateways>): ConsolePage {
  return {
    title: "Terceros",
    body: html`<p class="lead">Después de cinco llamadas seguidas sin respuesta, un proceso deja de llamar a un tercero por 30 segundos y después prueba con una. Cada proceso decide por sí mismo; los pacientes y las tareas del servicio se cuentan aparte.</p>
${table(
  "Según los procesos que corren ahora.",
  ["Tercero", "Estado", "Última respuesta", "Última llamada sin respuesta"],
  gateways.map((gateway) => [
    PARTY_WORDS[gateway.party] ?? gateway.party,
    circuitWords(gateway),
    moment(gateway.answered_at),
    moment(gateway.unanswered_at),
  ]),
  { empty: "Ningún proceso ha llamado a un tercero." },
)}
<p><a href="/money">¿Se mueve el dinero?</a> · <a href="/switches">Interruptores</a></p>`,
  };
}

function circuitWords(gateway: Gateway): Content {
  const { processes, requests_stopped: requests, background_stopped: background, stopped_since: since } = gateway;
  if (processes === 0) return "Ningún proceso que corre ahora lo ha llamado";
  if (requests === 0 && background === 0) return "Se le llama";
  const of = (count: number, what: string) => count > 0 && `${what} en ${count} de ${processes} procesos`;
  const stopped = [of(requests, "pacientes"), of(background, "tareas")].filter((part) => part !== false);
  return html`<span class="severity" data-severity="high">Llamadas detenidas</span>: ${stopped.join(", ")}, desde ${moment(since)}`;
}
