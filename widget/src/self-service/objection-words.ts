import { OBJECTION_HOURS } from "bff/contract/terms";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface ObjectionWords extends ProblemWords {
  readonly action: string;
  readonly note: string;
  readonly done: ProblemWords;
  /** For an owner who repeats the press because no answer arrived, or whose change was undone by another link. */
  readonly doneBefore: ProblemWords;
}

export const OBJECTION_WORDS: PageWords<ObjectionWords> = {
  "es-CL": {
    title: "¿Cambiaste tu correo?",
    text: "Alguien confirmó tu identidad con tu cédula y registró otro correo para tu RUT. Si fuiste tú, no hagas nada. Si no fuiste tú, deshaz el cambio ahora.",
    action: "No fui yo, deshacer el cambio",
    note: `Este enlace sirve una sola vez y por ${OBJECTION_HOURS} horas.`,
    done: {
      title: "Listo, deshicimos el cambio",
      text: "Tu RUT vuelve a estar registrado con tu correo de siempre. Si te preocupa tu cédula, puedes bloquearla en el Registro Civil.",
    },
    doneBefore: {
      title: "Este enlace ya se usó",
      text: "Si ya presionaste el botón, el cambio está deshecho y te lo confirmamos por correo.",
    },
  },
  en: {
    title: "Did you change your e-mail?",
    text: "Somebody confirmed your identity with your identity card and registered another e-mail for your RUT. If it was you, do nothing. If it was not, undo the change now.",
    action: "It was not me, undo the change",
    note: `This link works once, and for ${OBJECTION_HOURS} hours.`,
    done: {
      title: "Done, we undid the change",
      text: "Your RUT is registered with your own e-mail again. If you worry about your identity card, you can block it at the Registro Civil.",
    },
    doneBefore: {
      title: "This link has been used",
      text: "If you have pressed the button already, the change is undone, and we have sent you an e-mail that says so.",
    },
  },
};
