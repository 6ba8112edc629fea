import {
  isSchema,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
} from "../src/partner-docs/openapi-document.ts";

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;

/**
 * Everything in a document that lacks a description: operations, parameters, responses, named schemas and properties.
 * Also properties that may be null without a description of when.
 */
export function undescribed(document: OpenApiDocument): string[] {
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    ...lacking(name, schema.description),
    ...undescribedFields(name, schema),
  ]);
  const operations = [document.paths, document.webhooks].flatMap((paths) =>
    Object.values(paths).flatMap((item) => Object.values(item)),
  );
  return [...schemas, ...operations.flatMap(undescribedParts)];
}

function undescribedParts(operation: Operation): string[] {
  const { operationId, description, parameters = [], requestBody, responses } = operation;
  const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {}));
  return [
    ...lacking(operationId, description),
    ...parameters.flatMap((parameter) => lacking(`${operationId} ${parameter.name}`, parameter.description)),
    ...Object.entries(responses).flatMap(([status, response]) =>
      lacking(`${operationId} ${status}`, response.description),
    ),
    ...bodies.flatMap(({ schema }) => undescribedFields(operationId, schema)),
  ];
}

function undescribedFields(path: string, schema: JsonSchema): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    isSchema(field)
      ? [
          ...lacking(`${path}.${name}`, field.description),
          ...(isNullable(field) && !/\bnull\b/i.test(field.description ?? "")
            ? [`${path}.${name}: when is it null?`]
            : []),
          ...undescribedFields(`${path}.${name}`, field),
        ]
      : [],
  );
  const parts = [schema.items, schema.additionalProperties, ...LISTS.flatMap((list) => schema[list] ?? [])];
  return [...fields, ...parts.flatMap((part) => (isSchema(part) ? undescribedFields(path, part) : []))];
}

function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes("null") || anyOf.some((form) => form.type === "null");
}

function lacking(place: string, description: string | undefined): string[] {
  return description === undefined || description.trim() === "" ? [place] : [];
}
