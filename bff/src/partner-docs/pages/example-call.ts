import { isSchema, type OpenApiDocument, type Operation } from "../openapi-document.ts";
import { orderHashExample } from "../order-example.ts";
import type { CalledOperation } from "./site.ts";

const shellNames: Readonly<Record<string, string>> = {
  clientSecret: "$CLIENT_SECRET",
  clientId: "$CLIENT_ID",
  publicKey: "$PUBLIC_KEY",
  secretKey: "$SECRET_KEY",
};

const pathExamples: Readonly<Record<string, string>> = {
  hash: orderHashExample,
  token: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  rut: "40100000-3",
  reference: "2f1c0b7e5a3d4c6e8f9a0b1c2d3e4f50.Zm9yIG9uZSByZWRpcmVjdA",
  id: "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
};
const queryExamples: Readonly<Record<string, string>> = { rut: "40.100.000-3" };

/** The call as a curl command, with credentials in shell variables. */
export function exampleCall({ method, path, operation }: CalledOperation, document: OpenApiDocument): string {
  const [server] = operation.servers ?? document.servers;
  const address = path.replace(/\{(\w+)\}/g, (_braces, name: string) => pathExamples[name] ?? `{${name}}`);
  const url = `${server?.url ?? ""}${address}${queryOf(operation, document)}`;
  return [`curl -X ${method} "${url}"`, ...headersOf(operation, document), ...bodyOf(operation)].join(" \\\n  ");
}

/** The schemes of the first way to authenticate. */
function schemesOf({ security = [] }: Operation, document: OpenApiDocument) {
  return Object.keys(security[0] ?? {}).flatMap((name) => {
    const scheme = document.components.securitySchemes[name];
    return scheme === undefined ? [] : [{ scheme, value: shellNames[name] ?? `$${name}` }];
  });
}

function queryOf(operation: Operation, document: OpenApiDocument): string {
  const credentials = schemesOf(operation, document).flatMap(({ scheme, value }) =>
    scheme.type === "apiKey" && scheme.in === "query" ? [`${scheme.name}=${value}`] : [],
  );
  const parameters = (operation.parameters ?? []).flatMap(({ name, in: place, required }) =>
    place === "query" && required ? [`${name}=${queryExamples[name] ?? "…"}`] : [],
  );
  const query = [...credentials, ...parameters].join("&");
  return query === "" ? "" : `?${query}`;
}

function headersOf(operation: Operation, document: OpenApiDocument): string[] {
  const credentials = schemesOf(operation, document).flatMap(({ scheme, value }) => {
    if (scheme.type === "http") return [`-H "Authorization: Bearer ${value}"`];
    return scheme.in === "header" ? [`-H "${scheme.name}: ${value}"`] : [];
  });
  const isIdempotent = (operation.parameters ?? []).some(({ name }) => name === "Idempotency-Key");
  const hasJson = operation.requestBody?.content["application/json"] !== undefined;
  return [
    ...credentials,
    ...(isIdempotent ? ['-H "Idempotency-Key: your-own-id-of-this-act"'] : []),
    ...(hasJson ? ['-H "Content-Type: application/json"'] : []),
  ];
}

function bodyOf({ requestBody }: Operation): string[] {
  const json = requestBody?.content["application/json"];
  const [example] = Object.values(json?.examples ?? {});
  if (example !== undefined) return [`-d '${JSON.stringify(example.value, null, 2).replaceAll("\n", "\n  ")}'`];
  const form = requestBody?.content["multipart/form-data"];
  return Object.entries(form?.schema.properties ?? {}).flatMap(([name, field]) => {
    if (name === "uploaded_files") return [`-F "uploaded_files=@boleta.pdf;type=application/pdf"`];
    const [value] = isSchema(field) ? (field.examples ?? []).flat() : [];
    return value === undefined ? [] : [`-F "${name}=${String(value)}"`];
  });
}
