import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "../../src/partner-docs/openapi-document.ts";
import type { KnownOperation } from "./requests.ts";

export interface SeenAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Returns how an answer deviates from the document, or null. */
export type Judge = (target: KnownOperation, answer: SeenAnswer) => string | null;

/** Judges by the document alone: the status is listed, the body fits its schema, and the code is listed. */
export function createJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(JSON.stringify(document)), "document");
  const compiled = new Map<string, ValidateFunction>();
  return ({ path, method, operation }, { status, type, text }) => {
    const response = operation.responses[String(status)];
    const code = codeOf(text);
    // An unknown address, which a hostile path can produce: no operation documents that.
    if (status === 404 && code === "not_found") return null;
    if (response === undefined) return `status ${status} ${code ?? ""} is not documented`;
    const schema = response.content?.["application/json"]?.schema;
    if (schema === undefined) return text === "" ? null : `status ${status} is documented without a body`;
    if (type?.startsWith("application/json") !== true) return `status ${status} came as ${type}`;
    const codes = response["x-codes"];
    if (codes !== undefined && (code === null || !codes.includes(code))) return `${status} ${code} is not documented`;
    const key = `${method} ${path} ${status}`;
    const validate =
      compiled.get(key) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    compiled.set(key, validate);
    return validate(JSON.parse(text)) ? null : `the body of ${status} is amiss: ${ajv.errorsText(validate.errors)}`;
  };
}

function codeOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    const code = typeof body === "object" && body !== null && "code" in body ? body.code : null;
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}
