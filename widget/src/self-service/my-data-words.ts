import type { ConsentPurpose } from "bff/contract/orders";
import type { KeptData, WithdrawalEffect } from "bff/contract/patient-rights";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface MyDataWords extends ProblemWords {
  readonly view: ProblemWords;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly insurer: string;
  readonly access: string;
  readonly accessKept: string;
  readonly accessNone: string;
  readonly orders: string;
  readonly documents: string;
  readonly owed: string;
  readonly download: string;
  readonly fileName: string;
  readonly contractOf: (provider: string, reference: string) => string;
  readonly consentsTitle: string;
  readonly noConsents: string;
  readonly purposes: Readonly<Record<ConsentPurpose, string>>;
  readonly givenOn: (day: string) => string;
  readonly withdrawnOn: (day: string) => string;
  readonly contract: string;
  readonly withdraw: (purpose: string) => string;
  readonly withdrawTitle: (purpose: string) => string;
  /** The consequences of a withdrawal, shown before it. */
  readonly means: Readonly<Record<ConsentPurpose, string>>;
  readonly stillOwed: (amount: string) => string;
  readonly withdrawAction: string;
  readonly keep: string;
  readonly withdrawn: string;
  readonly effects: Readonly<Record<WithdrawalEffect, string>>;
  readonly eraseTitle: string;
  readonly eraseText: string;
  readonly eraseOpen: string;
  readonly eraseConfirm: ProblemWords;
  readonly eraseAction: string;
  readonly eraseAsked: (day: string) => string;
  readonly erased: ProblemWords;
  /** For a patient who repeats the press because no answer arrived. */
  readonly erasedBefore: ProblemWords;
  readonly waiting: ProblemWords;
  readonly keptTitle: string;
  readonly kept: Readonly<Record<KeptData["what"], string>>;
  readonly because: Readonly<Record<KeptData["because"], string>>;
}

export const MY_DATA_WORDS: PageWords<MyDataWords> = {
  "es-CL": {
    title: "Tus datos",
    text: "Aquí puedes ver y descargar tus datos, retirar lo que autorizaste o pedir que los borremos.",
    view: {
      title: "Tus datos",
      text: "Esto es lo que guardamos de ti con este correo. Si una clínica usó otro correo tuyo, pídelo por los contactos de esta página: te lo daremos cuando confirmemos quién eres.",
    },
    name: "Nombre",
    email: "Correo",
    phone: "Celular",
    insurer: "Isapre",
    access: "Clave de tu isapre",
    accessKept: "Guardada, cifrada",
    accessNone: "No la tenemos",
    orders: "Pagos",
    documents: "Documentos",
    owed: "Queda por cobrar",
    download: "Descargar todo",
    fileName: "mis-datos.json",
    contractOf: (provider, reference) => `Descargar contrato: ${provider}, ${reference} (PDF)`,
    consentsTitle: "Lo que autorizaste",
    noConsents: "No hay autorizaciones vigentes.",
    purposes: {
      terms_and_credit: "Términos y crédito",
      later_charge: "Segundo cobro",
      claim_mandate: "Mandato de reembolso",
      health_data: "Datos de salud",
      insurer_access: "Clave de tu isapre",
      saved_card: "Tarjeta guardada",
      marketing: "Novedades y ofertas",
    },
    givenOn: (day) => `Lo aceptaste el ${day}.`,
    withdrawnOn: (day) => `Lo retiraste el ${day}.`,
    contract: "Es parte de un contrato que aceptaste: la ley pide conservarlo.",
    withdraw: (purpose) => `Retirar: ${purpose}`,
    withdrawTitle: (purpose) => `¿Retirar «${purpose}»?`,
    means: {
      terms_and_credit: "No se puede retirar.",
      later_charge:
        "No cobraremos más esta tarjeta, salvo un cobro en curso. Podrás dar otra tarjeta o pagar de otra forma.",
      claim_mandate:
        "No presentaremos más reembolsos por ti, detendremos los que no hemos presentado, dejaremos de seguir los demás y borraremos la clave de tu isapre. Puedes pedir el reembolso directamente en tu isapre.",
      health_data:
        "Sin tus documentos no podemos presentar reembolsos: detendremos los que no hemos presentado, dejaremos de seguir los demás y borraremos la clave de tu isapre.",
      insurer_access: "Borraremos la clave de tu isapre. Sin ella no podemos presentar tus reembolsos.",
      saved_card: "Borraremos tus tarjetas guardadas. En tu próxima atención volverás a ingresar una.",
      marketing: "No te enviaremos más novedades ni ofertas.",
    },
    stillOwed: (amount) => `Lo que debes no cambia: quedan ${amount} por pagar.`,
    withdrawAction: "Sí, retirar",
    keep: "No, dejarlo así",
    withdrawn: "Listo, lo retiramos",
    effects: {
      insurer_access_destroyed: "Borramos la clave de tu isapre.",
      open_claims_stopped: "Detuvimos los reembolsos que no habíamos presentado.",
      no_more_claims: "No presentaremos más reembolsos por ti.",
      card_not_charged:
        "No cobraremos más tu tarjeta, salvo un cobro en curso. Si debes algo, un correo te dice cómo pagarlo.",
      saved_cards_removed: "Borramos tus tarjetas guardadas.",
      no_more_offers: "No te enviaremos más ofertas.",
    },
    eraseTitle: "Borrar tus datos",
    eraseText: "Borramos todo lo que ninguna ley nos obliga a conservar, y te decimos qué queda y por qué.",
    eraseOpen: "Borrar mis datos",
    eraseConfirm: {
      title: "¿Borrar tus datos?",
      text: "Borraremos tus documentos, la clave de tu isapre y tu registro, y retiraremos lo que autorizaste. No se puede deshacer. Si quieres una copia, descárgala antes.",
    },
    eraseAction: "Sí, borrar mis datos",
    eraseAsked: (day) => `Pediste borrar tus datos el ${day}. Lo que falta se borrará solo.`,
    erased: { title: "Listo, borramos tus datos", text: "Te enviamos un correo que lo confirma." },
    erasedBefore: {
      title: "Tus datos ya no están aquí",
      text: "Si ya presionaste el botón, están borrados y te enviamos un correo que lo confirma.",
    },
    waiting: {
      title: "Ya borramos lo que se podía",
      text: "El resto se borrará solo, sin que tengas que pedirlo otra vez.",
    },
    keptTitle: "Lo que queda, y por qué",
    kept: {
      contact: "Tu nombre y tu contacto",
      orders: "Tus pagos",
      credit_decisions: "Los créditos que no se aprobaron",
      consents: "Lo que aceptaste y retiraste",
    },
    because: {
      charge_owed: "mientras quede algo por cobrar",
      order_open: "mientras haya un pago o una devolución sin terminar",
      accounting_law: "lo exige la ley para la contabilidad",
      consumer_law: "lo exige la ley del consumidor",
      proof: "como prueba",
    },
  },
  en: {
    title: "Your data",
    text: "Here you can see and download your data, withdraw what you authorised, or ask us to erase it.",
    view: {
      title: "Your data",
      text: "This is what we keep about you under this e-mail. If a clinic used another one of yours, use the contacts on this page to ask for that: you get it once we have confirmed who you are.",
    },
    name: "Name",
    email: "E-mail",
    phone: "Mobile",
    insurer: "Isapre",
    access: "Password of your isapre",
    accessKept: "Kept, encrypted",
    accessNone: "We do not have it",
    orders: "Payments",
    documents: "Documents",
    owed: "Still to be charged",
    download: "Download everything",
    fileName: "my-data.json",
    contractOf: (provider, reference) => `Download contract: ${provider}, ${reference} (PDF)`,
    consentsTitle: "What you authorised",
    noConsents: "There is nothing that you have authorised.",
    purposes: {
      terms_and_credit: "Terms and credit",
      later_charge: "Second charge",
      claim_mandate: "Reimbursement mandate",
      health_data: "Health data",
      insurer_access: "Password of your isapre",
      saved_card: "Saved card",
      marketing: "News and offers",
    },
    givenOn: (day) => `You accepted it on ${day}.`,
    withdrawnOn: (day) => `You withdrew it on ${day}.`,
    contract: "It is part of a contract that you accepted: the law requires us to keep it.",
    withdraw: (purpose) => `Withdraw: ${purpose}`,
    withdrawTitle: (purpose) => `Withdraw “${purpose}”?`,
    means: {
      terms_and_credit: "It cannot be withdrawn.",
      later_charge:
        "We will not charge this card again, except for a charge in progress. You can add another card or pay in another way.",
      claim_mandate:
        "We file no more reimbursements for you, stop those that we have not filed, no longer follow the others, and erase the password of your isapre. You can ask your isapre for the reimbursement yourself.",
      health_data:
        "Without your documents we cannot file reimbursements: we stop those that we have not filed, no longer follow the others, and erase the password of your isapre.",
      insurer_access: "We erase the password of your isapre. Without it we cannot file your reimbursements.",
      saved_card: "We remove your saved cards. At your next consultation you enter one again.",
      marketing: "We send you no more news or offers.",
    },
    stillOwed: (amount) => `What you owe does not change: ${amount} is left to pay.`,
    withdrawAction: "Yes, withdraw",
    keep: "No, leave it",
    withdrawn: "Done, it is withdrawn",
    effects: {
      insurer_access_destroyed: "We erased the password of your isapre.",
      open_claims_stopped: "We stopped the reimbursements that we had not filed.",
      no_more_claims: "We file no more reimbursements for you.",
      card_not_charged:
        "We will not charge your card again, except for a charge in progress. If you owe anything, an e-mail says how to pay it.",
      saved_cards_removed: "We removed your saved cards.",
      no_more_offers: "We send you no more offers.",
    },
    eraseTitle: "Erase your data",
    eraseText: "We erase everything that no law makes us keep, and tell you what stays and why.",
    eraseOpen: "Erase my data",
    eraseConfirm: {
      title: "Erase your data?",
      text: "We erase your documents, the password of your isapre and your record, and withdraw what you authorised. It cannot be undone. If you want a copy, download it first.",
    },
    eraseAction: "Yes, erase my data",
    eraseAsked: (day) => `You asked us on ${day} to erase your data. What is left is erased by itself.`,
    erased: { title: "Done, your data is erased", text: "We have sent you an e-mail that says so." },
    erasedBefore: {
      title: "Your data is no longer here",
      text: "If you have pressed the button already, it is erased, and we have sent you an e-mail that says so.",
    },
    waiting: {
      title: "What could be erased is erased",
      text: "The rest is erased by itself; you need not ask again.",
    },
    keptTitle: "What stays, and why",
    kept: {
      contact: "Your name and contact",
      orders: "Your payments",
      credit_decisions: "Credits that were refused",
      consents: "What you accepted and withdrew",
    },
    because: {
      charge_owed: "while something is still to be charged",
      order_open: "while a payment or a refund is unfinished",
      accounting_law: "the law requires it for the books",
      consumer_law: "consumer law requires it",
      proof: "as proof",
    },
  },
};
