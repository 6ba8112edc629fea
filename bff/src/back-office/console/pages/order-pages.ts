import { readOrderId } from "../../../contract/vocabulary/identifiers.ts";
import { ORDERS_FOUND_MAX, personNamedBy } from "../../../orders/order-reads.ts";
import { recordAudit } from "../../../platform/audit-store.ts";
import { type Content, type Html, html } from "../../../platform/http/html.ts";
import { providerNow } from "../../../platform/provider.ts";
import { isOfAnOrder, LINK_PURPOSES, type LinkPurpose, sendLink } from "../../../self-service/send-link.ts";
import { listProviders } from "../../../tenants/providers.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { may, type Role } from "../../operators/role.ts";
import { findOrders } from "../../timeline/find-orders.ts";
import { showOrder } from "../../timeline/order-timeline.ts";
import { timelineView } from "../../views/exception-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { choice, facts, field, form, knownFacts, moment, orderLink, pesos, section, spoken, table } from "../layout.ts";
import { ConsoleRefused } from "../refusal.ts";
import {
  AMOUNT_WORDS,
  CARD_WORDS,
  durationWords,
  EXCEPTION_WORDS,
  LINK_WORDS,
  STEP_STATE_WORDS,
  SWITCH_WORDS,
  stateWords,
  TIMELINE_WORDS,
} from "../words.ts";
import { type ClinicName, clinicNames } from "./clinic-names.ts";

const { askForOrders, searchOrders, readOrder, revealOrder, sendLink: sending } = consoleEndpoints;

export function orderPageRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(askForOrders, {
      handle: async () => ({ clinics: await clinicNames(dependencies) }),
      page: ({ clinics }, { operator }) => ({ title: "Órdenes", body: orderSearchForm(clinics, operator.role) }),
    }),
    consoleRoute(searchOrders, {
      async handle({ body, operator, actor }) {
        if (personNamedBy(body.text) !== null && !may(operator.role, "find_people"))
          throw new ConsoleRefused("not_allowed", { why: PEOPLE_NOT_FOUND });
        return search(dependencies, { ...body, actor });
      },
      page: foundPage,
    }),
    consoleRoute(readOrder, {
      handle: ({ params, actor }) => show(dependencies, { hash: params.hash ?? "", actor, reason: null }),
      page: orderPage,
    }),
    consoleRoute(revealOrder, {
      handle: ({ params, actor, body }) => show(dependencies, { hash: params.hash ?? "", actor, reason: body.reason }),
      page: orderPage,
    }),
    consoleRoute(sending, {
      handle: ({ params, actor, body: { purpose } }) => send(dependencies, { hash: params.hash ?? "", actor, purpose }),
      page: sentPage,
    }),
  ];
}

async function send(
  dependencies: ConsoleDependencies,
  { hash, actor, purpose }: { readonly hash: string; readonly actor: string; readonly purpose: LinkPurpose },
): Promise<AnswerOf<typeof sending>> {
  const { db, environment } = dependencies;
  const orderId = readOrderId(hash);
  const providers = await listProviders(db, environment);
  const look = { providers, actor, isRevealed: false };
  const timeline = orderId === null ? null : await showOrder(dependencies, { ...look, orderId });
  if (timeline === null || orderId === null) throw new ConsoleRefused("not_found");
  const { provider, order } = timeline;
  const link = { provider, rut: order.customer.rut, purpose, actor, orderId: isOfAnOrder(purpose) ? orderId : null };
  return { order_hash: orderId, purpose, sent: await sendLink(dependencies, link) };
}

function sentPage({ order_hash: hash, purpose, sent }: AnswerOf<typeof sending>): ConsolePage {
  const words = sent
    ? `Mandamos el enlace ${LINK_WORDS[purpose]}, a donde van los correos del paciente. Pide un código.`
    : `No se mandó nada: ahora un enlace ${LINK_WORDS[purpose]} no sirve de nada, o se mandó hace un momento.`;
  return {
    title: sent ? "Enlace en camino" : "No se mandó nada",
    body: html`<p class="notice"${!sent && html` data-tone="warning"`} role="status">${words}</p><p><a href="/orders/${hash}">Volver a la orden</a></p>`,
  };
}

async function search(
  dependencies: ConsoleDependencies,
  { text, provider_id: providerId, actor }: { text: string; provider_id?: string | undefined; actor: string },
): Promise<AnswerOf<typeof searchOrders>> {
  const all = await listProviders(dependencies.db, dependencies.environment);
  const providers = all.filter(({ id }) => providerId === undefined || id === providerId);
  const found = await findOrders(dependencies, { text, providers, actor });
  return {
    orders: found.map(({ orderId, provider, reference, state, total, createdAt }) => ({
      order_hash: orderId,
      provider_id: provider.id,
      provider: provider.name,
      reference,
      state,
      total,
      created_at: createdAt.toISOString(),
    })),
    only_newest: found.length >= ORDERS_FOUND_MAX,
  };
}

async function show(
  dependencies: ConsoleDependencies,
  { hash, actor, reason }: { readonly hash: string; readonly actor: string; readonly reason: string | null },
): Promise<AnswerOf<typeof readOrder>> {
  const { db, clock, ids, environment } = dependencies;
  const orderId = readOrderId(hash);
  const isRevealed = reason !== null;
  const providers = await listProviders(db, environment);
  const timeline = orderId === null ? null : await showOrder(dependencies, { orderId, providers, actor, isRevealed });
  if (timeline === null || orderId === null) throw new ConsoleRefused("not_found");
  const now = providerNow(timeline.provider, clock.now());
  if (reason !== null)
    await recordAudit(db, {
      id: ids.uuid(),
      providerId: timeline.provider.id,
      actor,
      credentialId: null,
      act: "order.revealed",
      subject: { kind: "order", id: orderId },
      details: { reason },
      at: now,
    });
  return { ...timelineView(timeline, { isRevealed }), now: now.toISOString(), revealed: isRevealed };
}

const PEOPLE_NOT_FOUND =
  "Your role finds orders by hash or reference. A colleague in support can find a patient by RUT or e-mail.";

/** The form that finds orders, of one clinic or of all. */
export function orderSearchForm(clinics: readonly ClinicName[], role: Role): Html {
  const label = may(role, "find_people") ? "Orden, referencia, RUT o correo" : "Orden o referencia";
  const all: readonly (readonly [string, string])[] = [["", "Todas las clínicas"]];
  return form(
    "/orders/search",
    html`${field("text", label, { type: "search", isRequired: true, lengthMax: 200, hint: "De la orden bastan los ocho primeros signos." })}
${clinics.length > 1 && choice("provider_id", "Clínica", [...all, ...clinics.map(({ id, name }) => [id, name] as const)])}
<button>Buscar</button>`,
    "Buscar una orden",
  );
}

function foundPage(
  { orders, only_newest: isCut }: AnswerOf<typeof searchOrders>,
  { operator }: PageContext,
): ConsolePage {
  return {
    title: "Órdenes",
    body: html`${orderSearchForm([], operator.role)}
${table(
  "Las más nuevas primero. Cada orden que aparece queda en la auditoría con tu nombre.",
  ["Orden", "Creada", "Estado", "Total", "Referencia", "Clínica"],
  orders.map((order) => [
    orderLink(order.order_hash),
    moment(order.created_at),
    stateWords(order.state),
    pesos(order.total),
    order.reference,
    order.provider,
  ]),
  { empty: "No hay ninguna orden así." },
)}
${isCut && html`<p class="lead">Puede haber más: busca con la referencia exacta.</p>`}`,
  };
}

type Shown = AnswerOf<typeof readOrder>;
type Entry = Shown["happened"][number];

/** Shorter pauses are not shown. */
const IDLE_SECONDS = 3_600;

function orderPage(order: Shown, { operator }: PageContext): ConsolePage {
  const { patient, amounts } = order;
  const card =
    patient.card === null
      ? "—"
      : [patient.card.brand, CARD_WORDS[patient.card.kind ?? ""] ?? patient.card.kind, patient.card.last4]
          .filter(Boolean)
          .join(" ");
  return {
    title: `Orden ${order.reference}`,
    body: html`<p class="lead"><span class="hash">${order.order_hash}</span> · ${stateWords(order.state)} · <a href="/clinics/${order.provider_id}">${order.provider}</a></p>
${order.exceptions.map(
  ({ exception, kind, since }) =>
    html`<p class="notice" data-tone="warning"><a href="${exceptionPath(exception)}">${EXCEPTION_WORDS[kind].title}</a>, desde ${moment(since)}</p>`,
)}
${order.switched_off.map((what) => html`<p class="notice" data-tone="warning">${SWITCH_WORDS[what].name}: apagado. ${SWITCH_WORDS[what].whileOff}</p>`)}
${section("Montos", facts(amountNames.map((name) => [AMOUNT_WORDS[name], pesos(amounts[name])])))}
${section(
  order.revealed ? "Paciente" : "Paciente, con sus datos ocultos",
  html`${facts([
    ["RUT", patient.rut],
    ["Nombre", patient.name],
    ["Correo", patient.email],
    ["Teléfono", patient.phone_number],
    ["Tarjeta", card],
  ])}
${
  !order.revealed &&
  may(operator.role, "reveal") &&
  form(
    `/orders/${order.order_hash}/reveal`,
    html`${field("reason", "Por qué necesitas ver los datos", { isRequired: true, lengthMax: 200, hint: "Queda en la auditoría; sin nombres ni números." })}<button class="quiet">Mostrar los datos</button>`,
    "Mostrar los datos del paciente",
  )
}`,
)}
${may(operator.role, "help") && section("Mandar un enlace al paciente", linkForm(order), "link")}
${section("Qué espera", entryList(order.waits, "Nada."))}
${section(
  "Qué viene",
  table(
    "",
    ["Cuándo", "Qué", "Estado", "Intentos"],
    order.next.map(({ at, what, means, standing, attempts }) => [
      moment(at),
      meaning(what, means),
      STEP_STATE_WORDS[standing],
      attempts,
    ]),
  ),
)}
${section("Qué pasó", html`<ol class="timeline">${withPauses(order)}</ol>`)}`,
  };
}

function linkForm({ order_hash: hash, exceptions }: Shown): Html {
  const isWithoutAccess = exceptions.some(({ kind }) => kind === "claim_without_access");
  const purposes = LINK_PURPOSES.map((purpose) => [purpose, LINK_WORDS[purpose]] as const);
  return form(
    `/orders/${hash}/links`,
    html`${choice("purpose", "Para qué", purposes, isWithoutAccess ? "insurer_access" : "card_change")}<button class="quiet">Mandar</button>`,
    "Mandar un enlace al paciente",
  );
}

const amountNames = Object.keys(AMOUNT_WORDS) as (keyof typeof AMOUNT_WORDS)[];

export function exceptionPath(name: string): string {
  return `/exceptions/${encodeURIComponent(name)}`;
}

function entryList(entries: readonly Entry[], empty: string): Html {
  if (entries.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<ol class="timeline">${entries.map(entryItem)}</ol>`;
}

function entryItem({ at, what, means, amount, facts: known }: Entry): Html {
  return html`<li>${moment(at)} ${meaning(what, means)} ${amount !== null && html`<strong>${pesos(amount)}</strong>`} ${knownFacts(known)}</li>`;
}

/** Entries, oldest first, with a line for each pause. */
function withPauses({ happened, now }: Shown): Content {
  const moments = [...happened.slice(1).map(({ at }) => at), now];
  return happened.map((entry, index) => {
    const pause = (Date.parse(moments[index] ?? entry.at) - Date.parse(entry.at)) / 1_000;
    return html`${entryItem(entry)}${pause >= IDLE_SECONDS && html`<li class="pause">… ${durationWords(pause)} sin novedad</li>`}`;
  });
}

function meaning(what: string, means: string): Content {
  return TIMELINE_WORDS[what] ?? spoken(means);
}
