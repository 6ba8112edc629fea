import { compareSchemas, type IsOpen, type SchemaDifference, type Side } from "./compare-schemas.ts";
import type { Header, Interface, MediaType, Operation, Parameter, Response, Schema } from "./interface.ts";
import { resolveSchema } from "./resolve-schema.ts";

/** A place of the interface, such as "`POST /orders`", and a part of it, such as "answer 201"; null means all of it. */
export interface Where {
  readonly place: string;
  readonly part: string | null;
}

/** One difference in one place. */
export interface Difference {
  /** Whether a previously correct program may now be wrong. */
  readonly breaks: boolean;
  /** The difference, in the same words for every place. */
  readonly what: string;
  readonly where: Where;
  /** The names by which the changelog may refer to it. */
  readonly names: readonly string[];
}

/** Every difference of the interface from the released one. Empty if and only if no program can notice a difference. */
export function differencesBetween(released: Interface, now: Interface): Difference[] {
  const both: Both = { before: released, after: now, touched: touchedSchemas(released, now) };
  return [
    ...documentDifferences(both),
    ...credentialDifferences(both),
    ...pathDifferences(both, released.openapi.paths, now.openapi.paths, comparePartnersCall),
    ...pathDifferences(both, released.openapi.webhooks, now.openapi.webhooks, compareWebhook),
    ...messageDifferences("frame message", "sent", released.frame.says, now.frame.says),
    ...messageDifferences("page message", "taken", released.frame.takes, now.frame.takes),
  ];
}

interface Both {
  readonly before: Interface;
  readonly after: Interface;
  /** The names of all schemas that differ, themselves or in a schema that they contain. */
  readonly touched: ReadonlySet<string>;
}

function touchedSchemas({ openapi: before }: Interface, { openapi: after }: Interface): Set<string> {
  const [old, young] = [before.components.schemas, after.components.schemas];
  const names = new Set([...Object.keys(old), ...Object.keys(young)]);
  const touched = new Set([...names].filter((name) => !same(old[name], young[name])));
  for (let size = -1; size !== touched.size; ) {
    size = touched.size;
    for (const name of names) if (referencesIn(young[name]).some((held) => touched.has(held))) touched.add(name);
  }
  return touched;
}

function referencesIn(schema: unknown): string[] {
  const references = [...(JSON.stringify(schema) ?? "").matchAll(/"#\/components\/schemas\/(\w+)"/g)];
  return references.map(([, name = ""]) => name);
}

type Table<Value> = Readonly<Record<string, Value>>;

/** A function that describes the differences between two versions of the same place. */
type Compare<Value> = (both: Both, where: Where, before: Value, after: Value) => Difference[];

function whole(place: string): Where {
  return { place, part: null };
}

function breaking(where: Where, what: string, ...names: readonly string[]): Difference {
  return { breaks: true, what, where, names };
}

function harmless(where: Where, what: string, ...names: readonly string[]): Difference {
  return { breaks: false, what, where, names };
}

function paired<Value>(before: Table<Value> = {}, after: Table<Value> = {}) {
  const has = (table: Table<Value>, key: string) => Object.hasOwn(table, key);
  return {
    gone: Object.entries(before).filter(([key]) => !has(after, key)),
    fresh: Object.entries(after).filter(([key]) => !has(before, key)),
    kept: Object.entries(before).flatMap(([key, was]) => {
      const is = after[key];
      return is === undefined || !has(after, key) ? [] : [{ key, was, is }];
    }),
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function documentDifferences({ before, after }: Both): Difference[] {
  const keys = ["openapi", "jsonSchemaDialect"] as const;
  return keys
    .filter((key) => before.openapi[key] !== after.openapi[key])
    .map((key) => breaking(whole("the document"), `\`${key}\`: ${before.openapi[key]} → ${after.openapi[key]}`, key));
}

function credentialDifferences({ before, after }: Both): Difference[] {
  const { gone, fresh, kept } = paired(
    before.openapi.components.securitySchemes,
    after.openapi.components.securitySchemes,
  );
  const where = whole("every call with this credential");
  return [
    ...gone.map(([name]) => breaking(where, `credential \`${name}\`: gone`, name)),
    ...fresh.map(([name]) => harmless(where, `credential \`${name}\`: new`, name)),
    ...kept
      .filter(({ was, is }) => !same(was, is))
      .map(({ key, was, is }) =>
        breaking(where, `credential \`${key}\`: ${JSON.stringify(was)} → ${JSON.stringify(is)}`, key),
      ),
  ];
}

type Paths = Interface["openapi"]["paths"];

function pathDifferences(both: Both, before: Paths, after: Paths, compare: Compare<Operation>): Difference[] {
  const isWebhook = compare === compareWebhook;
  const operations = (paths: Paths): Table<Operation> =>
    Object.fromEntries(
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => [
          isWebhook ? `webhook \`${path}\`` : `\`${method.toUpperCase()} ${path}\``,
          operation,
        ]),
      ),
    );
  const { gone, fresh, kept } = paired(operations(before), operations(after));
  const thing = isWebhook ? "kind of event" : "endpoint";
  return [
    ...gone.map(([place]) => breaking(whole(place), `${thing}: gone`, ...namesOfPath(place))),
    ...fresh.map(([place]) => harmless(whole(place), `${thing}: new`, ...namesOfPath(place))),
    ...kept.flatMap(({ key: place, was, is }) =>
      // A difference without a specific name may be described by the endpoint's.
      compare(both, whole(place), was, is).map((difference) =>
        difference.names.length > 0 ? difference : { ...difference, names: namesOfPath(place) },
      ),
    ),
  ];
}

/** `/orders/{hash}/refund` may be shortened to `/refund` if the context is clear; `/{hash}` alone is ambiguous. */
function namesOfPath(place: string): string[] {
  const path = /([^ `]+)`$/.exec(place)?.[1] ?? place;
  const parts = path.split(/(?=\/)/);
  const tails = parts.map((_, at) => parts.slice(at).join("")).filter((tail) => !tail.startsWith("/{"));
  return tails.length > 0 ? tails : [path];
}

/** Calls by partners: we receive the request and send the answers. */
function comparePartnersCall(both: Both, where: Where, before: Operation, after: Operation): Difference[] {
  return [
    ...operationIdDifferences(where, before, after),
    ...serverDifferences(where, before, after),
    ...securityDifferences(where, before.security, after.security),
    ...scopeDifferences(where, before["x-scope"], after["x-scope"]),
    ...parameterDifferences(both, { ...where, part: "request" }, before.parameters, after.parameters),
    ...requestDifferences(both, { ...where, part: "request" }, before.requestBody, after.requestBody),
    ...answerDifferences(both, where, before.responses, after.responses),
  ];
}

/** Our calls to partners: we send the request, and the answer is any 2xx. */
function compareWebhook(both: Both, where: Where, before: Operation, after: Operation): Difference[] {
  const asHeaders = (parameters: readonly Parameter[] = []): Table<Header> =>
    Object.fromEntries(parameters.map(({ name, required, schema }) => [name, { required, schema }]));
  const rest = ({ responses, security, servers, requestBody, ...others }: Operation) => [
    responses,
    security,
    servers,
    requestBody?.required,
    others["x-scope"],
  ];
  return [
    ...operationIdDifferences(where, before, after),
    ...headerDifferences(both, where, asHeaders(before.parameters), asHeaders(after.parameters)),
    ...contentDifferences(both, where, "sent", before.requestBody?.content, after.requestBody?.content),
    ...(same(rest(before), rest(after)) ? [] : [breaking(where, "how it is delivered")]),
  ];
}

/** The differences of messages by their types, which are reported as `kind`. */
export function messageDifferences(
  kind: string,
  side: Side,
  before: Table<Schema>,
  after: Table<Schema>,
): Difference[] {
  const { gone, fresh, kept } = paired(before, after);
  return [
    ...gone.map(([type]) => breaking(whole(`${kind} \`${type}\``), "message: gone", type)),
    ...fresh.map(([type]) => harmless(whole(`${kind} \`${type}\``), "message: new", type)),
    ...kept.flatMap(({ key, was, is }) =>
      inPlace(whole(`${kind} \`${key}\``), compareSchemas(resolveSchema(was, {}), resolveSchema(is, {}), side), key),
    ),
  ];
}

function inPlace(where: Where, differences: readonly SchemaDifference[], name?: string): Difference[] {
  return differences.map(({ breaks, what, names }) => ({
    breaks,
    what,
    where,
    names: names.length > 0 || name === undefined ? names : [name],
  }));
}

function schemaDifferences(
  { before, after, touched }: Both,
  where: Where,
  side: Side,
  was: Schema,
  is: Schema,
  name?: string,
): Difference[] {
  if (same(was, is) && !referencesIn(is).some((held) => touched.has(held))) return [];
  const old = resolveSchema(was, before.openapi.components.schemas);
  const young = resolveSchema(is, after.openapi.components.schemas);
  return inPlace(where, compareSchemas(old, young, side, openLists(before)), name);
}

/**
 * Partners ignore unknown error codes, event kinds, claim states and missing documents, so a new value of these is not
 * a breaking change. Nor is a new purpose of a session or a new kind of legal text: the widget reads them.
 */
function openLists({ openapi }: Interface): IsOpen {
  const kinds = new Set<unknown>(Object.keys(openapi.webhooks));
  return (values, field) =>
    field === "code" ||
    field === "detail.error_code" ||
    field === "purpose" ||
    /(?:^|[.])(?:texts|agreement)\[\][.]kind$/.test(field) ||
    /(?:^|[.])(?:claim[.]status|missing_document_types\[\])$/.test(field) ||
    (values.length === kinds.size && values.every((value) => kinds.has(value)));
}

function operationIdDifferences(where: Where, before: Operation, after: Operation): Difference[] {
  if (before.operationId === after.operationId) return [];
  // Generated clients have a function of this name.
  return [
    breaking(where, `\`operationId\`: ${before.operationId} → ${after.operationId}`, "operationId", after.operationId),
  ];
}

function serverDifferences(where: Where, before: Operation, after: Operation): Difference[] {
  const urls = ({ servers = [] }: Operation): Table<true> => Object.fromEntries(servers.map(({ url }) => [url, true]));
  const { gone, fresh } = paired(urls(before), urls(after));
  return [
    ...gone.map(([url]) => breaking(where, `not answered at ${url} any more`)),
    ...fresh.map(([url]) => harmless(where, `answered at ${url} too`)),
  ];
}

/**
 * Every alternative that used to be sufficient still is: it contains everything that one of today's alternatives
 * requires.
 */
function securityDifferences(
  where: Where,
  before: Operation["security"] = [],
  after: Operation["security"] = [],
): Difference[] {
  if (same(before, after)) return [];
  const isOpen = (alternatives: readonly Table<unknown>[]) => alternatives.length === 0;
  const isEnough = (held: Table<unknown>) =>
    isOpen(after) || after.some((asked) => Object.keys(asked).every((scheme) => Object.hasOwn(held, scheme)));
  const held = isOpen(before) ? [{}] : before;
  const words = (alternatives: readonly Table<unknown>[]) =>
    alternatives.map((alternative) => Object.keys(alternative).join(" + ") || "none").join(" or ") || "none";
  const what = `credentials: ${words(before)} → ${words(after)}`;
  return [held.every(isEnough) ? harmless(where, what) : breaking(where, what)];
}

function scopeDifferences(where: Where, before: string | undefined, after: string | undefined): Difference[] {
  if (before === after) return [];
  const what = `scope: ${before ?? "none"} → ${after ?? "none"}`;
  return [after === undefined ? harmless(where, what) : breaking(where, what)];
}

function parameterDifferences(
  both: Both,
  where: Where,
  before: readonly Parameter[] = [],
  after: readonly Parameter[] = [],
): Difference[] {
  const byName = (parameters: readonly Parameter[]): Table<Parameter> =>
    Object.fromEntries(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  const { gone, fresh, kept } = paired(byName(before), byName(after));
  const called = ({ in: place, name }: Parameter) => `\`${name}\` (${place})`;
  return [
    ...gone.map(([, parameter]) => breaking(where, `${called(parameter)}: gone`, parameter.name)),
    ...fresh.map(([, parameter]) =>
      parameter.required
        ? breaking(where, `${called(parameter)}: new, required`, parameter.name)
        : harmless(where, `${called(parameter)}: new`, parameter.name),
    ),
    ...kept.flatMap(({ was, is }) => [
      ...requiredDifferences(where, called(is), is.name, was.required, is.required),
      ...prefixed(called(is), schemaDifferences(both, where, "taken", was.schema, is.schema, is.name)),
    ]),
  ];
}

function requiredDifferences(
  where: Where,
  called: string,
  name: string,
  before: boolean,
  after: boolean,
): Difference[] {
  if (before === after) return [];
  return [
    after ? breaking(where, `${called}: required`, name) : harmless(where, `${called}: no longer required`, name),
  ];
}

function prefixed(called: string, differences: readonly Difference[]): Difference[] {
  return differences.map((difference) => ({ ...difference, what: `${called}: ${difference.what}` }));
}

function requestDifferences(
  both: Both,
  where: Where,
  before: Operation["requestBody"],
  after: Operation["requestBody"],
): Difference[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [after?.required ? breaking(where, "body: required") : harmless(where, "body: new")];
  if (after === undefined) return [breaking(where, "body: gone")];
  return [
    ...requiredDifferences(where, "body", "", before.required, after.required).map((each) => ({ ...each, names: [] })),
    ...contentDifferences(both, where, "taken", before.content, after.content),
  ];
}

function contentDifferences(
  both: Both,
  where: Where,
  side: Side,
  before: Table<MediaType> | undefined,
  after: Table<MediaType> | undefined,
): Difference[] {
  const { gone, fresh, kept } = paired(before, after);
  return [
    ...gone.map(([type]) => breaking(where, `content type \`${type}\`: gone`, type)),
    ...fresh.map(([type]) =>
      // An answer with a new content type reaches clients that expect another.
      side === "taken"
        ? harmless(where, `content type \`${type}\`: new`, type)
        : breaking(where, `content type \`${type}\`: new`, type),
    ),
    ...kept.flatMap(({ was, is }) => [
      ...schemaDifferences(both, where, side, was.schema, is.schema),
      ...encodingDifferences(where, was.encoding, is.encoding),
    ]),
  ];
}

/** The accepted file types of each part of a form. */
function encodingDifferences(where: Where, before: MediaType["encoding"], after: MediaType["encoding"]): Difference[] {
  const types = (encoding: MediaType["encoding"] = {}): Table<string> =>
    Object.fromEntries(
      Object.entries(encoding).flatMap(([part, { contentType }]) =>
        contentType.split(/, */).map((type) => [`${part} ${type}`, part]),
      ),
    );
  const { gone, fresh } = paired(types(before), types(after));
  const typeOf = (key: string) => key.split(" ").at(-1) ?? "";
  return [
    ...gone.map(([key, part]) => breaking(where, `\`${part}\`: \`${typeOf(key)}\` is gone`, part, typeOf(key))),
    ...fresh.map(([key, part]) => harmless(where, `\`${part}\`: may be \`${typeOf(key)}\``, part, typeOf(key))),
  ];
}

function answerDifferences(both: Both, call: Where, before: Table<Response>, after: Table<Response>): Difference[] {
  const { gone, fresh, kept } = paired(before, after);
  const isError = (status: string) => Number(status) >= 400;
  const codesOf = ({ "x-codes": codes = [] }: Response) => codes;
  return [
    ...gone.map(([status, answer]) => breaking(call, `answer ${status}: gone`, status, ...codesOf(answer))),
    ...fresh.map(([status, answer]) =>
      isError(status)
        ? harmless(call, `answer ${status}: new`, status, ...codesOf(answer))
        : breaking(call, `answer ${status}: new`, status),
    ),
    ...kept.flatMap(({ key: status, was, is }) => {
      const where = { ...call, part: `answer ${status}` };
      const codes = codeDifferences(where, was, is);
      const content = contentDifferences(both, where, "sent", was.content, is.content);
      return [
        ...codes,
        ...content.filter((difference) => !tellsCodes(difference, codes)),
        ...headerDifferences(both, where, inline(was, both.before), inline(is, both.after)),
      ];
    }),
  ];
}

function codeDifferences(where: Where, before: Response, after: Response): Difference[] {
  const table = ({ "x-codes": codes = [] }: Response): Table<true> =>
    Object.fromEntries(codes.map((code) => [code, true]));
  const { gone, fresh } = paired(table(before), table(after));
  return [
    ...gone.map(([code]) => breaking(where, `error code \`${code}\`: gone`, code)),
    ...fresh.map(([code]) => harmless(where, `error code \`${code}\`: new`, code)),
  ];
}

/** Whether a difference of the body repeats one of the codes, because the body lists them too. */
function tellsCodes({ what, names }: Difference, codes: readonly Difference[]): boolean {
  const reported = new Set(codes.flatMap((code) => code.names));
  // The values, without their field.
  const values = names.slice(0, -1);
  return (
    /^`(?:code|detail\.error_code)`: /.test(what) && values.length > 0 && values.every((name) => reported.has(name))
  );
}

function inline({ headers = {} }: Response, { openapi }: Interface): Table<Header> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const resolved = "$ref" in header ? openapi.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
      return [name, resolved ?? { schema: {} }];
    }),
  );
}

/** Headers that we send. */
function headerDifferences(both: Both, where: Where, before: Table<Header>, after: Table<Header>): Difference[] {
  const { gone, fresh, kept } = paired(before, after);
  return [
    ...gone.map(([name]) => breaking(where, `header \`${name}\`: gone`, name)),
    ...fresh.map(([name]) => harmless(where, `header \`${name}\`: new`, name)),
    ...kept.flatMap(({ key, was, is }) => {
      const called = `header \`${key}\``;
      const schema = prefixed(called, schemaDifferences(both, where, "sent", was.schema, is.schema, key));
      if ((was.required ?? false) === (is.required ?? false)) return schema;
      return [
        is.required
          ? harmless(where, `${called}: always there`, key)
          : breaking(where, `${called}: not always there`, key),
        ...schema,
      ];
    }),
  ];
}
