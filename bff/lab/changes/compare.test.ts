import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeInterface } from "./code-interface.ts";
import { differencesBetween } from "./compare.ts";
import { compareSchemas } from "./compare-schemas.ts";
import { frameMessages, readProtocol } from "./frame-messages.ts";
import { canonical, type Interface, interfaceText, type Operation, parseInterface, type Schema } from "./interface.ts";
import { recordedDifference } from "./keep.ts";

/* Plants changes in the interface of the code: breaking ones must be refused, and additions must not. */
const released = codeInterface();
const protocol = readProtocol();

type Draft = { -readonly [Key in keyof Interface]: Interface[Key] };
type Plant = (draft: Draft) => void;

function withPlant(plant: Plant): Interface {
  const draft = structuredClone(released);
  plant(draft);
  return parseInterface(draft);
}

/** The differences reported for a planted change, each as "breaks: what", with its places. */
function reportOf(plant: Plant) {
  return recordedDifference(differencesBetween(released, withPlant(plant)));
}

/** A part of the document. A planted change that finds nothing to change is a mistake of the test. */
function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("The interface has no such thing.");
  return value;
}

const operation = (draft: Draft, path: string, method: "get" | "post" | "put" | "delete"): Operation =>
  found(draft.openapi.paths[path]?.[method]);
const schema = (draft: Draft, name: string) => found(draft.openapi.components.schemas[name]) as unknown as PlainSchema;
const answer = (draft: Draft, path: string, method: "get" | "post", status: string) =>
  found(operation(draft, path, method).responses[status]);

/** The content of the planted schemas. */
interface PlainSchema {
  properties: Record<string, Schema>;
  required: string[];
  enum: string[];
  type: string;
}

const inFrame =
  (from: string, to: string): Plant =>
  (draft) => {
    if (!protocol.includes(from)) throw new Error(`The protocol has no ${from}.`);
    draft.frame = frameMessages(protocol.replace(from, to));
  };

/** A breaking change: its name, the planted change, the reported difference, and one of its places. */
const breaking: readonly (readonly [name: string, plant: Plant, what: string, where: string])[] = [
  [
    "an endpoint is gone",
    (draft) => delete draft.openapi.paths["/orders/{hash}/cancel"],
    "endpoint: gone",
    "`POST /orders/{hash}/cancel`",
  ],
  [
    "a field of a request becomes required",
    (draft) => schema(draft, "CreateOrderRequest").required.push("items"),
    "`items`: required",
    "`POST /orders` (request)",
  ],
  [
    "a request gets a new field that is required",
    (draft) => {
      schema(draft, "CreateOrderRequest").properties.branch = { type: "string" };
      schema(draft, "CreateOrderRequest").required.push("branch");
    },
    "`branch`: required",
    "`POST /orders` (request)",
  ],
  [
    "a field of a request is gone",
    (draft) => delete schema(draft, "CreateOrderRequest").properties.items,
    "`items`: gone",
    "`POST /orders` (request)",
  ],
  [
    "a field of a request takes less",
    (draft) => {
      schema(draft, "RefundOrderRequest").properties.reason = { type: "string", maxLength: 499 };
    },
    "`reason`: `maxLength` `500` → `499`",
    "`PUT /orders/{hash}/refund` (request)",
  ],
  [
    "a field of a request gets a limit",
    (draft) => {
      schema(draft, "RefundOrderRequest").properties.amount = { type: "integer", minimum: 1, maximum: 1_000_000 };
    },
    "`amount`: `maximum` `1000000` is new",
    "`PUT /orders/{hash}/refund` (request)",
  ],
  [
    "a value that a request may have is gone",
    (draft) => {
      const kinds = schema(draft, "WebhookEventKind").enum;
      kinds.splice(kinds.indexOf("order.cancelled"), 1);
    },
    "`kinds[]`: `order.cancelled` is gone",
    "`POST /api/webhook_endpoints` (request, answer 201)",
  ],
  [
    "a field of an answer is gone",
    (draft) => delete schema(draft, "Order").properties.tax_documents,
    "`tax_documents`: gone",
    "`POST /orders` (answer 201)",
  ],
  [
    "a field of an answer is not always there any more",
    (draft) => schema(draft, "Order").required.splice(schema(draft, "Order").required.indexOf("plan"), 1),
    "`plan`: no longer required",
    "`GET /orders/{hash}` (answer 200)",
  ],
  [
    "a field of an answer is of another type",
    (draft) => {
      schema(draft, "Order").properties.total_amount = { type: "string" };
    },
    "`total_amount`: integer → string",
    "`POST /orders` (answer 201)",
  ],
  [
    "a field of an answer may be null",
    (draft) => {
      schema(draft, "Order").properties.created_at = {
        anyOf: [{ $ref: "#/components/schemas/Timestamp" }, { type: "null" }],
      };
    },
    "`created_at`: may also be null",
    "`POST /orders` (answer 201)",
  ],
  [
    "a field of an answer has a new value",
    (draft) => schema(draft, "OrderStatus").enum.push("on_hold"),
    "`status`: may be `on_hold`",
    "`POST /orders` (answer 201)",
  ],
  [
    "an error code is gone",
    (draft) => {
      const { "x-codes": codes = [], content = {} } = answer(draft, "/orders", "post", "409");
      codes.splice(codes.indexOf("duplicate_reference"), 1);
      const [, narrowed] = (found(content["application/json"]).schema as { allOf: [Schema, PlainSchema] }).allOf;
      narrowed.properties.code = { enum: codes };
    },
    "error code `duplicate_reference`: gone",
    "`POST /orders` (answer 409)",
  ],
  [
    "a status is gone",
    (draft) => delete operation(draft, "/orders", "post").responses["409"],
    "answer 409: gone",
    "`POST /orders`",
  ],
  [
    "success has another status",
    (draft) => {
      const { responses } = operation(draft, "/orders", "post");
      responses["202"] = found(responses["201"]);
    },
    "answer 202: new",
    "`POST /orders`",
  ],
  [
    "another header is required",
    (draft) =>
      operation(draft, "/orders", "post").parameters?.push({
        name: "X-Clinic",
        in: "header",
        required: true,
        schema: { type: "string" },
      }),
    "`X-Clinic` (header): new, required",
    "`POST /orders` (request)",
  ],
  [
    "a header that could be left out is required",
    (draft) => {
      const [key] = operation(draft, "/orders", "post").parameters ?? [];
      found(key).required = true;
    },
    "`Idempotency-Key` (header): required",
    "`POST /orders` (request)",
  ],
  [
    "a parameter is gone",
    (draft) => operation(draft, "/api/spot/widget", "post").parameters?.splice(0, 1),
    "`expires_in_minutes` (query): gone",
    "`POST /api/spot/widget` (request)",
  ],
  [
    "a header of the answer is gone",
    (draft) => delete answer(draft, "/orders", "post", "429").headers?.["Retry-After"],
    "header `Retry-After`: gone",
    "`POST /orders` (answer 429)",
  ],
  [
    "a credential more is needed",
    (draft) => {
      operation(draft, "/orders", "post").security = [{ clientSecret: [], secretKey: [] }];
    },
    "credentials: clientSecret → clientSecret + secretKey",
    "`POST /orders`",
  ],
  [
    "a credential is sent elsewhere",
    (draft) => {
      draft.openapi.components.securitySchemes.secretKey = { type: "apiKey", in: "header", name: "X-Admin-Key" };
    },
    'credential `secretKey`: {"in":"header","name":"X-Secret-Key","type":"apiKey"} → {"type":"apiKey","in":"header","name":"X-Admin-Key"}',
    "every call with this credential",
  ],
  [
    "an endpoint asks for a scope",
    (draft) => {
      operation(draft, "/orders/{hash}", "get")["x-scope"] = "orders:read";
    },
    "scope: none → orders:read",
    "`GET /orders/{hash}`",
  ],
  [
    "an endpoint moves to the other address",
    (draft) => {
      operation(draft, "/orders", "post").servers = [{ url: "https://spot.example" }];
    },
    "not answered at https://order.example any more",
    "`POST /orders`",
  ],
  [
    "a function of generated clients has another name",
    (draft) => {
      operation(draft, "/orders", "post").operationId = "makeOrder";
    },
    "`operationId`: createOrder → makeOrder",
    "`POST /orders`",
  ],
  [
    "a kind of file is not taken any more",
    (draft) => {
      const encoding = operation(draft, "/api/spot/gastos", "post").requestBody?.content["multipart/form-data"]
        ?.encoding;
      const files = found(encoding?.uploaded_files);
      files.contentType = files.contentType.replace(", image/webp", "");
    },
    "`uploaded_files`: `image/webp` is gone",
    "`POST /api/spot/gastos` (request)",
  ],
  [
    "a kind of event is gone",
    (draft) => delete draft.openapi.webhooks["order.paid"],
    "kind of event: gone",
    "webhook `order.paid`",
  ],
  [
    "the body of a webhook lacks a field",
    (draft) => delete schema(draft, "WebhookEvent").properties.sequence,
    "`sequence`: gone",
    "webhook `order.paid`",
  ],
  [
    "a webhook may come without its body",
    (draft) => {
      found(draft.openapi.webhooks["order.paid"]?.post?.requestBody).required = false;
    },
    "how it is delivered",
    "webhook `order.paid`",
  ],
  [
    "a header of webhooks is gone",
    (draft) => draft.openapi.webhooks["order.paid"]?.post?.parameters?.splice(0, 1),
    "header `X-Service-Signature`: gone",
    "webhook `order.paid`",
  ],
  [
    "a message of the frame is gone",
    inFrame('  | { type: "step"; payload: Step }\n', ""),
    "message: gone",
    "frame message `step`",
  ],
  [
    "a field of a message is of another type",
    inFrame("index: number; count: number", "index: string; count: number"),
    "`payload.index`: number → string",
    "frame message `step`",
  ],
  [
    "a message has a new value, which kits of before refuse",
    inFrame('Open<"onboarding" | "payment">', 'Open<"onboarding" | "payment" | "refund">'),
    "`payload.kind`: may be `refund`",
    "frame message `completed`",
  ],
  [
    "the page has to say more",
    inFrame("locale?: Locale; appearance", "locale: Locale; appearance"),
    "`payload.locale`: required",
    "page message `hello`",
  ],
  [
    "messages are of another version",
    inFrame("export const VERSION = 1;", "export const VERSION = 2;"),
    "`version`: `1` → `2`",
    "frame message `ready`",
  ],
  [
    "a bare string of the older integration is another",
    inFrame('"WIDGET_PAYMENT_SUCCESS"', '"WIDGET_PAID"'),
    "message: gone",
    "frame message `WIDGET_PAYMENT_SUCCESS`",
  ],
];

const harmless: readonly (readonly [name: string, plant: Plant, what: string, where: string])[] = [
  [
    "an endpoint is new",
    (draft) => {
      draft.openapi.paths["/api/branches"] = { get: operation(draft, "/api/payouts", "get") };
    },
    "endpoint: new",
    "`GET /api/branches`",
  ],
  [
    "an answer has a new field, always",
    (draft) => {
      schema(draft, "Order").properties.branch = { type: "string" };
      schema(draft, "Order").required.push("branch");
    },
    "`branch`: a new field",
    "`POST /orders` (answer 201)",
  ],
  [
    "a request may have a new field",
    (draft) => {
      schema(draft, "CreateOrderRequest").properties.branch = { type: "string" };
    },
    "`branch`: a new field",
    "`POST /orders` (request)",
  ],
  [
    "a field of a request need not be sent any more",
    (draft) => schema(draft, "CreateOrderRequest").required.splice(0, 1),
    "`customer`: no longer required",
    "`POST /orders` (request)",
  ],
  [
    "a field of a request takes more",
    (draft) => {
      schema(draft, "RefundOrderRequest").properties.reason = { type: "string", maxLength: 501 };
    },
    "`reason`: `maxLength` `500` → `501`",
    "`PUT /orders/{hash}/refund` (request)",
  ],
  [
    "a field of an answer is never null any more",
    (draft) => {
      const { center } = schema(draft, "Order").properties;
      const forms = (center as { anyOf: Schema[] }).anyOf;
      schema(draft, "Order").properties.center = found(forms.find(({ type }) => type !== "null"));
    },
    "`center`: is never null",
    "`POST /orders` (answer 201)",
  ],
  [
    "an error code is new",
    (draft) => answer(draft, "/orders", "post", "409")["x-codes"]?.push("order_frozen"),
    "error code `order_frozen`: new",
    "`POST /orders` (answer 409)",
  ],
  [
    "a kind of event is new",
    (draft) => {
      draft.openapi.webhooks["order.frozen"] = found(draft.openapi.webhooks["order.paid"]);
      schema(draft, "WebhookEventKind").enum.push("order.frozen");
    },
    "`events[].event`: may be `order.frozen`",
    "`GET /api/events` (answer 200)",
  ],
  [
    "one of two credentials is enough",
    (draft) => {
      operation(draft, "/orders", "post").security = [{ clientSecret: [] }, { secretKey: [] }];
    },
    "credentials: clientSecret → clientSecret or secretKey",
    "`POST /orders`",
  ],
  [
    "a header is new that may be left out",
    (draft) =>
      operation(draft, "/orders", "post").parameters?.push({
        name: "X-Clinic",
        in: "header",
        required: false,
        schema: { type: "string" },
      }),
    "`X-Clinic` (header): new",
    "`POST /orders` (request)",
  ],
  [
    "a message of the frame is new",
    inFrame(
      '  | { type: "step"; payload: Step }\n',
      '  | { type: "step"; payload: Step }\n  | { type: "shown"; payload: Empty }\n',
    ),
    "message: new",
    "frame message `shown`",
  ],
  [
    "the page may say more",
    inFrame("locale?: Locale; appearance", "locale?: Locale; theme?: string; appearance"),
    "`payload.theme`: a new field",
    "page message `hello`",
  ],
];

it("allows a change of `items` in a list that `prefixItems` fills completely", () => {
  const fill = (items: boolean | object, maxItems: number) => ({
    type: "array",
    prefixItems: [{}, {}],
    items,
    maxItems,
  });
  const verdicts = (before: object, after: object) =>
    compareSchemas(before as Schema, after as Schema, "sent").map(({ breaks }) => breaks);
  expect(verdicts(fill(false, 2), fill({}, 2))).toEqual([false]);
  expect(verdicts(fill(false, 3), fill({}, 3))).toEqual([true]);
});

describe("breaking differences are reported as breaking", () => {
  it.each(breaking)("%s", (_name, plant, what, where) => {
    const differences = reportOf(plant);
    expect(differences).toContainEqual(expect.objectContaining({ what, breaks: true }));
    expect(differences.find((difference) => difference.what === what)?.where).toContain(where);
  });

  it("reports all planted changes together, so that none hides another", () => {
    // Planted changes of the same field or call would undo each other, and the frame's all change one text. These are
    // left out.
    const chosen = breaking.filter(([name]) =>
      [
        "an endpoint is gone",
        "a field of a request becomes required",
        "a field of a request takes less",
        "a field of an answer is gone",
        "a field of an answer is of another type",
        "a field of an answer has a new value",
        "an error code is gone",
        "a credential more is needed",
        "a kind of event is gone",
      ].includes(name),
    );
    expect(chosen).toHaveLength(9);
    const differences = reportOf((draft) => {
      for (const [, plant] of chosen) plant(draft);
    });
    for (const [, , what] of chosen)
      expect(differences).toContainEqual(expect.objectContaining({ what, breaks: true }));
  });
});

describe("additions are reported, and break nothing", () => {
  it.each(harmless)("%s", (_name, plant, what, where) => {
    const differences = reportOf(plant);
    expect(differences.filter(({ breaks }) => breaks)).toEqual([]);
    expect(differences.find((difference) => difference.what === what)?.where).toContain(where);
  });

  it("reports no difference for the same interface, changed descriptions, a changed order, or renamed schemas", () => {
    const renamed = interfaceText(released)
      .replaceAll('/schemas/OrderStatus"', '/schemas/Status"')
      .replaceAll('"OrderStatus":', '"Status":');
    expect(differencesBetween(released, parseInterface(JSON.parse(renamed)))).toEqual([]);
    expect(
      reportOf((draft) => {
        schema(draft, "Order").required.reverse();
        schema(draft, "OrderStatus").enum.reverse();
        draft.openapi.paths = Object.fromEntries(Object.entries(draft.openapi.paths).toReversed());
      }),
    ).toEqual([]);
  });
});

describe("every change is noticed", () => {
  type Path = readonly (string | number)[];
  /** The paths that `allOf` refers to in a part of the document. */
  const namedInAllOf = (value: unknown, isInside = false): string[] => {
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, child]) =>
      key === "$ref" && isInside ? [String(child)] : namedInAllOf(child, isInside || key === "allOf"),
    );
  };
  const narrowed = new Set(namedInAllOf(released.openapi));
  const changeable = (value: unknown, path: Path = []): Path[] => {
    // A part narrowed by `allOf` may change without changing the possible values, and an empty list counts as no list.
    if (path.includes("allOf") || narrowed.has(`#/${path.slice(1).join("/")}`)) return [];
    if (Array.isArray(value) && value.length === 0) return [];
    const below =
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, child]) =>
            changeable(child, [...path, Array.isArray(value) ? Number(key) : key]),
          )
        : [];
    return path.length > 2 ? [...below, path] : below;
  };
  const all = [
    ...changeable({ openapi: { paths: released.openapi.paths } }),
    ...changeable({ openapi: { webhooks: released.openapi.webhooks } }),
    ...changeable({ openapi: { components: released.openapi.components } }),
    ...changeable({ frame: released.frame }),
  ];

  const another = (value: unknown) => {
    if (typeof value === "string") return `${value}x`;
    if (typeof value === "number") return value + 1;
    if (typeof value === "boolean") return !value;
    return Array.isArray(value) ? [] : {};
  };

  it("every change or removal is reported, or makes the interface impossible to compare", () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.boolean(), (path, isRemoval) => {
        const draft: unknown = structuredClone(released);
        const key = found(path.at(-1));
        // biome-ignore lint/suspicious/noExplicitAny: any part of the document, found by its path.
        const holder = path.slice(0, -1).reduce((part, step) => part[step], draft as any);
        if (!isRemoval) holder[key] = another(holder[key]);
        else if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
        fc.pre(JSON.stringify(canonical(draft)) !== JSON.stringify(canonical(released)));
        const amount = () => differencesBetween(released, parseInterface(draft)).length;
        try {
          return amount() > 0;
        } catch {
          return true;
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});

it("declaring an object's keys as text does not restrict it", () => {
  const plant: Plant = (draft) => {
    schema(draft, "PatientData").properties.names = { type: "object", propertyNames: { type: "string" } } as never;
  };
  const without: Plant = (draft) => {
    schema(draft, "PatientData").properties.names = { type: "object" } as never;
  };
  expect(differencesBetween(withPlant(plant), withPlant(without)).filter(({ breaks }) => breaks)).toEqual([]);
});
