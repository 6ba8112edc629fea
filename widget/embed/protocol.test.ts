import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type Completion,
  enclose,
  FRAME_HEIGHT_MAX_PX,
  type FrameMessage,
  type HostMessage,
  newSession,
  type Reading,
  readFromFrame,
  readFromHost,
} from "./protocol.ts";

const frameMessages: FrameMessage[] = [
  { type: "announce", payload: {} },
  { type: "ready", payload: {} },
  { type: "resize", payload: { height: 812 } },
  { type: "step", payload: { name: "summary", index: 1, count: 6 } },
  {
    type: "completed",
    payload: {
      kind: "payment",
      order_token: "0b5c2e1e-7f3a-4c55-9a54-2f9a40f0a0aa",
      status: "paid",
      signed_receipt: null,
    },
  },
  { type: "completed", payload: { kind: "onboarding", order_token: null, status: "registered", signed_receipt: null } },
  { type: "error", payload: { code: "card_declined", audience: "patient", recoverable: true, trace_id: null } },
  { type: "token_expiring", payload: {} },
  { type: "request_token", payload: {} },
  { type: "open_dialog", payload: {} },
  { type: "close_dialog", payload: {} },
  { type: "close_requested", payload: {} },
];

const hostMessages: HostMessage[] = [
  { type: "hello", payload: { mode: "inline", locale: "es-CL", appearance: { accent: "#0a7d55", radius: "small" } } },
  { type: "appearance", payload: { font: "serif", color_scheme: "dark" } },
  { type: "appearance", payload: { density: "compact", labels: "inside" } },
  { type: "locale", payload: { locale: "en" } },
  { type: "token", payload: { widget_token: "7c3a4f4e-30a6-4a9a-8a5e-0f4f1f3d2b11" } },
  { type: "token", payload: { widget_token: null } },
  { type: "host_closing", payload: {} },
];

/** A structured clone, as received from a port. */
const wire = (envelope: object): object => structuredClone(envelope);

const completed = {
  type: "completed",
  payload: { kind: "payment", order_token: "abc", status: "paid", signed_receipt: null },
} as const;
const valid = () => ({ ...enclose(completed, "session-1", 1) });

describe("every message of the protocol passes its own guard", () => {
  it.each(frameMessages)("the frame's message $type", (message) => {
    expect(readFromFrame(wire(enclose(message, "s", 7)))).toEqual({ session: "s", id: 7, message });
  });

  it.each(hostMessages)("the host's message $type", (message) => {
    expect(readFromHost(wire(enclose(message, "s", 7)))).toEqual({ session: "s", id: 7, message });
  });

  it.each(frameMessages)("the host may not send the frame's message $type", (message) => {
    expect(readFromHost(wire(enclose(message, "s", 1)))).toBe("shape");
  });

  it.each(hostMessages)("the frame may not send the host's message $type", (message) => {
    expect(readFromFrame(wire(enclose(message, "s", 1)))).toBe("shape");
  });
});

describe("messages outside the protocol, refused by their shape", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a legacy string", "WIDGET_PAYMENT_SUCCESS"],
    ["a number", 4],
    ["an array", [valid()]],
    ["an extension's chatter", { source: "react-devtools-bridge", payload: {} }],
    ["JSON text", JSON.stringify(valid())],
    ["another channel", { ...valid(), channel: "other" }],
    ["no session", { ...valid(), session: undefined }],
    ["an empty session", { ...valid(), session: "" }],
    ["a session that is not a word", { ...valid(), session: "a b" }],
    ["an id of zero", { ...valid(), id: 0 }],
    ["an id that is not a number", { ...valid(), id: "1" }],
    ["an endless id", { ...valid(), id: Number.POSITIVE_INFINITY }],
    ["an unknown type", { ...valid(), type: "pay_now" }],
    ["a type of the object's prototype", { ...valid(), type: "constructor" }],
    ["a type called __proto__", { ...valid(), type: "__proto__" }],
    ["a type that is an object", { ...valid(), type: { toString: "completed" } }],
    ["no payload", { ...valid(), payload: undefined }],
    ["a payload of null", { ...valid(), payload: null }],
    ["a payload of text", { ...valid(), payload: "paid" }],
    ["a kind that is not a word", { ...valid(), payload: { ...completed.payload, kind: "a refund" } }],
    ["a status with markup", { ...valid(), payload: { ...completed.payload, status: "<img src=x>" } }],
    ["an e-mail for an order", { ...valid(), payload: { ...completed.payload, order_token: "a@example.com" } }],
    ["a missing order", { ...valid(), payload: { kind: "payment", status: "paid" } }],
    ["an endless word", { ...valid(), payload: { ...completed.payload, status: "a".repeat(1_000) } }],
  ])("%s", (_name, data) => {
    expect(readFromFrame(data)).toBe("shape");
  });

  it("the same message in the right shape is accepted", () => {
    expect(readFromFrame(valid())).toEqual({ session: "session-1", id: 1, message: completed });
  });

  it.each([-1, FRAME_HEIGHT_MAX_PX + 1, Number.NaN, Number.POSITIVE_INFINITY, "640", null])(
    "a height of %s",
    (height) => {
      expect(readFromFrame({ ...valid(), type: "resize", payload: { height } })).toBe("shape");
    },
  );

  it("a height of up to twenty thousand pixels is accepted", () => {
    const reading = (height: number) => readFromFrame({ ...valid(), type: "resize", payload: { height } });
    expect(reading(20_000)).toMatchObject({ message: { payload: { height: 20_000 } } });
    expect(reading(0)).toMatchObject({ message: { payload: { height: 0 } } });
    expect(reading(20_001)).toBe("shape");
  });

  const reported = { code: "card_declined", audience: "patient", recoverable: false, trace_id: "trace-1" };
  it("an error may say that nothing can be done", () => {
    expect(readFromFrame({ ...valid(), type: "error", payload: reported })).toMatchObject({
      message: { payload: reported },
    });
  });

  it.each([
    ["code", { ...reported, code: "Camila Díaz" }],
    ["audience", { ...reported, audience: "Camila Díaz" }],
    ["recoverable", { ...reported, recoverable: "yes" }],
    ["trace_id", { ...reported, trace_id: "a@example.com" }],
  ])("an error with an invalid %s", (_field, payload) => {
    expect(readFromFrame({ ...valid(), type: "error", payload })).toBe("shape");
  });

  it.each([
    ["completed", { ...completed.payload, kind: "renewal" }],
    ["completed", { ...completed.payload, status: "disputed" }],
    ["error", { ...reported, audience: "lender" }],
    ["error", { ...reported, code: "code_of_next_year" }],
  ])("a value newer than the kit reaches the page: %s %j", (type, payload) => {
    const newer = { ...payload, field_of_next_year: 1 };
    expect(readFromFrame({ ...valid(), type, payload: newer })).toEqual({
      session: "session-1",
      id: 1,
      message: { type, payload },
    });
  });

  it.each([
    ["name", { name: "a b", index: 1, count: 6 }],
    ["index", { name: "summary", index: 0, count: 6 }],
    ["count", { name: "summary", index: 1, count: 1.5 }],
  ])("a step with an invalid %s", (_field, payload) => {
    expect(readFromFrame({ ...valid(), type: "step", payload })).toBe("shape");
  });

  it.each(["Camila Díaz", "a@example.com", "", 7, undefined])("a malformed token: %s", (widget_token) => {
    expect(readFromHost({ ...valid(), type: "token", payload: { widget_token } })).toBe("shape");
  });

  it.each([undefined, null, "paid", 7])("a message that needs no payload, with %s as payload", (payload) => {
    expect(readFromFrame({ ...valid(), type: "ready", payload })).toBe("shape");
    expect(readFromHost({ ...valid(), type: "host_closing", payload })).toBe("shape");
  });

  it("a fraction of a pixel is rounded up, so that nothing is cut off", () => {
    const reading = readFromFrame({ ...valid(), type: "resize", payload: { height: 640.2 } });
    expect(reading).toMatchObject({ message: { payload: { height: 641 } } });
  });
});

describe("a message with another protocol version is reported as a version mismatch, not as malformed", () => {
  it.each([0, 2, "1", undefined])("version %s", (version) => {
    expect(readFromFrame({ ...valid(), version })).toBe("version");
    expect(readFromHost({ ...enclose({ type: "host_closing", payload: {} }, "s", 1), version })).toBe("version");
  });
});

describe("hostile objects change nothing", () => {
  it("inherited fields do not count, so a polluted Object.prototype completes no message", () => {
    const { payload, ...rest } = valid();
    const inherited = Object.assign(Object.create({ payload }), rest);
    expect(readFromFrame(inherited)).toBe("shape");
    expect(readFromFrame({ ...rest, payload })).not.toBe("shape");

    const inheritedStatus = Object.assign(Object.create({ status: "paid" }), { kind: "payment", order_token: "abc" });
    expect(readFromFrame({ ...rest, payload: inheritedStatus })).toBe("shape");
  });

  it("a __proto__ key pollutes nothing and is not copied", () => {
    const data: unknown = JSON.parse(
      '{"channel":"aapd","version":1,"session":"s","id":1,"type":"completed","__proto__":{"polluted":"yes"},' +
        '"payload":{"kind":"payment","order_token":"abc","status":"paid","__proto__":{"polluted":"yes"}}}',
    );
    const reading = readFromFrame(data);
    expect(reading).toEqual({ session: "s", id: 1, message: completed });
    expect(Object.hasOwn({}, "polluted") || "polluted" in Object.prototype).toBe(false);
    expect(JSON.stringify(reading)).not.toContain("polluted");
  });

  it("copies only known fields, into fresh objects", () => {
    const payload = { ...completed.payload, rut: "12.345.678-5", email: "a@example.com" };
    const reading = readFromFrame({ ...valid(), payload, name: "Camila" });
    expect(reading).toEqual({ session: "session-1", id: 1, message: completed });
  });

  it("a value that changes between two reads is read once", () => {
    let looks = 0;
    const payload = {
      kind: "payment",
      order_token: null,
      get status() {
        looks++;
        return looks === 1 ? "paid" : "<b>";
      },
    };
    expect(readFromFrame({ ...valid(), payload })).toMatchObject({ message: { payload: { status: "paid" } } });
    expect(looks).toBe(1);
  });
});

describe("appearance", () => {
  it("drops invalid fields and keeps the rest", () => {
    const payload = { accent: "red; background: url(//evil)", radius: "huge", font: "serif", color_scheme: "auto" };
    const reading = readFromHost({ ...valid(), type: "appearance", payload });
    expect(reading).toEqual({
      session: "session-1",
      id: 1,
      message: { type: "appearance", payload: { font: "serif", color_scheme: "auto" } },
    });
  });
});

it("session ids never repeat", () => {
  const sessions = Array.from({ length: 1000 }, () => newSession());
  expect(new Set(sessions).size).toBe(1000);
  // 128 random bits, in four words.
  expect(sessions.every((session) => /^\d{1,10}(-\d{1,10}){3}$/.test(session))).toBe(true);
});

it("types: a parsed message is narrowed by its type", () => {
  expectTypeOf(readFromFrame).returns.toEqualTypeOf<Reading<FrameMessage>>();
  const reading = readFromFrame(valid());
  if (typeof reading === "string") throw new Error(`refused: ${reading}`);
  const { message } = reading;
  if (message.type === "completed") expectTypeOf(message.payload).toEqualTypeOf<Completion>();
  // @ts-expect-error a payload belongs to its type
  enclose({ type: "resize", payload: { widht: 3 } }, "s", 1);
  // @ts-expect-error nothing but the protocol's messages can be sent
  enclose({ type: "pay_now", payload: {} }, "s", 1);
});
