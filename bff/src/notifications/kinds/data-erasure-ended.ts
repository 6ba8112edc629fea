import type { NotificationDefinition } from "../notification-definition.ts";

/** A pending erasure was cancelled, because the patient has signed up again. It needs no facts. */
export type DataErasureEnded = Readonly<Record<never, never>>;

export const dataErasureEnded: NotificationDefinition<DataErasureEnded> = {
  mail: {
    "es-CL": () => ({
      subject: "Ya no borraremos tus datos",
      paragraphs: [
        "Pediste que borráramos tus datos. Como te registraste de nuevo, no seguiremos: lo que ya borramos sigue borrado, y conservamos lo demás.",
        "Si no fuiste tú, o todavía quieres que los borremos, pídelo otra vez o escríbenos.",
      ],
    }),
    en: () => ({
      subject: "We will not erase your data any more",
      paragraphs: [
        "You asked us to erase your data. As you signed up again, we have stopped: what we have erased stays erased, and we keep the rest.",
        "If it was not you, or you still want us to erase it, ask again or write to us.",
      ],
    }),
  },
  message: null,
};
