import type { GalleryState } from "../clinic-api.ts";

const GROUP_WORDS: Readonly<Record<string, string>> = {
  summary: "Resumen",
  patient: "Datos del paciente",
  identity: "Identidad",
  recognition: "Código",
  card: "Tarjeta",
  review: "Revisar y pagar",
  done: "Listo",
  problem: "Problemas",
  return: "Vuelta del banco",
  objection: "Cambio de correo",
  pay_early: "Pagar antes",
  card_change: "Cambiar la tarjeta",
  insurer_access: "Acceso a la isapre",
  my_data: "Mis datos",
  payment: "Mi pago",
};

/** The states of one screen. */
export interface StateGroup {
  readonly id: string;
  readonly words: string;
  readonly states: readonly string[];
}

/** The groups in the patient's order, with the states that have every word of the search in name or group. */
export function groupsOf(states: readonly GalleryState[], search: string): readonly StateGroup[] {
  const wanted = plain(search)
    .split(/[\s-]+/)
    .filter((word) => word !== "");
  return [...new Set(states.map(({ group }) => group))].flatMap((id) => {
    const words = GROUP_WORDS[id] ?? id;
    const found = states.filter(
      ({ name, group }) => group === id && wanted.every((word) => plain(`${name} ${words}`).includes(word)),
    );
    return found.length === 0 ? [] : [{ id, words, states: found.map(({ name }) => name) }];
  });
}

/** Lower case without accents, so that "codigo" finds "Código". */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
