/** The languages of the guide. The reference of endpoints and the changelog are English. */
export type GuideLanguage = "en" | "es";

export const GUIDE_LANGUAGES: readonly GuideLanguage[] = ["en", "es"];

interface GuideWords {
  /** The value of `lang`. */
  readonly tag: string;
  /** How numbers are written. */
  readonly locale: string;
  readonly forPartners: string;
  readonly skip: string;
  readonly contents: string;
  readonly contentsFolded: string;
  readonly groups: Readonly<Record<"Guide" | "Reference", string>>;
  /** Added to the names of pages that exist in English only. */
  readonly englishOnly: string | null;
  /** The other language, in its own words. */
  readonly otherLanguage: string;
  readonly otherGuide: string;
  readonly search: string;
  readonly footer: string;
  readonly openApi: string;
  readonly machines: string;
  readonly sampleLanguage: string;
  readonly values: string;
  readonly example: string;
  readonly secret: string;
  readonly body: string;
  readonly carries: string;
  readonly byMost: string;
}

export const guideWords: Readonly<Record<GuideLanguage, GuideWords>> = {
  en: {
    tag: "en",
    locale: "en-GB",
    forPartners: "for partners",
    skip: "Skip to the content",
    contents: "Contents",
    contentsFolded: "Contents, folded",
    groups: { Guide: "Guide", Reference: "Reference" },
    englishOnly: null,
    otherLanguage: "Español",
    otherGuide: "Guía en español",
    search: "Search",
    footer: "Generated from the service's own declarations.",
    openApi: "OpenAPI 3.1 document",
    machines: "For machines",
    sampleLanguage: "Language of the sample",
    values: "values",
    example: "Example",
    secret: "Secret",
    body: "Body",
    carries: "Carries ",
    byMost: "By most endpoints.",
  },
  es: {
    tag: "es-CL",
    locale: "es-CL",
    forPartners: "para partners",
    skip: "Ir al contenido",
    contents: "Contenidos",
    contentsFolded: "Contenidos, plegados",
    groups: { Guide: "Guía", Reference: "Referencia" },
    englishOnly: "en inglés",
    otherLanguage: "English",
    otherGuide: "Guide in English",
    search: "Buscar",
    footer: "La referencia de endpoints y lo que se genera del contrato están en inglés.",
    openApi: "Documento OpenAPI 3.1",
    machines: "Para máquinas",
    sampleLanguage: "Lenguaje del ejemplo",
    values: "valores",
    example: "Ejemplo",
    secret: "Secreto",
    body: "Cuerpo",
    carries: "Incluye ",
    byMost: "En la mayoría de los endpoints.",
  },
};
