import type { Locale } from "./protocol.ts";

type Words = { title: string; close: string; failed: string; retry: string; open: string };

/** The kit's own texts for patients. All other texts are in the frame. */
export const WORDS: Record<Locale, Words> = {
  "es-CL": {
    title: "Pago seguro",
    close: "Cerrar",
    failed: "No se cargó el pago. Revisa tu conexión.",
    retry: "Reintentar",
    open: "Abrir en otra página",
  },
  en: {
    title: "Secure payment",
    close: "Close",
    failed: "The payment did not load. Check your connection.",
    retry: "Try again",
    open: "Open in a new page",
  },
};
