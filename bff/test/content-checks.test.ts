import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { watchReceipt } from "../src/claims/expenses/electronic-receipt.ts";
import { needsPassword } from "../src/claims/expenses/locked-pdf.ts";
import { splitForm } from "../src/claims/expenses/multipart.ts";
import { cleanName } from "../src/claims/expenses/receive-file.ts";
import { BODY_LIMITS, bodyLimits, type Endpoint } from "../src/contract/endpoint.ts";
import { operationsEndpoints } from "../src/contract/operations-endpoints.ts";
import { orderEndpoints } from "../src/contract/order-endpoints.ts";
import { sandboxEndpoints } from "../src/contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../src/contract/spot-endpoints.ts";
import { webhookEndpoints } from "../src/contract/webhook-endpoints.ts";
import { parseJsonBody } from "../src/platform/http/json-body.ts";
import { validateInputs } from "../src/platform/http/validate-inputs.ts";

/*
 * Runs each content check on its worst input. Work is counted in characters, so that load on the machine changes
 * nothing. Other checks: regular expressions in `regular-expressions.test.ts`, the search for card numbers in
 * `card-number.test.ts`, pixels in `picture-to-jpeg.test.ts`.
 */

/**
 * The number of characters that `run` reads one by one, copies or searches. Normalizing counts as the square of the
 * length, which is its cost for combining marks in the wrong order.
 */
function work(run: () => unknown): number {
  const { charCodeAt, codePointAt, normalize, slice, matchAll } = String.prototype;
  const counted = { characters: 0 };
  const counting = <Args extends unknown[], Result>(
    method: (this: string, ...args: Args) => Result,
    cost: (text: string, result: Result) => number,
  ) =>
    function (this: string, ...args: Args): Result {
      const result = method.apply(this, args);
      counted.characters += cost(String.prototype.toString.call(this), result);
      return result;
    };
  const own = { charCodeAt, codePointAt, normalize, slice, matchAll };
  Object.assign(String.prototype, {
    charCodeAt: counting(charCodeAt, () => 1),
    codePointAt: counting(codePointAt, () => 1),
    normalize: counting(normalize, (text) => text.length ** 2),
    slice: counting(slice, (_text, result) => result.length),
    matchAll: counting(matchAll, (text) => text.length),
  });
  try {
    run();
  } catch {
    // A refusal counts like a success here.
  } finally {
    Object.assign(String.prototype, own);
  }
  return counted.characters;
}

const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  digits: repeated("5"),
  blanks: repeated(" \u00a0"),
  dots: repeated("a."),
  "combining marks in the wrong order": (length) => `1234567890123${repeated("\u0301\u0316")(length)}`,
  "characters that stand for several": repeated("⑫㏫"),
};

/** A value of the schema's shape in which every text is `text`. */
function filled(schema: unknown, text: string, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 8) return text;
  if ("properties" in schema && typeof schema.properties === "object" && schema.properties !== null)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, each]) => [name, filled(each, text, depth + 1)]),
    );
  if ("items" in schema) return [filled(schema.items, text, depth + 1)];
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const [first] = key in schema ? (schema as Record<typeof key, readonly unknown[]>)[key] : [];
    if (first !== undefined) return filled(first, text, depth + 1);
  }
  return text;
}

const declared: Readonly<Record<string, Endpoint>> = {
  ...orderEndpoints,
  ...spotEndpoints,
  ...webhookEndpoints,
  ...operationsEndpoints,
  ...sandboxEndpoints,
};
const shape = (schema: z.ZodMiniType | undefined) =>
  schema === undefined ? {} : z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

it.each(Object.entries(declared).filter(([, { body, query }]) => body !== undefined || query !== undefined))(
  "validating %s reads each character of query and body a few times, whatever the content",
  (_name, endpoint) => {
    const [query, body] = [shape(endpoint.query), shape(endpoint.body)];
    const given = (text: string) => ({ query: filled(query, text), body: filled(body, text) });
    for (const [what, textOf] of Object.entries(TEXTS)) {
      const workOf = (length: number) => {
        const inputs = given(textOf(length));
        return [work(() => validateInputs(endpoint, inputs)), JSON.stringify(inputs).length] as const;
      };
      // The first call fills the table of characters, so it does not count.
      workOf(64);
      const [[short], [long, bytes]] = [workOf(2_048), workOf(4_096)];
      expect([what, long < 30 * bytes + 50_000, long <= 2.2 * short + 50_000]).toEqual([what, true, true]);
    }
  },
);

it.each([
  ["brackets without end", "[".repeat(BODY_LIMITS.bytesMax)],
  ["objects in objects", '{"a":'.repeat(12_000)],
  ["20,000 empty lists", `[${"[],".repeat(20_000)}[]]`],
  ["30,000 numbers", `[${"1,".repeat(30_000)}1]`],
])("JSON of %s is refused before it is parsed", (_what, text) => {
  const request = new IncomingMessage(new Socket());
  request.headers["content-type"] = "application/json";
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...args: Parameters<typeof parse>): unknown => {
    parsed += 1;
    return parse(...args);
  };
  try {
    expect(() => parseJsonBody(request, Buffer.from(text), bodyLimits(orderEndpoints.createOrder))).toThrow();
  } finally {
    JSON.parse = parse;
  }
  expect(parsed).toBe(0);
});

it.each([
  ["namespaces without a value", "xmlns xmlns:a="],
  ["declarations", '<?xml version="1.0" '],
  ["nothing that is judged", "<a>xmln</a>"],
])("the XML of a receipt with %s is searched once, and a part of it twice", (_what, unit) => {
  const bytes = Buffer.from(unit.repeat(200_000).slice(0, 2_000_000));
  const searched = work(() => {
    const isData = watchReceipt();
    for (let at = 0; at < bytes.length; at += 4_096) if (!isData(bytes.subarray(at, at + 4_096))) return;
    isData(null);
  });
  expect(searched).toBeLessThan(2 * bytes.length);
});

it("a file's name is read a few times, however long it is", () => {
  for (const unit of ["/", "5", "\u0301\u0316", "a."]) {
    cleanName(unit.repeat(64));
    const [short, long] = [2_048, 4_096].map((length) => work(() => cleanName(repeated(unit)(length))));
    expect([unit, (long ?? 0) <= 2.2 * (short ?? 0) + 1_000]).toEqual([unit, true]);
  }
});

/** The bytes that `run` copies with `Buffer.concat` or searches from the end. */
async function bytesOf(run: () => unknown): Promise<number> {
  const { concat } = Buffer;
  const { lastIndexOf } = Buffer.prototype;
  let bytes = 0;
  Buffer.concat = (list, total) => {
    const joined = concat(list, total);
    bytes += joined.length;
    return joined;
  };
  Object.assign(Buffer.prototype, {
    lastIndexOf(this: Buffer, value: string, from: number, encoding: BufferEncoding): number {
      const at: number = Reflect.apply(lastIndexOf, this, [value, from, encoding]);
      bytes += from - Math.max(0, at);
      return at;
    },
  });
  try {
    await run();
  } catch {
    // A refusal counts like a success here too.
  } finally {
    Object.assign(Buffer, { concat });
    Object.assign(Buffer.prototype, { lastIndexOf });
  }
  return bytes;
}

const PDF_BYTES = 2_000_000;
it.each([
  ["names of an encryption without a dictionary", "/Encrypt "],
  ["references to an object that is not there", "/Encrypt 5 0 R "],
  ["objects with a number that ends like the one that is looked for", `${"15 0 obj ".repeat(50)}/Encrypt 5 0 R `],
])("a PDF with %s is searched a few times", async (_what, unit) => {
  const pdf = Buffer.from(unit.repeat(Math.ceil(PDF_BYTES / unit.length)).slice(0, PDF_BYTES));
  expect(await bytesOf(() => needsPassword(pdf))).toBeLessThan(6 * PDF_BYTES);
});

it.each([
  ["beginnings of boundaries", "\r\n--boundar"],
  ["line ends", "\r\n"],
  ["no boundary", "a"],
])("a form whose part holds %s is copied a few times", async (_what, unit) => {
  const head = '--boundary\r\nContent-Disposition: form-data; name="a"; filename="a.pdf"\r\n\r\n';
  const form = Buffer.from(`${head}${unit.repeat(Math.ceil(1_000_000 / unit.length))}\r\n--boundary--`);
  const chunks = async function* () {
    for (let at = 0; at < form.length; at += 16_384) yield form.subarray(at, at + 16_384);
  };
  const read = async () => {
    for await (const { content } of splitForm(chunks(), "boundary")) for await (const _chunk of content);
  };
  expect(await bytesOf(read)).toBeLessThan(3 * form.length);
});
