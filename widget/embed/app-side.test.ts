import { afterEach, expect, it, vi } from "vitest";
import { type AppWindow, connectToApp } from "./app-side.ts";
import type { FrameStatement, HostConnection } from "./frame-side.ts";
import { enclose, type HostMessage, type Refusal } from "./protocol.ts";

const SESSION = "session-of-the-page";
const paid: FrameStatement = {
  type: "completed",
  payload: { kind: "payment", order_token: "abc", status: "paid", signed_receipt: null },
};

const open: HostConnection[] = [];
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

type Bridged = Pick<AppWindow, "ReactNativeWebView" | "webkit">;

/** A top-level page in an app's web view; `bridged` creates the bridge that the app injects. */
function openPage(bridged: (hear: (text: string) => void) => Bridged, { seen = Promise.resolve() } = {}) {
  const texts: string[] = [];
  const received: HostMessage[] = [];
  const refused: Refusal[] = [];
  const target = new EventTarget();
  const window = Object.assign(
    target,
    bridged((text) => texts.push(text)),
  ) as EventTarget & Bridged;
  const page: AppWindow = Object.assign(window as unknown as AppWindow, { parent: window });
  const connection = connectToApp({
    window: page,
    seen,
    newSession: () => SESSION,
    onMessage: (message) => received.push(message),
    onRefused: (reason) => refused.push(reason),
  });
  open.push(connection);
  const dispatch = (event: object) => target.dispatchEvent(Object.assign(new Event("message"), event));
  return {
    connection,
    received,
    refused,
    texts,
    dispatch,
    /** Like an app, by running a script in the page. */
    say: (data: unknown) => dispatch({ data, source: null, origin: "" }),
    heard: () => texts.map((text) => JSON.parse(text)),
  };
}

const reactNative = (hear: (text: string) => void): Bridged => ({ ReactNativeWebView: { postMessage: hear } });
const webKit = (hear: (text: string) => void): Bridged => ({
  webkit: { messageHandlers: { aapd: { postMessage: hear } } },
});
const settle = () => Promise.resolve().then(() => undefined);
const text = (message: HostMessage, id: number, session = SESSION) => JSON.stringify(enclose(message, session, id));
const english: HostMessage = { type: "locale", payload: { locale: "en" } };

it.each([
  ["React Native", reactNative],
  ["WebKit", webKit],
])("an app gets its messages through %s, in envelopes of one session", async (_name, bridged) => {
  const { connection, heard } = openPage(bridged);
  connection.send(paid);
  await settle();
  expect(connection).toMatchObject({ framed: false, isHeard: true });
  expect(heard()).toEqual([
    { channel: "aapd", version: 1, session: SESSION, id: 1, type: "announce", payload: {} },
    { channel: "aapd", version: 1, session: SESSION, id: 2, ...paid },
  ]);
});

it("the kit receives the app's messages under the app's session", () => {
  const { say, received, refused } = openPage(reactNative);
  say(text({ type: "hello", payload: { mode: "inline", locale: "en" } }, 1));
  say(text({ type: "token", payload: { widget_token: "fresh" } }, 2));
  expect(received.map(({ type }) => type)).toEqual(["hello", "token"]);
  expect(refused).toEqual([]);
});

it.each<[string, (page: ReturnType<typeof openPage>) => void, Refusal]>([
  [
    "another window",
    ({ dispatch }) => dispatch({ data: text(english, 1), source: window, origin: "https://evil.example" }),
    "source",
  ],
  [
    "a window that has closed",
    ({ dispatch }) => dispatch({ data: text(english, 1), source: null, origin: "https://evil.example" }),
    "source",
  ],
  [
    "a page without an origin",
    ({ dispatch }) => dispatch({ data: text(english, 1), source: null, origin: "null" }),
    "source",
  ],
  ["no text", ({ say }) => say(enclose(english, SESSION, 1)), "shape"],
  ["text that is not JSON", ({ say }) => say("{"), "shape"],
  ["text that is too long", ({ say }) => say(text(english, 1).padEnd(10_001)), "shape"],
  ["a type that is not known", ({ say }) => say(text({ type: "pay" } as never, 1)), "shape"],
  [
    "a payload of another shape",
    ({ say }) => say(text({ type: "locale", payload: { locale: "<b>" } } as never, 1)),
    "shape",
  ],
  ["a polluted prototype", ({ say }) => say('{"__proto__":{"channel":"aapd","version":1}}'), "shape"],
  ["another version", ({ say }) => say(JSON.stringify({ ...enclose(english, SESSION, 1), version: 2 })), "version"],
  ["another session", ({ say }) => say(text(english, 1, "another")), "session"],
])("the kit refuses a message to the app page: %s", (_what, attack, reason) => {
  const page = openPage(reactNative);
  attack(page);
  expect(page.refused).toEqual([reason]);
  expect(page.received).toEqual([]);
});

it("the kit accepts an app's message of exactly the maximum length", () => {
  const { say, received } = openPage(reactNative);
  say(text(english, 1).padEnd(10_000));
  expect(received).toEqual([english]);
});

it("the kit refuses a replayed message from the app", () => {
  const { say, received, refused } = openPage(webKit);
  say(text(english, 2));
  say(text(english, 2));
  say(text(english, 1));
  expect(received).toHaveLength(1);
  expect(refused).toEqual(["replay", "replay"]);
});

it("an app gets no message before the page is visible", async () => {
  let see = (): void => undefined;
  const seen = new Promise<void>((resolve) => {
    see = resolve;
  });
  const { connection, texts } = openPage(reactNative, { seen });
  connection.send(paid);
  await settle();
  expect(texts).toEqual([]);
  see();
  await settle();
  expect(texts).toHaveLength(2);
});

it("no message goes to an app without a bridge, or from inside a frame that has one", async () => {
  expect(openPage(() => ({})).connection).toMatchObject({ framed: false, isHeard: false });
  const postMessage = vi.fn();
  const target = Object.assign(new EventTarget(), { ReactNativeWebView: { postMessage }, parent: new EventTarget() });
  const framed = connectToApp({ window: target as unknown as AppWindow, seen: settle(), onMessage: vi.fn() });
  framed.send(paid);
  await settle();
  expect(framed).toMatchObject({ framed: false, isHeard: false });
  expect(postMessage).not.toHaveBeenCalled();
});

it("the kit keeps working when the app's bridge throws", async () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const { connection, say, received } = openPage(() => ({
    ReactNativeWebView: {
      postMessage: () => {
        throw new Error("closed");
      },
    },
  }));
  connection.send(paid);
  await settle();
  await settle();
  expect(reported).toHaveBeenCalledTimes(2);
  say(text(english, 1));
  expect(received).toHaveLength(1);
  vi.unstubAllGlobals();
});

it("a closed app connection receives nothing", () => {
  const { connection, say, received } = openPage(reactNative);
  connection.close();
  say(text(english, 1));
  expect(received).toEqual([]);
});
