import { ACCESS_BLOCKED_DAYS } from "bff/contract/terms";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface InsurerAccessWords extends ProblemWords {
  readonly done: ProblemWords;
  /** The purpose of the link is fulfilled. */
  readonly given: ProblemWords;
}

export const INSURER_ACCESS_WORDS: PageWords<InsurerAccessWords> = {
  "es-CL": {
    title: "Danos acceso a tu isapre",
    text: `Con tu clave pedimos tu reembolso y seguimos qué responde tu isapre. Si tu isapre bloquea el acceso y sigue bloqueado ${ACCESS_BLOCKED_DAYS} días, lo que queda se paga antes.`,
    done: {
      title: "Listo, seguimos con tu reembolso",
      text: "Vamos a probar el acceso ahora. Si tu isapre lo bloquea otra vez, te avisaremos por correo.",
    },
    given: {
      title: "Ya nos diste acceso",
      text: "Este enlace ya se usó. Si tu isapre bloquea el acceso otra vez, te enviaremos uno nuevo.",
    },
  },
  en: {
    title: "Give us access to your isapre",
    text: `With your password we claim your reimbursement and follow what your isapre answers. If your isapre blocks the access and it stays blocked for ${ACCESS_BLOCKED_DAYS} days, what is left is to be paid earlier.`,
    done: {
      title: "Done, we go on with your reimbursement",
      text: "We will try the access now. If your isapre blocks it again, we will e-mail you.",
    },
    given: {
      title: "You have given us access",
      text: "This link has been used. If your isapre blocks the access again, we will send you a new one.",
    },
  },
};
