import { html } from "../../platform/http/html.ts";
import type { JsonSchema, MediaType, OpenApiDocument, Operation, Parameter, Response } from "../openapi-document.ts";
import { exampleCall } from "./example-call.ts";
import { breakable, methodBadge, type Page } from "./layout.ts";
import {
  blocks,
  bullets,
  code,
  definitions,
  folded,
  inHtml,
  line,
  link,
  listing,
  type Part,
  type Piece,
  pageOf,
  paragraph,
  section,
  separated,
  span,
  subheading,
} from "./part.ts";
import { nameOf, schemaFields } from "./schema-fields.ts";
import { type CalledOperation, operationsByTag, operationsOf, referencePath, type Site } from "./site.ts";

/** The list of all endpoints. */
export function referencePage({ document }: Site): Page {
  return pageOf({
    path: "/docs/reference",
    title: "All endpoints",
    lead: "Bodies are JSON, but for the receipt form. Paths carry no version: changes only add.",
    contents: "Reference",
    body: blocks(
      ...operationsByTag(document).map(({ tag, operations }) =>
        section(
          anchorOf(tag.name),
          line(tag.name),
          blocks(paragraph(tag.description), bullets(operations.map(operationEntry), "operations")),
        ),
      ),
      section("credentials", line("Credentials"), credentials(document)),
      section("order-of-checks", line("In which order a request is judged"), orderOfChecks),
    ),
  });
}

function operationEntry(called: CalledOperation): Part {
  return blocks(link(referencePath(called), methodAndPath(called)), paragraph(called.operation.summary));
}

function methodAndPath({ method, path }: CalledOperation): Part {
  return line({ markdown: `${method} `, html: methodBadge(method) }, code(path, breakable(path)));
}

function credentials({ components }: OpenApiDocument): Part {
  const rows = Object.values(components.securitySchemes).map((scheme) => {
    const sentAs =
      scheme.type === "http"
        ? "Authorization: Bearer …"
        : scheme.in === "query"
          ? `?${scheme.name}=…`
          : `${scheme.name}: …`;
    return { term: code(sentAs), meaning: line(scheme.description) };
  });
  return blocks(
    definitions("terms", rows),
    paragraph(
      "Each environment has credentials of its own; those of the other one are answered 401. So is a credential of the wrong kind.",
    ),
  );
}

const orderOfChecks = paragraph(
  "Credential (401), readable body (400, 413), permission (403), what the path names (404), shape (422), limits (429), rules (400), state (409, 410). What belongs to another provider is answered 404, as if it did not exist. An address that asks too often gets its 429 before all of these.",
);

/** One page for each endpoint. */
export function operationPages(site: Site): Page[] {
  return operationsOf(site.document).map((called) => operationPage(called, site));
}

function operationPage(called: CalledOperation, site: Site): Page {
  const { operation, method, path } = called;
  return pageOf({
    path: referencePath(called),
    title: `${method} ${path}`,
    heading: methodAndPath(called),
    lead: operation.summary,
    contents: "Operation",
    body: blocks(
      operation.description !== undefined && paragraph(operation.description),
      facts(called, site.document),
      section("example", line("Example"), example(called, site)),
      requestSection(operation, site.document),
      section("answers", line("Answers"), answers(operation, site.document)),
    ),
  });
}

function facts(called: CalledOperation, document: OpenApiDocument): Part {
  const { operation } = called;
  const servers = operation.servers ?? document.servers;
  const scope = operation["x-scope"];
  const addresses = servers.map(({ url, description }) => paragraph(line(code(url), " ", span("quiet", description))));
  return definitions("facts", [
    { term: line("Called at"), meaning: blocks(...addresses) },
    { term: line("Credential"), meaning: credentialWords(called, document) },
    ...(scope === undefined
      ? []
      : [
          {
            term: line("Scope"),
            meaning: line(code(scope), ", else 403 ", link("/docs/errors#scope_missing", code("scope_missing"))),
          },
        ]),
  ]);
}

function credentialWords({ operation: { security = [] }, path }: CalledOperation, document: OpenApiDocument): Part {
  if (security.length === 0)
    return line(path.includes("{token}") ? "None: the path itself holds the secret." : "None.");
  const ways = security.map((needed) => {
    const names = Object.keys(needed).map((name) => {
      const words = document.components.securitySchemes[name]?.description ?? name;
      return code(words.split("`")[1] ?? name);
    });
    return separated(names, " with ");
  });
  return separated(ways, " or ");
}

function example(called: CalledOperation, site: Site): Part {
  const success = Object.entries(called.operation.responses).find(([status]) => status.startsWith("2"));
  const [answer] = success === undefined ? [] : examplesOf(success[1].content);
  return blocks(
    listing(exampleCall(called, site.document), "shell", "Example request"),
    success !== undefined &&
      answer !== undefined &&
      folded(line("Answer ", code(success[0])), json(answer.value, "Example answer")),
  );
}

function json(value: unknown, label: string): Part {
  return listing(JSON.stringify(value, null, 2), "json", label);
}

function examplesOf(content: Readonly<Record<string, MediaType>> = {}): { summary?: string; value: unknown }[] {
  return Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
}

function requestSection({ parameters = [], requestBody }: Operation, document: OpenApiDocument): Part | null {
  const bodies = Object.entries(requestBody?.content ?? {});
  if (parameters.length === 0 && bodies.length === 0) return null;
  return section(
    "request",
    line("Request"),
    blocks(
      parameterGroup("In the path", "path", parameters, document),
      parameterGroup("In the query", "query", parameters, document),
      parameterGroup("Headers", "header", parameters, document),
      ...bodies.flatMap(([type, { schema }]) => [
        subheading(line("Body ", span("type", type))),
        schemaFields(schema, document, 1) ?? paragraph("An empty object, or nothing."),
      ]),
    ),
  );
}

function parameterGroup(
  title: string,
  place: Parameter["in"],
  parameters: readonly Parameter[],
  document: OpenApiDocument,
): Part | null {
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
  return blocks(subheading(title), schemaFields(schema, document));
}

function answers(operation: Operation, document: OpenApiDocument): Part {
  const each = Object.entries(operation.responses).map(([status, response]) => {
    const codes = response["x-codes"];
    return codes === undefined ? success(status, response, document) : failure(status, response, codes);
  });
  return blocks(...each, headerList(operation, document));
}

function statusHeading(status: string, kind: "success" | "failure", words: Piece): Part {
  const badge = inHtml(html`<span class="status" data-kind="${kind}">`, status, html`</span>`);
  return subheading(line(badge, words), `status-${status}`);
}

function success(status: string, { description, content = {} }: Response, document: OpenApiDocument): Part {
  const [media] = Object.values(content);
  const examples = examplesOf(content);
  const unfoldedTo = media?.schema.anyOf === undefined ? 0 : 1;
  return blocks(
    statusHeading(status, "success", ` ${description}`),
    media !== undefined &&
      folded(
        `Fields of ${nameOf(media.schema) ?? "the answer"}`,
        blocks(schemaFields(media.schema, document, unfoldedTo)),
      ),
    ...(examples.length > 1 ? examples : []).map(({ summary = "Example", value }) =>
      folded(`Example: ${summary}`, json(value, summary)),
    ),
  );
}

function failure(status: string, { description, content }: Response, codes: readonly string[]): Part {
  const words = description.split("\n\n").map((text) => text.replace(/^`\w+`: /, ""));
  const [first] = examplesOf(content);
  return blocks(
    statusHeading(status, "failure", null),
    bullets(
      codes.map((name, index) => line(link(`/docs/errors#${name}`, code(name)), " ", words[index])),
      "codes",
    ),
    first !== undefined && folded("Example of the body", json(first.value, `Example of a ${status}`)),
  );
}

function headerList({ responses }: Operation, document: OpenApiDocument): Part {
  const names = new Set(Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)));
  const rows = Array.from(names, (name) => ({
    term: code(name),
    meaning: line(document.components.headers[name]?.description),
  }));
  return blocks(subheading("Headers of the answers", "answer-headers"), definitions("terms", rows));
}

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}
