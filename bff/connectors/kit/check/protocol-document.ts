import {
  type CallOperation,
  CONNECTOR_PROTOCOL_VERSION,
  callBodySchema,
  IDEMPOTENCY_HEADER,
  notFoundSchema,
  type ReadOperation,
} from "../../../src/gateways/connector/protocol.ts";
import { bankProtocol } from "../../../src/gateways/protocols/bank.ts";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { financingProviderProtocol } from "../../../src/gateways/protocols/financing-provider.ts";
import { identityRegistryProtocol } from "../../../src/gateways/protocols/identity-registry.ts";
import { insurerProtocol } from "../../../src/gateways/protocols/insurer.ts";
import { messengerProtocol } from "../../../src/gateways/protocols/messenger.ts";
import { taxDocumentsProtocol } from "../../../src/gateways/protocols/tax-documents.ts";
import { inlineSchema } from "../../../src/partner-docs/contract-schemas.ts";
import type { JsonSchema } from "../../../src/partner-docs/json-schema.ts";
import type { OpenApiDocument, Operation, Parameter, PathItem } from "../../../src/partner-docs/openapi-document.ts";

/** The operations of each party, as `docs/reference/gateways.md` explains them. */
const protocols = {
  "Card processor": cardProcessorProtocol,
  "Financing provider": financingProviderProtocol,
  "Identity registry": identityRegistryProtocol,
  Insurer: insurerProtocol,
  Bank: bankProtocol,
  "Tax documents": taxDocumentsProtocol,
  Messenger: messengerProtocol,
} as const;

type AnyOperation = CallOperation<unknown, unknown> | ReadOperation<unknown, unknown>;

interface Declared {
  readonly party: string;
  readonly operation: AnyOperation;
}

/** The OpenAPI 3.1 document of a connector: the service's requests, and the answers that it accepts. */
export function connectorDocument(): OpenApiDocument {
  const operations = Object.entries(protocols).flatMap(([party, protocol]) =>
    Object.values<AnyOperation>(protocol).map((operation): Declared => ({ party, operation })),
  );
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: "The connector protocol of Atiéndete ahora, paga después",
      version: CONNECTOR_PROTOCOL_VERSION,
      summary: "How the service calls outside parties: a connector in front of each serves these operations.",
      description:
        "The service accepts only status 200 with a body of this document as an answer. `bff/docs/reference/gateways.md` explains repeats, inquiries and late calls.",
      license: { name: "Proprietary: for authors of connectors", url: CONNECTOR_URL_EXAMPLE },
    },
    servers: [{ url: CONNECTOR_URL_EXAMPLE, description: "What `CONNECTOR_URL` names." }],
    tags: Object.keys(protocols).map((party) => ({
      name: party,
      description: `Requests to the ${party.toLowerCase()}.`,
    })),
    paths: Object.fromEntries(operations.flatMap((one) => pathsOf(one))),
    webhooks: {},
    components: { schemas: {}, headers: {}, securitySchemes: { connectorToken } },
  };
}

const CONNECTOR_URL_EXAMPLE = "https://connector.example/connector/v1";
const connectorToken = {
  type: "http",
  scheme: "bearer",
  description: "`CONNECTOR_TOKEN`; for messages `MESSAGING_TOKEN`, at `MESSAGING_URL`.",
} as const;

const { provider_id: providerId, at: moment } = callBodySchema.shape;
function pathsOf({ party, operation }: Declared): [path: string, item: PathItem][] {
  const operationOf = (
    facts: Pick<Operation, "operationId" | "summary" | "parameters">,
    body: JsonSchema,
    answer: JsonSchema,
  ) => ({
    post: {
      ...facts,
      tags: [party],
      security: [{ connectorToken: [] }],
      requestBody: { required: true, content: { "application/json": { schema: body } } },
      responses: {
        "200": { description: "The outcome.", content: { "application/json": { schema: answer } } },
        default: { description: "No answer: the outcome is unknown." },
      },
    },
  });
  const operationId = operation.path.slice(1).replaceAll(/[/-](\w)/g, (_match, letter: string) => letter.toUpperCase());
  const input = inlineSchema(operation.input);
  if (!("outcome" in operation))
    return [
      [
        operation.path,
        operationOf({ operationId, summary: "Reads, and changes nothing." }, input, inlineSchema(operation.answer)),
      ],
    ];
  const about = { provider_id: inlineSchema(providerId), at: inlineSchema(moment) };
  const outcome = inlineSchema(operation.outcome);
  const facts = {
    operationId,
    summary: "Happens once per key, however often it is sent.",
    parameters: [idempotencyKey],
  };
  const call = operationOf(facts, bodyWith({ ...about, input }), outcome);
  if (operation.isInquired === false) return [[operation.path, call]];
  const inquiry = operationOf(
    {
      operationId: `${operationId}Inquiry`,
      summary: "The outcome of the call under this key; changes nothing.",
      parameters: [idempotencyKey],
    },
    bodyWith(about),
    { anyOf: [outcome, inlineSchema(notFoundSchema)] },
  );
  return [
    [operation.path, call],
    [`${operation.path}/inquiry`, inquiry],
  ];
}

function bodyWith(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

const idempotencyKey: Parameter = {
  name: IDEMPOTENCY_HEADER,
  in: "header",
  required: true,
  description: "Identifies one call for ever; an inquiry names the call it is about.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};
