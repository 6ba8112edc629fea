import { type Content, type Html, html } from "../../platform/http/html.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { MediaType, OpenApiDocument, Operation, Parameter, Response } from "../openapi-document.ts";
import { codeBlock, prose } from "../prose.ts";
import { exampleCall } from "./example-call.ts";
import { breakable, methodBadge, type Page, section } from "./layout.ts";
import { nameOf, schemaFields } from "./schema-fields.ts";
import { type CalledOperation, operationsByTag, operationsOf, referencePath, type Site } from "./site.ts";

/** The list of all endpoints. */
export function referencePage({ document }: Site): Page {
  return {
    path: "/docs/reference",
    title: "All endpoints",
    lead: "Bodies are JSON, but for the receipt form. Paths carry no version: changes only add.",
    body: html`${operationsByTag(document).map(({ tag, operations }) =>
      section(
        anchorOf(tag.name),
        tag.name,
        html`<p>${prose(tag.description)}</p><ul class="operations">${operations.map(operationEntry)}</ul>`,
      ),
    )}${section("credentials", "Credentials", credentials(document))}${section("order-of-checks", "In which order a request is judged", orderOfChecks)}`,
  };
}

function operationEntry(called: CalledOperation): Html {
  return html`<li><a href="${referencePath(called)}">${methodBadge(called.method)}<code>${breakable(called.path)}</code></a><p>${prose(called.operation.summary)}</p></li>`;
}

function credentials({ components }: OpenApiDocument): Html {
  return html`<dl class="terms">${Object.values(components.securitySchemes).map((scheme) => {
    const sentAs =
      scheme.type === "http"
        ? "Authorization: Bearer …"
        : scheme.in === "query"
          ? `?${scheme.name}=…`
          : `${scheme.name}: …`;
    return html`<dt><code>${sentAs}</code></dt><dd>${prose(scheme.description)}</dd>`;
  })}</dl>
<p>Each environment has credentials of its own; those of the other one are answered 401. So is a credential of the wrong kind.</p>`;
}

const orderOfChecks = html`<p>Credential (401), readable body (400, 413), permission (403), what the path names (404), shape (422), limits (429), rules (400), state (409, 410). What belongs to another provider is answered 404, as if it did not exist. An address that asks too often gets its 429 before all of these.</p>`;

/** One page for each endpoint. */
export function operationPages(site: Site): Page[] {
  return operationsOf(site.document).map((called) => operationPage(called, site));
}

function operationPage(called: CalledOperation, site: Site): Page {
  const { operation, method, path } = called;
  return {
    path: referencePath(called),
    title: `${method} ${path}`,
    heading: html`${methodBadge(method)}<code>${breakable(path)}</code>`,
    lead: operation.summary,
    body: html`${operation.description !== undefined && html`<p>${prose(operation.description)}</p>`}${facts(called, site.document)}${section("example", "Example", example(called, site))}${requestSection(operation, site.document)}${section("answers", "Answers", answers(operation, site.document))}`,
  };
}

function facts(called: CalledOperation, document: OpenApiDocument): Html {
  const { operation } = called;
  const servers = operation.servers ?? document.servers;
  const scope = operation["x-scope"];
  return html`<dl class="facts">
<dt>Called at</dt><dd>${servers.map(({ url, description }) => html`<p><code>${url}</code> <span class="quiet">${description}</span></p>`)}</dd>
<dt>Credential</dt><dd>${credentialWords(called, document)}</dd>
${scope !== undefined && html`<dt>Scope</dt><dd><code>${scope}</code>, else 403 <a href="/docs/errors#scope_missing"><code>scope_missing</code></a></dd>`}
</dl>`;
}

function credentialWords({ operation: { security = [] }, path }: CalledOperation, document: OpenApiDocument): Content {
  if (security.length === 0) return path.includes("{token}") ? "None: the path itself holds the secret." : "None.";
  return security.map((needed, index) => {
    const names = Object.keys(needed).map((name) => {
      const words = document.components.securitySchemes[name]?.description ?? name;
      return html`<code>${words.split("`")[1] ?? name}</code>`;
    });
    return html`${index > 0 && " or "}${names.map((name, place) => html`${place > 0 && " with "}${name}`)}`;
  });
}

function example(called: CalledOperation, site: Site): Html {
  const { operation } = called;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const [answer] = success === undefined ? [] : examplesOf(success[1].content);
  return html`${codeBlock(exampleCall(called, site.document), "shell", "Example request")}${
    success !== undefined &&
    answer !== undefined &&
    html`<details class="inside"><summary>Answer <code>${success[0]}</code></summary>${codeBlock(JSON.stringify(answer.value, null, 2), "json", "Example answer")}</details>`
  }`;
}

function examplesOf(content: Readonly<Record<string, MediaType>> = {}): { summary?: string; value: unknown }[] {
  return Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
}

function requestSection({ parameters = [], requestBody }: Operation, document: OpenApiDocument): Html | null {
  const bodies = Object.entries(requestBody?.content ?? {});
  if (parameters.length === 0 && bodies.length === 0) return null;
  return section(
    "request",
    "Request",
    html`${parameterGroup("In the path", "path", parameters, document)}${parameterGroup("In the query", "query", parameters, document)}${parameterGroup("Headers", "header", parameters, document)}${bodies.map(
      ([type, { schema }]) =>
        html`<h3>Body <span class="type">${type}</span></h3>${schemaFields(schema, document, 1) ?? html`<p>An empty object, or nothing.</p>`}`,
    )}`,
  );
}

function parameterGroup(
  title: string,
  place: Parameter["in"],
  parameters: readonly Parameter[],
  document: OpenApiDocument,
): Html | null {
  const here = parameters.filter((parameter) => parameter.in === place);
  if (here.length === 0) return null;
  const schema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(
      here.map(({ name, schema: own, description }) => [
        name,
        { ...own, ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: here.filter(({ required }) => required).map(({ name }) => name),
  };
  return html`<h3>${title}</h3>${schemaFields(schema, document)}`;
}

function answers(operation: Operation, document: OpenApiDocument): Html {
  return html`${Object.entries(operation.responses).map(([status, response]) => {
    const codes = response["x-codes"];
    return codes === undefined ? success(status, response, document) : failure(status, response, codes);
  })}${headerList(operation, document)}`;
}

function success(status: string, { description, content = {} }: Response, document: OpenApiDocument): Html {
  const [media] = Object.values(content);
  const examples = examplesOf(content);
  return html`<h3 id="status-${status}"><span class="status" data-kind="success">${status}</span> ${description}</h3>${media !== undefined && html`<details class="inside"><summary>Fields of ${nameOf(media.schema) ?? "the answer"}</summary>${schemaFields(media.schema, document, media.schema.anyOf === undefined ? 0 : 1)}</details>`}${
    examples.length > 1 &&
    examples.map(
      ({ summary = "Example", value }) =>
        html`<details class="inside"><summary>Example: ${summary}</summary>${codeBlock(JSON.stringify(value, null, 2), "json", summary)}</details>`,
    )
  }`;
}

function failure(status: string, { description, content }: Response, codes: readonly string[]): Html {
  const words = description.split("\n\n").map((line) => line.replace(/^`\w+`: /, ""));
  const [first] = examplesOf(content);
  return html`<h3 id="status-${status}"><span class="status" data-kind="failure">${status}</span></h3><ul class="codes">${codes.map(
    (code, index) =>
      html`<li><a href="/docs/errors#${code}"><code>${code}</code></a> ${prose(words[index] ?? "")}</li>`,
  )}</ul>${first !== undefined && html`<details class="inside"><summary>Example of the body</summary>${codeBlock(JSON.stringify(first.value, null, 2), "json", `Example of a ${status}`)}</details>`}`;
}

function headerList({ responses }: Operation, document: OpenApiDocument): Html {
  const names = new Set(Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)));
  return html`<h3 id="answer-headers">Headers of the answers</h3><dl class="terms">${[...names].map(
    (name) =>
      html`<dt><code>${name}</code></dt><dd>${prose(document.components.headers[name]?.description ?? "")}</dd>`,
  )}</dl>`;
}

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}
