import { type Content, type Html, html } from "../../../platform/http/html.ts";
import { approveRequest, listRequests, refuseById } from "../../approved-acts/approve-request.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import type { Resolution } from "../../exceptions/exception-kinds.ts";
import { actorOf } from "../../operators.ts";
import { approvalView, type twoPeopleView } from "../../views/approval-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { facts, field, form, knownFacts, moment, section, shortId, spoken } from "../layout.ts";
import { APPROVED_ACT_WORDS, RESOLUTION_WORDS } from "../words.ts";

const { listApprovals, approveRequest: approving, refuseRequest: refusing } = consoleEndpoints;

export function approvalRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(listApprovals, {
      async handle({ actor, operator: { role } }) {
        return { approvals: (await listRequests(dependencies, { actor, role })).map(approvalView) };
      },
      page: listPage,
    }),
    consoleRoute(approving, {
      async handle({ params, body: { note = null }, actor, operator: { role } }) {
        const id = params.id ?? "";
        return { approval: id, ...(await approveRequest(dependencies, { id, actor, role, note })) };
      },
      page: (done) => ({ title: "Hecho", body: html`${doneNotice(done)}${BACK}` }),
    }),
    consoleRoute(refusing, {
      async handle({ params, actor, operator: { role } }) {
        const id = params.id ?? "";
        await refuseById(dependencies, { id, actor, role });
        return { approval: id, refused: true as const };
      },
      page: () => ({
        title: "Solicitud cerrada",
        body: html`<p class="notice" role="status">No se hizo nada de lo que pedía.</p>${BACK}`,
      }),
    }),
  ];
}

type Approval = AnswerOf<typeof listApprovals>["approvals"][number];

function listPage({ approvals }: AnswerOf<typeof listApprovals>, { operator }: PageContext): ConsolePage {
  return {
    title: "Aprobaciones",
    body: html`<p class="lead">Lo que pidió una persona y necesita otra. Quien aprueba responde por ello tanto como quien pidió.</p>
${
  approvals.length === 0
    ? html`<p class="empty">Nada espera una segunda persona.</p>`
    : approvals.map((one) => approvalSection(one, one.requested_by === actorOf(operator.name)))
}`,
  };
}

function approvalSection(one: Approval, isOwn: boolean): Html {
  const path = `/approvals/${one.approval}`;
  const name = one.approval.slice(0, 8);
  const isResolution = one.act === "exception.resolve";
  return section(
    APPROVED_ACT_WORDS[one.act] ?? one.act,
    html`${facts([
      ["Sobre", subjectLink(one)],
      ["Qué exactamente", knownFacts(wordsOf(one.request))],
      ["Lo pidió", one.requested_by],
      ["Cuándo", moment(one.requested_at)],
      ["Caduca", moment(one.lapses_at)],
      ["Solicitud", shortId(one.approval)],
    ])}${
      one.may_approve &&
      form(
        `${path}/approve`,
        html`${isResolution && field("note", "Por qué", { isRequired: true, lengthMax: 200 })}<button class="weighty">Aprobar y hacer</button>`,
        `Aprobar la solicitud ${name}`,
      )
    }${
      (one.may_approve || isOwn) &&
      form(
        `${path}/refuse`,
        html`<button class="quiet">${isOwn ? "Retirar mi solicitud" : "Rechazar"}</button>`,
        `Cerrar la solicitud ${name}`,
      )
    }`,
  );
}

/** The values, with the resolution in Spanish. */
function wordsOf({ resolution, ...values }: Approval["request"]): Approval["request"] {
  if (typeof resolution !== "string" || !(resolution in RESOLUTION_WORDS))
    return { resolution: resolution ?? null, ...values };
  return { resolution: RESOLUTION_WORDS[resolution as Resolution].name, ...values };
}

function subjectLink({ act, subject, provider }: Approval): Content {
  if (act === "exception.resolve") return html`<a href="/exceptions/${encodeURIComponent(subject)}">la excepción</a>`;
  return provider === null ? subject : html`<a href="/clinics/${subject}">${provider}</a>`;
}

const BACK = html`<p><a href="/approvals">Volver a las aprobaciones</a></p>`;

function doneNotice({ outcome, secret }: Pick<AnswerOf<typeof approving>, "outcome" | "secret">): Html {
  const shown = secret !== null && facts([[secret.name, html`<span class="hash">${secret.value}</span>`]]);
  return html`<p class="notice" role="status">Hecho. ${spoken(outcome)}${secret !== null && " El valor se muestra solo ahora: entrégalo por un canal seguro."}</p>${shown}`;
}

/** The page after a form whose act needs two operators. */
export function twoPeoplePage(outcome: ReturnType<typeof twoPeopleView>, back: Html): ConsolePage {
  if (outcome.is_done) return { title: "Hecho", body: html`${doneNotice(outcome)}${back}` };
  return {
    title: "Falta otra persona",
    body: html`<p class="notice" data-tone="warning" role="status">Todavía no se hace nada: dentro de siete días otra persona tiene que aprobarlo en <a href="/approvals">Aprobaciones</a> o pedir lo mismo.</p>${back}`,
  };
}
