import { html } from "../../../platform/http/html.ts";
import { listSwitchedOff } from "../../../platform/switch-store.ts";
import { SWITCHES } from "../../../platform/switches.ts";
import { changeSwitch } from "../../change-switch.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { may } from "../../operators/role.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { choice, form, section, table } from "../layout.ts";
import { SWITCH_WORDS } from "../words.ts";
import { clinicNames, requireClinic } from "./clinic-names.ts";

const { listSwitches, changeSwitch: changing } = consoleEndpoints;

export function switchRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(listSwitches, { handle: () => readSwitches(dependencies), page: switchesPage }),
    consoleRoute(changing, {
      async handle({ body: { what, state, provider_id: id }, actor }) {
        const clinic = id === undefined ? null : await requireClinic(dependencies, id);
        const change = { what, state, providerId: clinic?.id ?? null };
        const isChanged = await changeSwitch({ ...dependencies, actor }, change);
        return { what, state, clinic: clinic?.name ?? null, is_changed: isChanged };
      },
      page: changedPage,
    }),
  ];
}

async function readSwitches(dependencies: ConsoleDependencies): Promise<AnswerOf<typeof listSwitches>> {
  const clinics = await clinicNames(dependencies);
  const off = await listSwitchedOff(dependencies.db);
  return {
    clinics,
    off: off.map(({ what, providerId }) => ({
      what,
      provider_id: providerId,
      clinic: clinics.find(({ id }) => id === providerId)?.name ?? null,
    })),
  };
}

function switchesPage({ off, clinics }: AnswerOf<typeof listSwitches>, { operator }: PageContext): ConsolePage {
  const switches = SWITCHES.map((what) => [what, SWITCH_WORDS[what].name] as const);
  const whose = [["", "Todas las clínicas"] as const, ...clinics.map(({ id, name }) => [id, name] as const)];
  return {
    title: "Interruptores",
    body: html`<p class="lead">Cuentan de inmediato en todos los procesos. Lo que espera sigue solo cuando se enciende otra vez.</p>
${table(
  "Apagado ahora",
  ["Qué", "De quién", "Mientras tanto"],
  off.map(({ what, clinic, provider_id: id }) => [
    SWITCH_WORDS[what].name,
    clinic ?? (id === null ? "todas las clínicas" : id),
    SWITCH_WORDS[what].whileOff,
  ]),
  { empty: "Todo está encendido." },
)}
${
  may(operator.role, "switch") &&
  section(
    "Cambiar",
    form(
      "/switches",
      html`${choice("what", "Qué", switches)}${choice("provider_id", "De quién", whose)}
${choice("state", "Estado", [
  ["off", "Apagar"],
  ["on", "Encender"],
])}<button class="weighty">Cambiar</button>`,
      "Cambiar un interruptor",
    ),
  )
}`,
  };
}

function changedPage({ what, state, clinic, is_changed: isChanged }: AnswerOf<typeof changing>): ConsolePage {
  const now = state === "off" ? "apagado" : "encendido";
  const whose = clinic ?? "todas las clínicas";
  const words = `${SWITCH_WORDS[what].name} (${whose}): ${isChanged ? now : `ya estaba ${now}`}.`;
  return {
    title: "Interruptores",
    body: html`<p class="notice" role="status">${words}</p><p><a href="/switches">Volver a los interruptores</a></p>`,
  };
}
