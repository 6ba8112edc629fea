import { html } from "../../../platform/http/html.ts";
import type { Provider } from "../../../platform/provider.ts";
import { santiagoDay, santiagoMoment } from "../../../platform/santiago-time.ts";
import { deliveryView, readDeliveries as reading, replayWebhooks as replay } from "../../../webhooks/deliveries.ts";
import { listEndpoints } from "../../../webhooks/endpoints.ts";
import type { WebhookEndpoint } from "../../../webhooks/webhook-endpoint.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { may } from "../../operators/role.ts";
import { endpointStateView } from "../../views/provider-view.ts";
import { CONSOLE_PAGE_MAX, consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { choice, field, form, moment, orderLink, section, spoken, table } from "../layout.ts";
import { ConsoleRefused } from "../refusal.ts";
import { clinicName, requireClinic } from "./clinic-names.ts";

const { readDeliveries, replayWebhooks } = consoleEndpoints;

export function webhookPageRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  const { db } = dependencies;
  return [
    consoleRoute(readDeliveries, {
      async handle({ params, query }) {
        const { clinic, endpoint } = await requireEndpoint(dependencies, params);
        const { deliveries, next } = await reading(db, endpoint, { ...query, limit: String(CONSOLE_PAGE_MAX) });
        return {
          clinic: clinicName(clinic),
          endpoint: endpointStateView(endpoint),
          deliveries: deliveries.map(deliveryView),
          next,
        };
      },
      page: deliveriesPage,
    }),
    consoleRoute(replayWebhooks, {
      async handle({ params, body, actor }) {
        const { clinic, endpoint } = await requireEndpoint(dependencies, params);
        const wanted = "since" in body ? { since: santiagoMoment(body.since).toISOString(), only_failed: true } : body;
        const by = { providerId: clinic.id, actor, credentialId: null };
        const replayed = await replay(dependencies, by, endpoint, wanted);
        return { clinic: clinicName(clinic), endpoint_id: endpoint.id, replayed };
      },
      page: replayedPage,
    }),
  ];
}

async function requireEndpoint(
  dependencies: ConsoleDependencies,
  params: Readonly<Record<string, string>>,
): Promise<{ readonly clinic: Provider; readonly endpoint: WebhookEndpoint }> {
  const clinic = await requireClinic(dependencies, params.id);
  const endpoint = (await listEndpoints(dependencies.db, clinic.id)).find(({ id }) => id === params.endpoint);
  if (endpoint === undefined) throw new ConsoleRefused("not_found");
  return { clinic, endpoint };
}

const STATUS_WORDS = { pending: "pendiente", delivered: "entregado", failed: "no entregado" } as const;

function deliveriesPage(
  { clinic, endpoint, deliveries, next }: AnswerOf<typeof readDeliveries>,
  { operator, query }: PageContext,
): ConsolePage {
  const path = `/clinics/${clinic.id}/webhooks/${endpoint.id}`;
  const status = String(query.status ?? "");
  const mayReplay = may(operator.role, "replay");
  const failing = endpoint.failing_since;
  const since = failing === null ? {} : { value: santiagoDay(new Date(failing)) };
  const further = new URLSearchParams({ ...(status === "" ? {} : { status }), after: next ?? "" });
  return {
    title: "Webhooks",
    body: html`<p class="lead">${endpoint.url} · <a href="/clinics/${clinic.id}">${clinic.name}</a></p>
${endpoint.failing_since !== null && html`<p class="notice" data-tone="warning">Falla desde ${moment(endpoint.failing_since)}. La clínica ya fue avisada.</p>`}
<form class="panel" action="${path}" aria-label="Filtrar">${choice("status", "Estado", [["", "Todos"] as const, ...Object.entries(STATUS_WORDS)], status)}<button class="quiet">Filtrar</button></form>
${table(
  "Los más nuevos primero.",
  ["Evento", "Creado", "Estado", "Último intento", "Orden", ...(mayReplay ? ["Acción"] : [])],
  deliveries.map((delivery) => {
    const last = delivery.attempts.at(-1);
    const isEnded = delivery.status !== "pending";
    return [
      html`<code>${delivery.event}</code>`,
      moment(delivery.created_at),
      STATUS_WORDS[delivery.status],
      last === undefined
        ? "ninguno"
        : html`${last.number}.º, ${moment(last.started_at)} ${last.status} ${last.explanation !== null && spoken(last.explanation)}`,
      orderLink(delivery.order_hash),
      ...(mayReplay
        ? [
            isEnded &&
              html`<form method="post" action="${path}/replay"><input type="hidden" name="delivery_id" value="${delivery.id}"><button class="quiet">Mandar otra vez</button></form>`,
          ]
        : []),
    ];
  }),
)}
${next !== null && html`<p><a href="${path}?${further.toString()}">Más antiguos</a></p>`}
${
  mayReplay &&
  section(
    "Mandar otra vez lo no entregado",
    form(
      `${path}/replay`,
      html`${field("since", "Desde el día", { type: "date", isRequired: true, ...since })}<button class="quiet">Mandar otra vez</button>`,
      "Mandar otra vez lo no entregado",
    ),
  )
}`,
  };
}

function replayedPage({ clinic, endpoint_id: id, replayed }: AnswerOf<typeof replayWebhooks>): ConsolePage {
  const words = replayed === 1 ? "1 envío quedó en cola." : `${replayed} envíos quedaron en cola.`;
  return {
    title: "Webhooks",
    body: html`<p class="notice" role="status">${words}</p><p><a href="/clinics/${clinic.id}/webhooks/${id}">Volver a los envíos</a></p>`,
  };
}
