import { type ErrorCode, errorCodes, isErrorCode } from "../../contract/errors.ts";
import { html } from "../../platform/http/html.ts";
import { codesBesideEndpoints, errorAdditionExamples } from "../answers.ts";
import type { OpenApiDocument } from "../openapi-document.ts";
import { type GuideLanguage, guideWords } from "./guide-language.ts";
import { breakable } from "./layout.ts";
import { blocks, code, definitions, inHtml, line, link, nothing, type Part, paragraph, separated } from "./part.ts";
import { type CalledOperation, operationsOf, referencePath } from "./site.ts";

/** Every code of the closed list, by status: `errors_404`. */
export function errorLists(document: OpenApiDocument, language: GuideLanguage): Record<string, Part> {
  const operations = operationsOf(document);
  const names = Object.keys(errorCodes).filter(isErrorCode);
  const statuses = new Set(names.map((name) => errorCodes[name].status));
  const listOf = (status: number) =>
    names
      .filter((name) => errorCodes[name].status === status)
      .map((name) => ({ id: name, term: anchor(name), meaning: meaningOf(name, operations, language) }));
  return Object.fromEntries(
    Array.from(statuses, (status) => [`errors_${status}`, definitions("errors", listOf(status))]),
  );
}

function anchor(name: ErrorCode): Part {
  return inHtml(html`<a class="anchor" href="#${name}">`, code(name), html`</a>`);
}

function meaningOf(name: ErrorCode, operations: readonly CalledOperation[], language: GuideLanguage): Part {
  const additions = Object.keys(errorAdditionExamples[name] ?? {}).map((addition) => code(addition));
  return blocks(
    inHtml(html`<p lang="en">`, errorCodes[name].en, html`</p>`),
    inHtml(html`<p class="quiet" lang="es-CL">`, errorCodes[name].es, html`</p>`),
    additions.length > 0 && paragraph(line(guideWords[language].carries, separated(additions, ", "), ".")),
    whereFrom(name, operations, language),
  );
}

/** The endpoints that answer a code, unless nearly all of them do. */
function whereFrom(name: ErrorCode, operations: readonly CalledOperation[], language: GuideLanguage): Part {
  const beside = codesBesideEndpoints[name]?.[language];
  const answering = operations.filter(({ operation }) =>
    Object.values(operation.responses).some((response) => response["x-codes"]?.includes(name) === true),
  );
  if (answering.length > operations.length / 2) return paragraph(guideWords[language].byMost, "quiet");
  const links = answering.map((called) => {
    const { method, path } = called;
    return link(referencePath(called), line(`${method} `, { ...line(path), html: html`${breakable(path)}` }));
  });
  return blocks(
    beside === undefined ? nothing : paragraph(beside, "quiet"),
    links.length > 0 && paragraph(separated(links, ", "), "quiet"),
  );
}
