import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface OwnCardsWords {
  readonly heading: string;
  readonly savedAt: (day: string, provider: string) => string;
  readonly usedAt: (day: string, provider: string) => string;
  readonly notUsed: string;
  readonly remove: (card: string) => string;
  /** The processor has not confirmed yet that it has deleted the card. */
  readonly waits: string;
  readonly confirm: (card: string) => ProblemWords;
  readonly confirmAction: string;
  readonly removed: ProblemWords;
}

export const OWN_CARDS_WORDS: PageWords<OwnCardsWords> = {
  "es-CL": {
    heading: "Tus tarjetas guardadas",
    savedAt: (day, provider) => `La guardaste el ${day} en ${provider}.`,
    usedAt: (day, provider) => `La usaste el ${day} en ${provider}.`,
    notUsed: "No la has usado desde entonces.",
    remove: (card) => `Borrar ${card}`,
    waits:
      "Ya no se puede usar. Falta que el procesador de tarjetas confirme que la borró; se lo pedimos hasta que responda.",
    confirm: (card) => ({
      title: `¿Borrar ${card}?`,
      text: "No se podrá usar en tus próximas atenciones. Los pagos que ya hiciste no cambian: un segundo cobro que tengas autorizado se hace igual.",
    }),
    confirmAction: "Sí, borrar la tarjeta",
    removed: {
      title: "Listo, la tarjeta ya no se puede usar",
      text: "En tu próxima atención volverás a ingresar una.",
    },
  },
  en: {
    heading: "Your saved cards",
    savedAt: (day, provider) => `You saved it on ${day} at ${provider}.`,
    usedAt: (day, provider) => `You used it on ${day} at ${provider}.`,
    notUsed: "You have not used it since.",
    remove: (card) => `Remove ${card}`,
    waits:
      "It can no longer be used. The card processor has not yet confirmed that it is deleted; we ask until it answers.",
    confirm: (card) => ({
      title: `Remove ${card}?`,
      text: "It cannot be used for your next consultations. Payments that you have made do not change: a second charge that you have authorised is still made.",
    }),
    confirmAction: "Yes, remove the card",
    removed: {
      title: "Done, the card can no longer be used",
      text: "At your next consultation you enter one again.",
    },
  },
};
