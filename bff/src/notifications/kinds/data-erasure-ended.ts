import type { NotificationDefinition } from "../notification-definition.ts";

/** A pending erasure was cancelled, because the patient has signed up again. It needs no facts. */
export type DataErasureEnded = Readonly<Record<never, never>>;

export const dataErasureEnded: NotificationDefinition<DataErasureEnded> = {
  mail: {
    "es-CL": () => ({
      subject: "Ya no borraremos tus datos",
      paragraphs: [
        "Pediste que borráramos tus datos. Como te registraste de nuevo, dejamos de hacerlo: lo que ya borramos sigue borrado, y lo demás se queda.",
        "Si no fuiste tú, o todavía quieres que los borremos, pídelo otra vez.",
      ],
    }),
    en: () => ({
      subject: "We will not erase your data any more",
      paragraphs: [
        "You asked us to erase your data. As you signed up again, we have stopped: what we have erased stays erased, and the rest stays.",
        "If it was not you, or you still want us to erase them, ask again.",
      ],
    }),
  },
  message: null,
};
