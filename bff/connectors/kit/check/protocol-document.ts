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
import { describeSchema, inlineSchema, NotDocumentable } from "../../../src/partner-docs/contract-schemas.ts";
import type {
  FieldDescriptions,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
} from "../../../src/partner-docs/openapi-document.ts";
import { type OperationNote, protocolFields, protocolNotes } from "./protocol-notes.ts";

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
  const { path } = operation;
  const note = noteOf(path);
  const operationId = path.slice(1).replaceAll(/[/-](\w)/g, (_match, letter: string) => letter.toUpperCase());
  const input = described(operation.input, note.input);
  if (!("outcome" in operation)) {
    const facts = { operationId, summary: "Reads, and changes nothing.", description: note.description };
    return [[path, postOf(party, facts, input, described(operation.answer, note.answer))]];
  }
  const about = { provider_id: inlineSchema(providerId), at: inlineSchema(moment) };
  const outcome = described(operation.outcome, note.answer);
  const facts = {
    operationId,
    summary: "Happens once per key, however often it is sent.",
    description: note.description,
    parameters: [idempotencyKey],
  };
  const call = postOf(party, facts, bodyWith({ ...about, input }), outcome);
  if (operation.isInquired === false) return [[path, call]];
  const inquiryFacts = {
    operationId: `${operationId}Inquiry`,
    summary: "The outcome of the call under this key; changes nothing.",
    description: `Returns the outcome of the \`${path}\` call under this key, or \`not_found\` if it never arrived.`,
    parameters: [idempotencyKey],
  };
  const found = { anyOf: [outcome, described(notFoundSchema, {})] };
  return [
    [path, call],
    [`${path}/inquiry`, postOf(party, inquiryFacts, bodyWith(about), found)],
  ];
}

function noteOf(path: string): OperationNote {
  const note = protocolNotes[path];
  if (note === undefined) throw new NotDocumentable(`${path} has no note.`);
  return note;
}

function described(schema: Parameters<typeof inlineSchema>[0], fields: FieldDescriptions = {}): JsonSchema {
  return describeSchema("schema", inlineSchema(schema), { schema: { fields } }, protocolFields);
}

type OperationFacts = Pick<Operation, "operationId" | "summary" | "description" | "parameters">;

function postOf(party: string, facts: OperationFacts, body: JsonSchema, answer: JsonSchema): PathItem {
  return {
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
  };
}

const bodyFields: FieldDescriptions = {
  ...protocolFields,
  at: "The provider's time, which in the sandbox may be ahead. ISO 8601, UTC.",
  input: "The data of the call.",
};

function bodyWith({ input, ...about }: Record<string, JsonSchema>): JsonSchema {
  const properties = { ...about, ...(input === undefined ? {} : { input }) };
  const body: JsonSchema = { type: "object", properties, required: Object.keys(properties) };
  return describeSchema("body", body, {}, bodyFields);
}

const idempotencyKey: Parameter = {
  name: IDEMPOTENCY_HEADER,
  in: "header",
  required: true,
  description: "Identifies one call for ever; an inquiry names the call it is about.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};
