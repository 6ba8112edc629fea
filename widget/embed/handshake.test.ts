import { afterEach, describe, expect, it } from "vitest";
import { keepEarlyHello } from "./early-hello.ts";
import { connectToHost, type FrameStatement, type FrameWindow, type HostConnection } from "./frame-side.ts";
import { type FrameLink, linkToFrame } from "./host-side.ts";
import { enclose, type FrameMessage, type HostMessage, LEGACY, type Refusal } from "./protocol.ts";
import {
  createLoneWindow,
  createTwoWindows,
  FRAME_ORIGIN,
  HOST_ORIGIN,
  settle,
  type TwoWindows,
} from "./test/two-windows.ts";

const paid: FrameStatement = {
  type: "completed",
  payload: { kind: "payment", order_token: "abc", status: "paid", signed_receipt: null },
};
const ready: FrameStatement = { type: "ready", payload: {} };

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const end of open.splice(0)) end.close();
});

type Host = FrameLink & { window: EventTarget; heard: FrameMessage[]; refused: Refusal[]; otherVersions: number };

/** A host whose iframe contains the frame window of `windows`. */
const startHost = (windows: TwoWindows, window: EventTarget): Host => {
  const frame = document.createElement("iframe");
  Object.defineProperty(frame, "contentWindow", { value: windows.frameProxy });
  const host = { window, heard: [] as FrameMessage[], refused: [] as Refusal[], otherVersions: 0 };
  const link = linkToFrame({
    frame,
    origin: () => FRAME_ORIGIN,
    greeting: () => ({ mode: "inline", locale: "es-CL", appearance: { color_scheme: "light" } }),
    onAnnounced: () => undefined,
    onMessage: (message) => host.heard.push(message),
    onOtherVersion: () => host.otherVersions++,
    inspect: (direction, what) => {
      if (direction === "refused" && typeof what === "string") host.refused.push(what);
    },
  });
  window.addEventListener("message", (event) => link.receive(event as MessageEvent<unknown>));
  open.push(link);
  return Object.assign(host, link);
};

type Frame = HostConnection & { heard: HostMessage[]; refused: Refusal[]; origins: string[] };

const startFrame = (
  window: FrameWindow,
  parentOrigins: readonly string[] = [HOST_ORIGIN],
  isUnseen = false,
  missed: MessageEvent<unknown> | null = null,
): Frame => {
  const frame = { heard: [] as HostMessage[], refused: [] as Refusal[], origins: [] as string[] };
  const connection = connectToHost({
    window,
    parentOrigins,
    isUnseen,
    missed,
    onMessage: (message) => frame.heard.push(message),
    onConnected: (origin) => frame.origins.push(origin),
    onRefused: (reason) => frame.refused.push(reason),
  });
  open.push(connection);
  return Object.assign(frame, connection);
};

const start = () => {
  const hostWindow = new EventTarget();
  const windows = createTwoWindows(hostWindow);
  return { hostWindow, windows };
};

const connect = async () => {
  const { hostWindow, windows } = start();
  const host = startHost(windows, hostWindow);
  const frame = startFrame(windows.frameWindow());
  await settle();
  return { windows, host, frame };
};

const types = (messages: { type: string }[]): string[] => messages.map(({ type }) => type);

describe("either side may be ready first", () => {
  it("the host listens before the frame's document runs", async () => {
    const { host, frame } = await connect();
    expect(frame).toMatchObject({ framed: true, isHeard: true });
    frame.send(paid);
    await settle();
    expect(types(frame.heard)).toEqual(["hello"]);
    expect(host.heard).toEqual([paid]);
  });

  it("connects when the frame announced itself before the host listened", async () => {
    const { hostWindow, windows } = start();
    const frame = startFrame(windows.frameWindow());
    frame.send(ready);
    await settle();
    const host = startHost(windows, hostWindow);
    host.hello();
    await settle();
    expect(host.heard).toEqual([ready]);
  });

  it("both sides send at once and end with one port", async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    const frame = startFrame(windows.frameWindow());
    host.hello();
    await settle();
    frame.send({ type: "request_token", payload: {} });
    host.send({ type: "locale", payload: { locale: "en" } });
    await settle();
    expect(types(host.heard)).toEqual(["request_token"]);
    expect(frame.heard.at(-1)).toEqual({ type: "locale", payload: { locale: "en" } });
  });
});

describe("hidden frame", () => {
  it("sends nothing until the host says hello, then everything, also to pages of the older integration", async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    const frame = startFrame(windows.frameWindow(), [HOST_ORIGIN], true);
    frame.send(ready);
    windows.pageShowInFrame(true);
    await settle();
    expect(windows.toHost).toEqual([]);
    host.hello();
    await settle();
    expect([types(host.heard), types(frame.heard)]).toEqual([["ready"], ["hello"]]);
    expect(windows.toHost.map(({ data }) => data)).toEqual([LEGACY.formReady, LEGACY.formMount]);
    frame.send(paid);
    await settle();
    expect(host.heard.at(-1)).toEqual(paid);
  });
});

it("messages are numbered from 1 in each direction, and again from 1 in a new session", async () => {
  const { windows, host, frame } = await connect();
  windows.pageShowInFrame(true);
  await settle();
  const idsOf = (posted: { data: unknown }[]) =>
    posted.flatMap(({ data }) => (typeof data === "object" && data !== null && "id" in data ? [data.id] : []));
  expect([idsOf(windows.toHost), idsOf(windows.toFrame)]).toEqual([
    [1, 2],
    [1, 1],
  ]);
  const { port1, port2 } = new MessageChannel();
  open.push(port1);
  const ids: unknown[] = [];
  port1.onmessage = ({ data }) => ids.push(data.id);
  const hello = enclose({ type: "hello", payload: { mode: "inline" } }, "session", 1);
  frame.send({ type: "request_token", payload: {} });
  windows.sayToFrame(hello, { ports: [port2] });
  frame.send({ type: "request_token", payload: {} });
  await settle();
  expect([ids, host.refused.includes("replay")]).toEqual([[1], false]);
});

describe("a port that was replaced or closed is no longer listened to", () => {
  it("by the frame", async () => {
    const { windows } = start();
    const frame = startFrame(windows.frameWindow());
    const ports = ["first", "second"].map((session) => {
      const { port1, port2 } = new MessageChannel();
      open.push(port1);
      windows.sayToFrame(enclose({ type: "hello", payload: { mode: "inline" } }, session, 1), { ports: [port2] });
      return { session, port: port1 };
    });
    for (const { session, port } of ports)
      port.postMessage(enclose({ type: "token", payload: { widget_token: session } }, session, 2));
    await settle();
    expect(frame.heard.slice(2)).toEqual([{ type: "token", payload: { widget_token: "second" } }]);
  });

  it("by the host, for the last port and all earlier ones", async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    windows.frameWindow().addEventListener("message", ({ data, ports: [port] }) => {
      if (port === undefined) throw new Error("A hello brings a port.");
      open.push(port);
      port.postMessage(enclose(ready, (data as { session: string }).session, 1));
    });
    host.hello();
    host.hello();
    host.close();
    await settle();
    expect(windows.toFrame).toHaveLength(2);
    expect(host.heard).toEqual([]);
  });
});

describe("a hello that comes before the frame's connection", () => {
  /** Simulates a page that sends `hello` while the frame's scripts are still loading. */
  const missHello = async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    const window = windows.frameWindow();
    const early = keepEarlyHello(window as unknown as Window);
    host.hello();
    await settle();
    return { windows, host, window, early };
  };

  it("is received once by a visible frame, which then requests no other", async () => {
    const { host, window, early } = await missHello();
    const frame = startFrame(window, [HOST_ORIGIN], false, early.take());
    frame.send(ready);
    await settle();
    expect([types(host.heard), types(frame.heard)]).toEqual([["ready"], ["hello"]]);
  });

  it("reaches a hidden frame, which may not announce itself", async () => {
    const { host, window, early } = await missHello();
    const frame = startFrame(window, [HOST_ORIGIN], true, early.take());
    frame.send(ready);
    await settle();
    expect([types(host.heard), types(frame.heard)]).toEqual([["ready"], ["hello"]]);
  });

  it("is checked like any other: a page that is not listed gets no answer", async () => {
    const { host, window, early } = await missHello();
    const frame = startFrame(window, ["https://another.example"], true, early.take());
    frame.send(ready);
    await settle();
    expect([host.heard, frame.heard, frame.refused]).toEqual([[], [], ["origin"]]);
  });

  it("is not replaced by another window's message, nor by the page's own without a port", async () => {
    const { windows, host, window, early } = await missHello();
    const { port1 } = new MessageChannel();
    windows.sayToFrame("hello?", { source: {}, ports: [port1] });
    windows.sayToFrame("hello?", { ports: [] });
    const frame = startFrame(window, [HOST_ORIGIN], true, early.take());
    frame.send(ready);
    await settle();
    expect([types(host.heard), types(frame.heard), frame.refused]).toEqual([["ready"], ["hello"], []]);
    port1.close();
  });

  it("is kept once, and dropped when the connection exists", async () => {
    const { host, early } = await missHello();
    expect(early.take()).not.toBeNull();
    host.hello();
    await settle();
    expect(early.take()).toBeNull();
  });
});

describe("no lasting message is lost in a new handshake", () => {
  it("messages sent before the first hello arrive in order", async () => {
    const { hostWindow, windows } = start();
    const frame = startFrame(windows.frameWindow());
    const step: FrameStatement = { type: "step", payload: { name: "card", index: 4, count: 6 } };
    const error: FrameStatement = {
      type: "error",
      payload: { code: "card_declined", audience: "patient", recoverable: true, trace_id: "req-1" },
    };
    for (const statement of [ready, step, error, paid]) frame.send(statement);
    await settle();
    const host = startHost(windows, hostWindow);
    host.hello();
    await settle();
    expect(types(host.heard)).toEqual(["ready", "step", "completed", "error"]);
  });

  it("delivers a one-time message once when an announcement crosses with a hello", async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    const frame = startFrame(windows.frameWindow());
    frame.send({ type: "request_token", payload: {} });
    host.hello();
    await settle();
    expect(windows.toFrame).toHaveLength(2);
    expect(types(host.heard)).toEqual(["request_token"]);
  });

  it("when the frame reloads, the new document is connected and earlier documents' ports are closed", async () => {
    const { windows, host, frame } = await connect();
    for (let reload = 1; reload <= 2; reload++) {
      windows.replaceDocument();
      startFrame(windows.frameWindow()).send(ready);
      await settle();
      expect(types(host.heard)).toEqual(Array(reload).fill("ready"));
    }
    frame.send(paid);
    await settle();
    expect(types(host.heard)).toEqual(["ready", "ready"]);
  });

  it("when it returns from bfcache, the frame announces itself again and repeats completion, height, step and dialog", async () => {
    const { windows, host, frame } = await connect();
    frame.send(ready);
    frame.send({ type: "resize", payload: { height: 700 } });
    frame.send({ type: "resize", payload: { height: 900 } });
    frame.send({ type: "open_dialog", payload: {} });
    frame.send({ type: "request_token", payload: {} });
    frame.send(paid);
    await settle();
    host.heard.length = 0;
    windows.pageShowInFrame(true);
    await settle();
    expect(host.heard).toEqual([
      ready,
      { type: "resize", payload: { height: 900 } },
      { type: "open_dialog", payload: {} },
      paid,
    ]);
    windows.pageShowInFrame(false);
    await settle();
    expect(host.heard).toHaveLength(4);
  });

  it("the queue for a host that never comes is bounded, and keeps the latest messages", async () => {
    const { hostWindow, windows } = start();
    const frame = startFrame(windows.frameWindow());
    for (let index = 0; index < 1000; index++) {
      const payload = { code: `code_${index}`, audience: "integrator", recoverable: true, trace_id: null } as const;
      frame.send({ type: "error", payload });
    }
    const host = startHost(windows, hostWindow);
    host.hello();
    await settle();
    expect(host.heard).toHaveLength(32);
    expect(host.heard.at(-1)).toMatchObject({ payload: { code: "code_999" } });
  });
});

describe("the host checks a message in this order, and accepts it without the fault", () => {
  const announce = (session = "document", id = 1) => enclose({ type: "announce", payload: {} }, session, id);
  const host = () => {
    const { hostWindow, windows } = start();
    return { windows, host: startHost(windows, hostWindow) };
  };
  const hellos = ({ toFrame }: TwoWindows): number => toFrame.length;

  it.each([
    ["a sibling frame", { postMessage: () => undefined }],
    ["a script in the page, which has no window", null],
  ])("source: %s", (_name, source) => {
    const { windows, host: ours } = host();
    windows.sayToHost(announce(), { source });
    expect(ours.refused).toEqual(["source"]);
    expect(hellos(windows)).toBe(0);
    windows.sayToHost(announce());
    expect(ours.refused).toEqual(["source"]);
    expect(hellos(windows)).toBe(1);
  });

  it("source before shape: messages of other windows are not parsed", () => {
    const { windows, host: ours } = host();
    const trap = new Proxy({}, { get: () => expect.unreachable(), ownKeys: () => expect.unreachable() });
    windows.sayToHost(trap, { source: {} });
    expect(ours.refused).toEqual(["source"]);
  });

  it("shape: messages of the frame's window outside of the protocol", () => {
    const { windows, host: ours } = host();
    windows.sayToHost(LEGACY.paymentSuccess);
    windows.sayToHost({ ...announce(), channel: "aapd2" });
    expect(ours.refused).toEqual(["shape", "shape"]);
    expect(hellos(windows)).toBe(0);
    windows.sayToHost(announce());
    expect(hellos(windows)).toBe(1);
  });

  it.each(["https://widget.example.evil", "http://widget.example", "https://evil.example", "null", ""])(
    "origin: the frame's own window after it navigated to %s",
    (origin) => {
      const { windows, host: ours } = host();
      windows.sayToHost(announce(), { origin });
      expect(ours.refused).toEqual(["origin"]);
      expect(hellos(windows)).toBe(0);
      windows.sayToHost(announce());
      expect(hellos(windows)).toBe(1);
    },
  );

  it("reports another protocol version to the page only from the frame's own origin", () => {
    const { windows, host: ours } = host();
    windows.sayToHost({ ...announce(), version: 2 }, { origin: "https://evil.example" });
    expect(ours).toMatchObject({ refused: ["origin"], otherVersions: 0 });
    windows.sayToHost({ ...announce(), version: 2 });
    expect(ours.refused).toEqual(["origin", "version"]);
    expect(hellos(windows)).toBe(0);
  });

  it("a completion sent to the window, outside of any session", () => {
    const { windows, host: ours } = host();
    windows.sayToHost(enclose(paid, "document", 1));
    expect(ours).toMatchObject({ refused: ["session"], heard: [] });
  });

  it("replay: an announcement that was already received", () => {
    const { windows, host: ours } = host();
    windows.sayToHost(announce("document", 2));
    windows.sayToHost(announce("document", 2));
    windows.sayToHost(announce("document", 1));
    expect(ours.refused).toEqual(["replay", "replay"]);
    windows.sayToHost(announce("document", 3));
    windows.sayToHost(announce("another-document", 1));
    expect(hellos(windows)).toBe(3);
  });
});

describe("by port: a wrong session, replay, version or shape is refused, and the right message is accepted", () => {
  /** Takes the port that the host gave to the frame's window, to send messages that our frame never sends. */
  const tappedHost = async () => {
    const { hostWindow, windows } = start();
    const host = startHost(windows, hostWindow);
    const hellos: { session: string; port: MessagePort }[] = [];
    windows.frameWindow().addEventListener("message", ({ data, ports }) => {
      const [port] = ports;
      if (port) hellos.push({ session: (data as { session: string }).session, port });
    });
    host.hello();
    await settle();
    const [hello] = hellos;
    if (!hello) throw new Error("no hello came");
    open.push(hello.port);
    return { host, ...hello };
  };

  it("to the host", async () => {
    const { host, session, port } = await tappedHost();
    port.postMessage(enclose(paid, "another-session", 1));
    port.postMessage({ ...enclose(paid, session, 1), version: 2 });
    port.postMessage({ ...enclose(paid, session, 1), payload: { kind: "payment" } });
    port.postMessage(enclose({ type: "announce", payload: {} }, session, 1));
    await settle();
    expect(host).toMatchObject({ refused: ["session", "version", "shape", "shape"], heard: [] });
    const good = enclose(paid, session, 1);
    port.postMessage(good);
    port.postMessage(good);
    await settle();
    expect(host.refused.slice(4)).toEqual(["replay"]);
    expect(host.heard).toEqual([paid]);
  });

  it("to the frame", async () => {
    const { windows } = start();
    const frame = startFrame(windows.frameWindow());
    const { port1, port2 } = new MessageChannel();
    open.push(port1);
    const hello = enclose({ type: "hello", payload: { mode: "inline" } }, "session", 1);
    windows.sayToFrame(hello, { ports: [port2] });
    const token: HostMessage = { type: "token", payload: { widget_token: "fresh" } };
    port1.postMessage(enclose(token, "another-session", 2));
    port1.postMessage({ ...enclose(token, "session", 2), version: 9 });
    port1.postMessage(hello);
    port1.postMessage(enclose(token, "session", 1));
    await settle();
    expect(frame.refused).toEqual(["session", "version", "shape", "replay"]);
    expect(types(frame.heard)).toEqual(["hello"]);
    port1.postMessage(enclose(token, "session", 2));
    await settle();
    expect(frame.heard.at(-1)).toEqual(token);
  });
});

describe("the frame refuses a hello, and accepts the same one from the right place", () => {
  const hello = (session = "session") => enclose({ type: "hello", payload: { mode: "inline" } }, session, 1);
  const greet = (
    windows: TwoWindows,
    from: { source?: object | null; origin?: string } = {},
    data: object = hello(),
  ) => {
    const { port1, port2 } = new MessageChannel();
    open.push(port1, port2);
    windows.sayToFrame(data, { ports: [port2], ...from });
  };

  it.each([
    ["source", "source" as const, { source: { postMessage: () => undefined } }, hello()],
    ["a script without a window", "source" as const, { source: null }, hello()],
    ["shape", "shape" as const, {}, { ...hello(), payload: { mode: "popup" } }],
    ["origin", "origin" as const, { origin: "https://evil.example" }, hello()],
    ["origin of the same name by http", "origin" as const, { origin: "http://clinica.example" }, hello()],
    ["version", "version" as const, {}, { ...hello(), version: 2 }],
    ["a message outside of a session", "session" as const, {}, enclose({ type: "host_closing", payload: {} }, "s", 1)],
  ])("%s", (_name, reason, from, data) => {
    const { windows } = start();
    const frame = startFrame(windows.frameWindow());
    greet(windows, from, data);
    expect(frame).toMatchObject({ refused: [reason], heard: [], origins: [] });
    greet(windows);
    expect(frame).toMatchObject({ refused: [reason], origins: [HOST_ORIGIN] });
  });

  it("refuses a hello without a port, and a replayed one", () => {
    const { windows } = start();
    const frame = startFrame(windows.frameWindow());
    windows.sayToFrame(hello());
    greet(windows);
    greet(windows);
    expect(frame.refused).toEqual(["session", "replay"]);
    greet(windows, {}, hello("another"));
    expect(frame.origins).toHaveLength(2);
  });
});

describe("addressees of the frame", () => {
  const addressees = ({ toHost }: TwoWindows): string[] => toHost.map(({ targetOrigin }) => targetOrigin);
  const other = "https://otra-clinica.example";

  it("never include `*` or an origin that the server does not list", async () => {
    const { windows, frame } = await connect();
    for (const statement of [ready, paid]) frame.send(statement);
    frame.send({ type: "close_requested", payload: {} });
    expect(new Set(addressees(windows))).toEqual(new Set([HOST_ORIGIN]));
  });

  it("a page that is not in the list receives nothing", async () => {
    const hostWindow = new EventTarget();
    const windows = createTwoWindows(hostWindow, "https://evil.example");
    const host = startHost(windows, hostWindow);
    const frame = startFrame(windows.frameWindow(), [HOST_ORIGIN, other]);
    host.hello();
    frame.send(paid);
    await settle();
    expect(windows.toHost.some(({ delivered }) => delivered)).toBe(false);
    expect(host.heard).toEqual([]);
    expect(frame).toMatchObject({ heard: [], refused: ["origin"] });
  });

  it("addresses only the registered origin that said hello, of several", async () => {
    const { hostWindow, windows } = start();
    startHost(windows, hostWindow);
    const frame = startFrame(windows.frameWindow(), [other, HOST_ORIGIN]);
    expect(new Set(addressees(windows))).toEqual(new Set([other, HOST_ORIGIN]));
    await settle();
    windows.toHost.length = 0;
    frame.send(paid);
    expect(addressees(windows)).toEqual([HOST_ORIGIN]);
  });

  it("address no other registered origin when the browser names the parent", () => {
    const { windows } = start();
    startFrame(windows.frameWindow({ ancestorOrigins: [HOST_ORIGIN, other] }), [other, HOST_ORIGIN]);
    expect(new Set(addressees(windows))).toEqual(new Set([HOST_ORIGIN]));
  });

  it("addresses no origin when the browser names an unregistered parent", () => {
    const { windows } = start();
    startFrame(windows.frameWindow({ ancestorOrigins: ["https://evil.example"] }));
    expect(addressees(windows)).toEqual([]);
  });

  it("addresses every registered origin when the browser hides the parent", () => {
    const { windows } = start();
    startFrame(windows.frameWindow({ ancestorOrigins: ["null"] }));
    expect(new Set(addressees(windows))).toEqual(new Set([HOST_ORIGIN]));
  });

  it("pages of the older integration receive the plain strings, each at its time", async () => {
    const { windows, frame } = await connect();
    frame.send(ready);
    frame.send({ type: "step", payload: { name: "summary", index: 1, count: 6 } });
    frame.send({
      type: "completed",
      payload: { kind: "onboarding", order_token: null, status: "registered", signed_receipt: null },
    });
    frame.send(paid);
    frame.send({ type: "close_requested", payload: {} });
    const strings = windows.toHost.map(({ data }) => data).filter((data) => typeof data !== "object");
    expect(strings).toEqual([
      "WIDGET_FORM_READY",
      "WIDGET_FORM_MOUNT",
      "WIDGET_FORM_SUCCESS",
      "WIDGET_PAYMENT_SUCCESS",
      "WIDGET_FORM_CLOSE",
    ]);
  });

  it("sends nothing from a checkout in a top-level page", () => {
    const { window, posted, say } = createLoneWindow();
    const frame = startFrame(window);
    frame.send(paid);
    say(enclose({ type: "hello", payload: { mode: "inline" } }, "session", 1));
    expect(frame).toMatchObject({ framed: false, isHeard: false, heard: [], refused: [] });
    expect(posted).toEqual([]);
  });

  it("a closed frame neither receives nor sends by port", async () => {
    const { host, windows, frame } = await connect();
    frame.close();
    frame.send({ type: "request_token", payload: {} });
    host.send({ type: "locale", payload: { locale: "en" } });
    windows.sayToFrame("anything", { source: null });
    const sentCount = windows.toHost.length;
    windows.pageShowInFrame(true);
    await settle();
    expect(windows.toHost).toHaveLength(sentCount);
    expect(host.heard).toEqual([]);
    expect(types(frame.heard)).toEqual(["hello"]);
    expect(frame.refused).toEqual([]);
  });
});
