import type { GalleryState } from "./gallery-state.ts";

/* The recorded answers of a state, with the longest names and largest amounts that a design must hold. */

const LARGEST_AMOUNT = 999_999_999;
/** Smaller numbers are days, percentages and counts. */
const AMOUNT_MIN = 1_000;

const LONG_TEXTS: Readonly<Record<string, string>> = {
  first_name: "María Fernanda de los Ángeles",
  last_name: "Undurraga-Etchepare Errázuriz",
  holder_name: "MARIA FERNANDA UNDURRAGA-ETCHEPARE",
  provider_name: "Centro de Especialidades Médicas y Odontológicas San Bernardino de los Aromos del Sur SpA",
  financing_provider: "Financiera Cooperativa de Profesionales de la Salud del Sur S.A.",
  description: "Resonancia magnética de columna cervical, dorsal y lumbar con medio de contraste",
};
/** Objects whose `name` is a clinic's. Elsewhere a name may be a code. */
const CLINICS: readonly string[] = ["provider", "center"];

/** The same state with long names and large amounts. */
export function withLongContent(state: GalleryState): GalleryState {
  const { visitAnswers, answers, returning, opening } = state;
  return {
    ...state,
    page: (locale) => lengthen(state.page(locale)),
    ...(opening === undefined ? {} : { opening: lengthen(opening) }),
    ...(visitAnswers === undefined ? {} : { visitAnswers: lengthenAnswers(visitAnswers) }),
    ...(answers === undefined ? {} : { answers: lengthenAnswers(answers) }),
    ...(returning === undefined ? {} : { returning: lengthen(returning) }),
  };
}

/** A copy of the data with long names and large amounts. */
export function lengthen<Data>(data: Data): Data {
  return lengthened(data, "", "") as Data;
}

function lengthened(value: unknown, key: string, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item) => lengthened(item, key, parent));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, lengthened(item, name, key)]));
  }
  if (typeof value === "number") return value >= AMOUNT_MIN && isAmount(key) ? LARGEST_AMOUNT : value;
  if (typeof value !== "string") return value;
  const isClinic = key === "name" && CLINICS.includes(parent);
  return LONG_TEXTS[isClinic ? "provider_name" : key] ?? value;
}

function isAmount(key: string): boolean {
  return !/year|at$/i.test(key);
}

type Answer = (...given: readonly unknown[]) => Promise<unknown>;

/** Answers are functions, so their results are lengthened. */
function lengthenAnswers<Answers extends object>(answers: Answers): Answers {
  const entries = Object.entries(answers as Readonly<Record<string, Answer>>).map(
    ([name, answer]) => [name, async (...given: readonly unknown[]) => lengthen(await answer(...given))] as const,
  );
  return Object.fromEntries(entries) as Answers;
}
