import { createHash } from "node:crypto";
import type { Locale } from "../../src/contract/widget-tokens.ts";
import type { Message } from "../../src/gateways/messenger.ts";

/*
 * The templates that Meta has to approve: one per kind of notification that has a short message, in both languages. The
 * words are those of the short messages in `src/notifications/kinds`; a test compares them.
 */

type InEachLanguage = Readonly<Record<Locale, string>>;

/** The words between the beginning and the end, which all templates share: in Spanish and in English. */
const WORDS: Readonly<Record<string, readonly [spanish: string, english: string]>> = {
  payment_receipt: [
    "recibimos tu pago de {{today}}. El segundo cobro, {{later_charge}}, {{manner}} a más tardar el {{latest_day}}.",
    "we received your payment of {{today}}. The second charge, {{later_charge}}, {{manner}} on {{latest_day}} at the latest.",
  ],
  claim_filed: [
    "presentamos en {{insurer}} el reembolso de tu atención. Te avisaremos cuando responda.",
    "we claimed the reimbursement of your consultation from {{insurer}}. We will tell you when it answers.",
  ],
  claim_approved: ["{{insurer}} {{decision}}.", "{{insurer}} {{decision}}."],
  claim_rejected: ["{{insurer}} {{decision}}.", "{{insurer}} {{decision}}."],
  claim_unfiled: ["{{missing}}.", "{{missing}}."],
  access_blocked: [
    "{{insurer}} bloqueó {{access}}. {{action}}. Nunca te pediremos tu clave por mensaje.",
    "{{insurer}} blocked {{access}}. {{action}}. We never ask for your password in a message.",
  ],
  charge_announced: [
    "el {{day}} cobraremos {{amount}} en tu tarjeta terminada en {{card_ending}}.",
    "on {{day}} we will charge {{amount}} to your card ending in {{card_ending}}.",
  ],
  charged: [
    "hicimos el segundo cobro, {{amount}}, en tu tarjeta terminada en {{card_ending}}. No habrá más cobros.",
    "we made the second charge, {{amount}}, to your card ending in {{card_ending}}. There will be no more charges.",
  ],
  paid_otherwise: [
    "recibimos {{amount}}, el resto de tu pago. No habrá más cobros.",
    "we received {{amount}}, the rest of your payment. There will be no more charges.",
  ],
  written_off: [
    "no haremos el segundo cobro de tu pago, {{amount}}. No tienes que hacer nada.",
    "we will not make the second charge, {{amount}}. You do not have to do anything.",
  ],
  charge_returned: [
    "devolvimos a tu tarjeta {{amount}} de un cobro que no correspondía. No tienes que hacer nada.",
    "we returned {{amount}} to your card, a charge that should not have been made. You do not have to do anything.",
  ],
  charge_declined: [
    "no pudimos cobrar {{amount}} en tu tarjeta terminada en {{card_ending}}. {{next}}",
    "we could not charge {{amount}} to your card ending in {{card_ending}}. {{next}}",
  ],
  mandate_revoked: [
    "no cobraremos tu tarjeta terminada en {{card_ending}}, porque retiraste la autorización. Debes {{debt}}.",
    "we will not charge your card ending in {{card_ending}}, because you withdrew the authorization. You owe {{debt}}.",
  ],
  dispute_closed: [
    "terminó el reclamo de tu pago en tu banco: {{result}} {{amount}}.",
    "the dispute with your bank about your payment has ended: {{result}} {{amount}}.",
  ],
  refund_transferred: [
    "te transferimos {{amount}} de tu devolución.",
    "we transferred {{amount}} of your refund to you.",
  ],
  refunded: ["{{verb}} una devolución de tu pago: {{sums}}.", "we {{verb}} a refund of your payment: {{sums}}."],
};

/** Meta accepts no template that begins with a value. */
const BEGINNING: InEachLanguage = {
  "es-CL": "Sobre tu atención en {{clinic}}: ",
  en: "About your consultation at {{clinic}}: ",
};
const END: InEachLanguage = { "es-CL": " Revisa tu correo.", en: " Check your e-mail." };
/** Meta's name of each language. */
const LANGUAGES: InEachLanguage = { "es-CL": "es", en: "en" };

/** An example of each value, for Meta's review. */
const EXAMPLES: Readonly<Record<string, InEachLanguage>> = {
  clinic: { "es-CL": "Clínica Ejemplo", en: "Clínica Ejemplo" },
  today: { "es-CL": "$12.000", en: "$12.000" },
  later_charge: { "es-CL": "$30.800", en: "$30.800" },
  manner: { "es-CL": "se hará una sola vez,", en: "will be made once," },
  latest_day: { "es-CL": "5 de enero de 2027", en: "5 January 2027" },
  insurer: { "es-CL": "Nueva Masvida", en: "Nueva Masvida" },
  decision: {
    "es-CL": "aprobó tu reembolso. Segundo cobro: $30.800, el 3 de diciembre de 2026, en tu tarjeta terminada en 6623",
    en: "approved your reimbursement. Second charge: $30.800, on 3 December 2026, to your card ending in 6623",
  },
  missing: {
    "es-CL": "falta un paso para pedir tu reembolso: el acceso a tu isapre. Nunca te pediremos tu clave por mensaje",
    en: "one step is missing for your reimbursement: access to your isapre. We never ask for your password in a message",
  },
  access: { "es-CL": "el acceso con que seguimos tu reembolso", en: "our access to your reimbursement" },
  action: {
    "es-CL": "Danos acceso de nuevo antes del 28 de diciembre de 2027",
    en: "Give us access again before 28 December 2027",
  },
  amount: { "es-CL": "$30.800", en: "$30.800" },
  day: {
    "es-CL": "5 de enero de 2027, o antes si tu isapre aprueba,",
    en: "5 January 2027, or earlier if your isapre approves,",
  },
  card_ending: { "es-CL": "6623", en: "6623" },
  next: { "es-CL": "Lo intentaremos de nuevo el 7 de enero de 2027.", en: "We will try again on 7 January 2027." },
  debt: {
    "es-CL": "$30.800, que vencen a más tardar el 5 de enero de 2027",
    en: "$30.800, due on 5 January 2027 at the latest",
  },
  result: { "es-CL": "es definitiva la devolución de", en: "you keep the refund of" },
  verb: { "es-CL": "hicimos", en: "made" },
  sums: {
    "es-CL": "$10.700 ya no se cobran, el segundo cobro es de $20.100",
    en: "$10.700 is no longer charged, the second charge is $20.100",
  },
};

/** A template as it is submitted to Meta. */
export interface MetaTemplate {
  readonly name: string;
  readonly language: string;
  readonly category: "UTILITY";
  readonly parameter_format: "NAMED";
  readonly components: readonly [
    {
      readonly type: "BODY";
      readonly text: string;
      readonly example: {
        readonly body_text_named_params: readonly { readonly param_name: string; readonly example: string }[];
      };
    },
  ];
}

type Words = (typeof WORDS)[string];

function bodyOf([spanish, english]: Words, language: Locale): string {
  return `${BEGINNING[language]}${language === "en" ? english : spanish}${END[language]}`;
}

/** The name changes with the words, so that a new text is another template, and never sent before its approval. */
function nameOf(kind: string, words: Words): string {
  const texts = JSON.stringify([bodyOf(words, "es-CL"), bodyOf(words, "en")]);
  return `${kind}_${createHash("sha256").update(texts).digest("hex").slice(0, 8)}`;
}

function valuesIn(body: string): readonly string[] {
  return [...body.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, name = ""]) => name);
}

/** All templates, in the form of Meta's API. */
export function listTemplates(): readonly MetaTemplate[] {
  return Object.entries(WORDS).flatMap(([kind, words]) =>
    (["es-CL", "en"] as const).map((language) => {
      const text = bodyOf(words, language);
      const examples = valuesIn(text).map((name) => ({
        param_name: name,
        example: EXAMPLES[name]?.[language] ?? name,
      }));
      return {
        name: nameOf(kind, words),
        language: LANGUAGES[language],
        category: "UTILITY",
        parameter_format: "NAMED",
        components: [{ type: "BODY", text, example: { body_text_named_params: examples } }],
      };
    }),
  );
}

/** The template of a message with its values; null if there is none, or its values are not those of the message. */
export function templateOf({ template, values = {} }: Omit<Message, "to" | "text">) {
  const words = template === undefined ? undefined : WORDS[template.name];
  if (template === undefined || words === undefined) return null;
  const given = new Map(Object.entries(values).map(([name, value]) => [inSnakeCase(name), value]));
  const wanted = valuesIn(bodyOf(words, template.language));
  const parameters = wanted.flatMap((name) => {
    const value = given.get(name);
    return value === undefined ? [] : [{ name, value }];
  });
  if (parameters.length !== wanted.length || given.size !== wanted.length) return null;
  return { template: nameOf(template.name, words), language: LANGUAGES[template.language], parameters };
}

/** Meta allows only lower case and underscores. */
function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
