import type { HostConnection, HostConnectionOptions } from "./frame-side.ts";
import { enclose, type FrameMessage, newSession as newRandomSession, type Refusal, readFromHost } from "./protocol.ts";

/** The object that an app injects into the pages of its web view, for messages to the app. */
type Bridge = { readonly postMessage: (text: string) => void };

/** The part of `window` that this file uses. */
export type AppWindow = {
  readonly parent: unknown;
  /** React Native's own; on Android an app may give its listener this name (`WebViewCompat.addWebMessageListener`). */
  readonly ReactNativeWebView?: Bridge;
  /** WebKit's, on iOS and macOS; the app's handler is named `aapd`. */
  readonly webkit?: { readonly messageHandlers?: { readonly aapd?: Bridge } };
  addEventListener: (type: "message", listener: (event: MessageEvent<unknown>) => void) => void;
  removeEventListener: (type: "message", listener: (event: MessageEvent<unknown>) => void) => void;
};

export type AppConnectionOptions = Pick<HostConnectionOptions, "onMessage" | "onRefused" | "newSession"> & {
  window: AppWindow;
  /** Resolves when the page is visible; nothing is sent before. */
  seen: Promise<void>;
};

/** An app's messages are short. Longer texts are ignored. */
const TEXT_LENGTH_MAX = 10_000;

const parse = (data: unknown): unknown => {
  if (typeof data !== "string" || data.length > TEXT_LENGTH_MAX) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};

const bridgeOf = (window: AppWindow): Bridge | undefined =>
  Object.is(window.parent, window) ? (window.ReactNativeWebView ?? window.webkit?.messageHandlers?.aapd) : undefined;

/**
 * Connects to the app whose web view shows the checkout: the envelopes of protocol.ts as JSON text. Use it only for
 * tokens minted for an app, because any app can inject a bridge into any page.
 *
 * The app exists before the page, so there is no handshake. The page's first message, `announce`, carries its session.
 * The app replies under that session, with rising ids, by a `message` event dispatched in the page. A dispatched event
 * has no source and no origin; a message from another window always has both.
 */
export const connectToApp = (options: AppConnectionOptions): HostConnection => {
  const { window, seen, onMessage, onRefused, newSession = newRandomSession } = options;
  const bridge = bridgeOf(window);
  if (!bridge) return { framed: false, isHeard: false, send: () => undefined, close: () => undefined };
  const session = newSession();
  let sentId = 0;
  let receivedId = 0;

  const send = (message: FrameMessage): void => {
    const text = JSON.stringify(enclose(message, session, ++sentId));
    void seen.then(() => bridge.postMessage(text)).catch((error: unknown) => reportError(error));
  };
  const judge = ({ source, origin, isTrusted, data }: MessageEvent<unknown>): Refusal | undefined => {
    if (source || origin || isTrusted) return "source";
    const reading = readFromHost(parse(data));
    if (typeof reading === "string") return reading;
    if (reading.session !== session) return "session";
    if (reading.id <= receivedId) return "replay";
    receivedId = reading.id;
    onMessage(reading.message);
    return undefined;
  };
  const receive = (event: MessageEvent<unknown>): void => {
    const refusal = judge(event);
    if (refusal) onRefused?.(refusal);
  };

  window.addEventListener("message", receive);
  send({ type: "announce", payload: {} });
  return { framed: false, isHeard: true, send, close: () => window.removeEventListener("message", receive) };
};
