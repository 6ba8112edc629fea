import express from "express";
import helmet from "helmet";
import type { Locale } from "../../src/contract/widget-tokens.ts";
import { gsm7Parts } from "../../src/notifications/gsm7.ts";
import { renderMessage } from "../../src/notifications/message.ts";
import { renderMail } from "../../src/notifications/render-mail.ts";
import { setDocument } from "../../src/orders/documents/set-document.ts";
import { escapeHtml } from "../../src/platform/http/html.ts";
import { documentExamples } from "./document-examples.ts";
import { EXAMPLE_LOGO } from "./example-logo.ts";
import { exampleAbout, exampleSender, notificationExamples } from "./notification-examples.ts";

/*
 * The designers' gallery of mails, messages and documents: every kind in each of its cases, rendered by the service's
 * own code. `/mails` shows all in frames, `/mails/{number}` one mail, `/mails/documents/{name}` one PDF. `locale`,
 * `scheme` and `width` set the display.
 */

const LOCALES: readonly Locale[] = ["es-CL", "en"];
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [360, 760] as const;
const ACCENT = "#1a4fa0";
const FRAME_HEIGHT_PX = 900;

interface Choice {
  readonly locale: Locale;
  readonly scheme: (typeof SCHEMES)[number];
  readonly width: (typeof WIDTHS)[number];
}

/** Serves the gallery of mails. It has only examples, and must be mounted in staging only. */
export function createMailsApp(): express.Router {
  const router = express.Router();
  router.get("/documents/:name", pdfHeaders(), async (request, response, next) => {
    const example = documentExamples.find(({ name }) => name === request.params.name);
    if (example === undefined) return next();
    const { locale } = choiceOf(request.query);
    const { base64 } = await setDocument(example.make(locale, { accent: ACCENT, logo: LOGO }));
    response.type("pdf").send(Buffer.from(base64, "base64"));
  });
  router.use(galleryHeaders());
  router.get("/", (request, response) => void response.type("html").send(indexPage(choiceOf(request.query))));
  router.get("/:number", (request, response, next) => {
    const mail = mailOf(request.params.number, choiceOf(request.query).locale);
    if (mail === null) return next();
    response.type("html").send(mail.html);
  });
  return router;
}

/** The browser's own PDF viewer has scripts and styles, which a policy would refuse. */
function pdfHeaders(): express.RequestHandler {
  return helmet({ contentSecurityPolicy: false, xFrameOptions: { action: "sameorigin" } });
}

/** Mails have inlined styles, and the examples' logo inside. */
function galleryHeaders(): express.RequestHandler {
  const directives = {
    defaultSrc: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
    imgSrc: ["data:"],
    frameSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  };
  return helmet({ contentSecurityPolicy: { useDefaults: false, directives }, xFrameOptions: false });
}

function choiceOf(query: Readonly<Record<string, unknown>>): Choice {
  return {
    locale: LOCALES.find((locale) => locale === query.locale) ?? "es-CL",
    scheme: SCHEMES.find((scheme) => scheme === query.scheme) ?? "light",
    width: WIDTHS.find((width) => String(width) === query.width) ?? WIDTHS[0],
  };
}

const LOGO = Buffer.from(EXAMPLE_LOGO, "base64");
const sender = {
  ...exampleSender,
  logoUrl: `data:image/png;base64,${EXAMPLE_LOGO}`,
  appearance: { accent: ACCENT },
};

function mailOf(number: string, locale: Locale) {
  const example = /^\d+$/.test(number) ? notificationExamples[Number(number)] : undefined;
  return example === undefined
    ? null
    : renderMail("camila@example.com", example, { sender, about: exampleAbout }, locale);
}

function indexPage(choice: Choice): string {
  const cards = notificationExamples.map((_, number) => card(number, choice));
  const documents = documentExamples.map(({ name }) => documentCard(name, choice));
  return [
    `<!doctype html><html lang="es-CL"><head><meta charset="utf-8"><title>Correos, mensajes y documentos</title>`,
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style></head><body><main>`,
    `<h1>Correos, mensajes y documentos</h1><nav aria-label="Vista">${links(choice)}`,
    `<a href="#${DOCUMENTS}">Documentos</a></nav>${cards.join("")}`,
    `<h2 id="${DOCUMENTS}">Documentos</h2>${documents.join("")}</main></body></html>`,
  ].join("");
}

const DOCUMENTS = "documentos";

const STYLE =
  "body{font-family:system-ui,sans-serif;margin:24px}nav a{margin-right:16px}section{margin:32px 0}iframe{border:1px solid #cfd6d3;max-width:100vw}pre{white-space:pre-wrap;overflow-wrap:anywhere;max-width:760px}";

function links(choice: Choice): string {
  const to = (change: Partial<Choice>, words: string) => {
    const { locale, scheme, width } = { ...choice, ...change };
    const query = new URLSearchParams({ locale, scheme, width: String(width) });
    return `<a href="?${escapeHtml(query.toString())}">${words}</a>`;
  };
  return [
    to({ locale: "es-CL" }, "Español"),
    to({ locale: "en" }, "Inglés"),
    to({ scheme: "light" }, "Claro"),
    to({ scheme: "dark" }, "Oscuro"),
    to({ width: 360 }, "Teléfono"),
    to({ width: 760 }, "Escritorio"),
  ].join("");
}

/** One document in a frame. It has no dark colours, and a phone shows it at the width of its page. */
function documentCard(name: string, { locale, width }: Choice): string {
  const address = `/mails/documents/${name}?locale=${locale}`;
  return [
    `<section><h3>${name} <a href="${address}">PDF</a></h3>`,
    `<iframe loading="lazy" title="${name}" src="${address}" width="${width}" height="${FRAME_HEIGHT_PX}"></iframe></section>`,
  ].join("");
}

/** One example: its mail in a frame with the chosen colour scheme, its text, and its message with its parts. */
function card(number: number, { locale, scheme, width }: Choice): string {
  const example = notificationExamples[number];
  const mail = mailOf(String(number), locale);
  if (example === undefined || mail === null) return "";
  const message = renderMessage(example, exampleAbout.clinic, locale)?.text ?? null;
  const title = `${example.kind}: ${mail.subject}`;
  return [
    `<section><h2>${escapeHtml(title)}</h2>`,
    `<iframe loading="lazy" title="${escapeHtml(title)}" src="/mails/${number}?locale=${locale}" width="${width}" height="${FRAME_HEIGHT_PX}" sandbox="" style="color-scheme:${scheme}"></iframe>`,
    message === null ? "" : `<p>Mensaje (${gsm7Parts(message)}): ${escapeHtml(message)}</p>`,
    `<details><summary>Texto</summary><pre>${escapeHtml(mail.text)}</pre></details></section>`,
  ].join("");
}
