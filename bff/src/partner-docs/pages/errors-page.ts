import { type ErrorCode, errorCodes, isErrorCode } from "../../contract/errors.ts";
import { type Content, type Html, html } from "../../platform/http/html.ts";
import { codesBesideEndpoints, errorAdditionExamples } from "../answers.ts";
import { codeBlock, prose } from "../prose.ts";
import { breakable, type Page, section } from "./layout.ts";
import { type CalledOperation, operationsOf, referencePath, type Site } from "./site.ts";

/** Every code of the closed list, by status. */
export function errorsPage(site: Site): Page {
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort((a, b) => a - b);
  return {
    path: "/docs/errors",
    title: "Errors",
    lead: "Match on `code`. The words in `detail` are for people and may change.",
    body: html`${section("shape", "Shape", shape)}${statuses.map((status) =>
      section(
        `status-${status}`,
        `${status} ${statusWords[status]?.name ?? ""}`,
        html`<p>${prose(statusWords[status]?.recovery ?? "")}</p><dl class="errors">${codes
          .filter((code) => errorCodes[code].status === status)
          .map((code) => entry(code, site))}</dl>`,
      ),
    )}`,
  };
}

const shape = html`<p>Every error has <code>detail</code> and <code>code</code>; some carry more. <code>detail</code> is English for your calls and Spanish for the widget's.</p>
${codeBlock('{\n  "detail": "An order with this reference exists. Its hash is in order_hash.",\n  "code": "duplicate_reference",\n  "order_hash": "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11"\n}', "json", "An error")}
<p>Order endpoints answer a 404 with an object in <code>detail</code>:</p>
${codeBlock('{\n  "detail": { "error_code": "order_not_found", "message": "No such order." },\n  "code": "order_not_found"\n}', "json", "An order endpoint's 404")}
<p>5xx carry a <code>request_id</code>, the same as in <code>X-Request-Id</code>: tell it to support.</p>`;

const statusWords: Readonly<Record<number, { readonly name: string; readonly recovery: string }>> = {
  400: {
    name: "Bad request",
    recovery: "Fix the request, or let the patient do what is missing. Repeating it at once changes nothing.",
  },
  401: {
    name: "Unauthorized",
    recovery: "Send the right credential: the right kind, of this environment, of an active provider.",
  },
  403: { name: "Forbidden", recovery: "Have the permission enabled." },
  404: {
    name: "Not found",
    recovery: "Check what the path or the RUT names. What belongs to another provider is not found either.",
  },
  409: { name: "Conflict", recovery: "The thing is in another state: read it, then decide." },
  410: { name: "Gone", recovery: "Mint a new token, or ask for a new code." },
  413: { name: "Content too large", recovery: "Send less." },
  422: {
    name: "Unprocessable content",
    recovery:
      "Correct the request and send it again. Where the answer carries `errors`, they name each field and what is amiss.",
  },
  429: { name: "Too many requests", recovery: "Wait as long as `Retry-After` says." },
  500: {
    name: "Internal server error",
    recovery: "Retry with growing delays, under the same `Idempotency-Key`. If it lasts five minutes, tell support.",
  },
  502: { name: "Bad gateway", recovery: "Retry with growing delays." },
  503: {
    name: "Service unavailable",
    recovery:
      "Retry with growing delays, under the same `Idempotency-Key`, not before `Retry-After` where there is one.",
  },
};

function entry(code: ErrorCode, { document }: Site): Html {
  const additions = Object.keys(errorAdditionExamples[code] ?? {});
  return html`<dt id="${code}"><a class="anchor" href="#${code}"><code>${code}</code></a></dt><dd><p>${prose(errorCodes[code].en)}</p><p class="quiet" lang="es-CL">${errorCodes[code].es}</p>${additions.length > 0 && html`<p>Carries ${additions.map((name, index) => html`${index > 0 && ", "}<code>${name}</code>`)}.</p>`}${whereFrom(code, operationsOf(document))}</dd>`;
}

/** The endpoints that answer a code, unless nearly all of them do. */
function whereFrom(code: ErrorCode, operations: readonly CalledOperation[]): Content {
  const beside = codesBesideEndpoints[code];
  const answering = operations.filter(({ operation }) =>
    Object.values(operation.responses).some((response) => response["x-codes"]?.includes(code) === true),
  );
  if (answering.length > operations.length / 2) return html`<p class="quiet">By most endpoints.</p>`;
  const links = answering.map(
    (called, index) =>
      html`${index > 0 && ", "}<a href="${referencePath(called)}">${called.method} ${breakable(called.path)}</a>`,
  );
  return html`${beside !== undefined && html`<p class="quiet">${beside}</p>`}${links.length > 0 && html`<p class="quiet">${links}</p>`}`;
}
