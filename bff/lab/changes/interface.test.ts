import { describe, expect, it } from "vitest";
import { codeInterface } from "./code-interface.ts";
import { frameMessages, readProtocol, UnknownType } from "./frame-messages.ts";
import { interfaceText, parseInterface } from "./interface.ts";
import { resolveSchema, Unresolvable } from "./resolve-schema.ts";

describe("the released interface", () => {
  const kept = codeInterface();
  const text = interfaceText(kept);

  it("is parsed and written back without a change", () => {
    expect(interfaceText(parseInterface(JSON.parse(text)))).toBe(text);
  });

  it("contains no descriptions, which may change", () => {
    expect(text).not.toContain("Create an order.");
    expect(text).not.toMatch(/"examples?":/);
  });

  it("keeps fields whose names equal those of descriptions", () => {
    expect(kept.openapi.components.schemas.OrderItem?.properties).toHaveProperty("description");
  });

  it("rejects a part of OpenAPI that the comparison does not cover", () => {
    const draft = JSON.parse(text);
    draft.openapi.paths["/orders"].post.callbacks = {};
    expect(() => parseInterface(draft)).toThrow(/callbacks/);
  });
});

describe("the messages of the frame", () => {
  const protocol = readProtocol();

  it("are all declared messages, with their envelopes", () => {
    const { says, takes } = frameMessages(protocol);
    const declared = [...protocol.matchAll(/^ {2}\| \{ type: "(\w+)"/gm)].map(([, type = ""]) => type);
    const bare = [...protocol.matchAll(/^ {2}\w+: "(WIDGET_\w+)",$/gm)].map(([, name = ""]) => name);
    expect([...Object.keys(says), ...Object.keys(takes)].toSorted()).toEqual([...declared, ...bare].toSorted());
    expect(says.step).toEqual({
      type: "object",
      properties: {
        channel: { type: "string", enum: ["aapd"] },
        version: { type: "number", enum: [1] },
        session: { type: "string" },
        id: { type: "number" },
        type: { type: "string", enum: ["step"] },
        payload: {
          type: "object",
          properties: { name: { type: "string" }, index: { type: "number" }, count: { type: "number" } },
          required: ["name", "index", "count"],
        },
      },
      required: expect.arrayContaining(["channel", "version", "session", "id", "type", "payload"]),
    });
  });

  it("may be null, omitted, or both", () => {
    const { takes } = frameMessages(
      protocol.replace("widget_token: string | null", "widget_token: string | null; a?: string; b?: string | null"),
    );
    expect(takes.token).toMatchObject({
      properties: {
        payload: {
          properties: {
            widget_token: { anyOf: expect.arrayContaining([{ type: "null" }, { type: "string" }]) },
            a: { type: "string" },
            b: { anyOf: expect.arrayContaining([{ type: "null" }, { type: "string" }]) },
          },
          required: ["widget_token"],
        },
      },
    });
  });

  it.each([
    ["a list", "height: number", "height: number[]"],
    ["anything", "height: number", "height: unknown"],
    ["a function", "height: number", "height: () => void"],
    ["a type of text", "height: number", "height: `x$" + "{string}`"],
    ["two of one type", '| { type: "ready"; payload: Empty }', '| { type: "step"; payload: Empty }'],
    ["no envelope", "export type Envelope<", "type Envelope<"],
  ])("stop the comparison if the protocol has %s", (_what, from, to) => {
    expect(protocol).toContain(from);
    expect(() => frameMessages(protocol.replace(from, to))).toThrow(UnknownType);
  });
});

describe("an expanded schema", () => {
  it("is one schema, with all references replaced", () => {
    const named = { Name: { type: "string", maxLength: 5 }, Named: { properties: { name: { $ref: "#/x/Name" } } } };
    const narrowed = { allOf: [{ $ref: "#/x/Named" }, { properties: { name: { const: "a" } } }] };
    expect(resolveSchema(narrowed, named)).toEqual({
      properties: { name: { type: "string", maxLength: 5, enum: ["a"] } },
    });
  });

  it("rejects a missing reference and a reference to itself", () => {
    expect(() => resolveSchema({ $ref: "#/x/Name" }, {})).toThrow(Unresolvable);
    const tree = { properties: { below: { $ref: "#/x/Tree" } } };
    expect(() => resolveSchema({ $ref: "#/x/Tree" }, { Tree: tree })).toThrow(Unresolvable);
  });
});
