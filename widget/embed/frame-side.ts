import {
  enclose,
  type FrameMessage,
  type HostMessage,
  LEGACY,
  newSession as newRandomSession,
  type Refusal,
  readFromHost,
} from "./protocol.ts";

/** The part of `window` that this file uses, so that a test can connect two of them. */
export type FrameWindow = {
  readonly parent: { postMessage: (data: unknown, targetOrigin: string) => void };
  readonly location: { readonly ancestorOrigins?: ArrayLike<string> };
  addEventListener: ((type: "message", listener: (event: MessageEvent<unknown>) => void) => void) &
    ((type: "pageshow", listener: (event: PageTransitionEvent) => void) => void);
  removeEventListener: ((type: "message", listener: (event: MessageEvent<unknown>) => void) => void) &
    ((type: "pageshow", listener: (event: PageTransitionEvent) => void) => void);
};

/** The messages that the checkout sends by itself. `announce` belongs to the handshake. */
export type FrameStatement = Exclude<FrameMessage, { type: "announce" }>;

export type HostConnection = {
  /** False for a checkout in a top-level page. */
  readonly framed: boolean;
  /** True if there is a page or an app to exchange messages with. Otherwise nothing is sent or received. */
  readonly isHeard: boolean;
  /** Queued until the host connects. A new host also receives the latest step, height, completion, and so on. */
  send: (message: FrameStatement) => void;
  close: () => void;
};

export type HostConnectionOptions = {
  window: FrameWindow;
  /** From the server (`parent_origins` of the widget session), never from the referrer. */
  parentOrigins: readonly string[];
  /** Also receives `hello`, which carries the mode, locale and appearance that the page requests. */
  onMessage: (message: HostMessage) => void;
  /** Called with the origin of the embedding page after its `hello`; stored with the consents. */
  onConnected?: (origin: string) => void;
  onRefused?: (reason: Refusal) => void;
  /** The checkout is hidden (preloaded): it sends nothing until the page says hello. */
  isUnseen?: boolean;
  /** A `hello` that the embedding page sent before the connection existed. */
  missed?: MessageEvent<unknown> | null;
  newSession?: () => string;
};

/** A host can miss only few messages. More waiting messages mean that no host is coming. */
const WAITING_MAX = 32;

/** The key under which the latest message is repeated to a new host; undefined for messages that are sent once. */
const repeatedAs = (message: FrameStatement): string | undefined => {
  switch (message.type) {
    case "ready":
    case "step":
    case "resize":
      return message.type;
    case "completed":
      return `completed ${message.payload.kind}`;
    case "open_dialog":
    case "close_dialog":
      return "dialog";
    default:
      return undefined;
  }
};

const legacyOf = (message: FrameStatement): string | undefined => {
  if (message.type === "ready") return LEGACY.formMount;
  if (message.type === "close_requested") return LEGACY.formClose;
  if (message.type !== "completed") return undefined;
  return message.payload.kind === "payment" ? LEGACY.paymentSuccess : LEGACY.formSuccess;
};

/** Queues messages in the order in which a new host should receive them. */
const statementQueue = () => {
  const repeated = new Map<string, FrameStatement>();
  let waiting: FrameStatement[] = [];
  return {
    keep: (message: FrameStatement, connected: boolean): void => {
      const name = repeatedAs(message);
      if (name) repeated.set(name, message);
      else if (!connected) waiting = [...waiting, message].slice(-WAITING_MAX);
    },
    take: (): FrameStatement[] => {
      const messages = [...repeated.values(), ...waiting];
      waiting = [];
      return messages;
    },
  };
};

/**
 * The origins that may receive messages before a `hello`. If the browser names the parent, which no page can forge,
 * only that origin, and only if the server lists it. Otherwise the whole list: the browser delivers a message only to
 * a window that has the named origin. Browsers that hide the parent report "null".
 */
const addressable = (window: FrameWindow, parentOrigins: readonly string[]): readonly string[] => {
  const parent = window.location.ancestorOrigins?.[0];
  return parent === undefined || parent === "null"
    ? parentOrigins
    : parentOrigins.filter((origin) => origin === parent);
};

/** The frame's half of the handshake, and the resulting port. See the top of protocol.ts. */
export const connectToHost = (options: HostConnectionOptions): HostConnection => {
  const { window, parentOrigins, onMessage, newSession = newRandomSession } = options;
  if (Object.is(window.parent, window))
    return { framed: false, isHeard: false, send: () => undefined, close: () => undefined };

  const watched = (judge: (event: MessageEvent<unknown>) => Refusal | undefined) => (event: MessageEvent<unknown>) => {
    const reason = judge(event);
    if (reason) options.onRefused?.(reason);
  };
  const documentSession = newSession();
  const queue = statementQueue();
  const usedSessions = new Set<string>();
  let targets = addressable(window, parentOrigins);
  let announcedId = 0;
  let sentId = 0;
  let session = "";
  let port: MessagePort | undefined;

  let isSilent = options.isUnseen === true;
  const unsaid: string[] = [];
  const post = (data: unknown): void => {
    for (const origin of targets) window.parent.postMessage(data, origin);
  };
  const announce = (): void => {
    if (!isSilent) post(enclose({ type: "announce", payload: {} }, documentSession, ++announcedId));
  };
  const postLegacy = (text: string): void => {
    if (isSilent) unsaid.push(text);
    else post(text);
  };
  const sendByPort = (message: FrameStatement): void => port?.postMessage(enclose(message, session, ++sentId));

  const take = (newPort: MessagePort, newPortSession: string, helloId: number): void => {
    port?.close();
    port = newPort;
    session = newPortSession;
    sentId = 0;
    let receivedId = helloId;
    newPort.onmessage = watched(({ data }) => {
      const reading = readFromHost(data);
      if (typeof reading === "string") return reading;
      if (reading.message.type === "hello") return "shape";
      if (reading.session !== newPortSession) return "session";
      if (reading.id <= receivedId) return "replay";
      receivedId = reading.id;
      onMessage(reading.message);
      return undefined;
    });
  };

  const receive = watched(({ source, origin, data, ports }) => {
    if (!source || source !== window.parent) return "source";
    const reading = readFromHost(data);
    if (reading === "shape") return "shape";
    if (!parentOrigins.includes(origin)) return "origin";
    if (reading === "version") return "version";
    const [newPort] = ports;
    if (reading.message.type !== "hello" || !newPort) return "session";
    if (usedSessions.has(reading.session)) return "replay";
    usedSessions.add(reading.session);
    targets = [origin];
    isSilent = false;
    for (const text of unsaid.splice(0)) post(text);
    take(newPort, reading.session, reading.id);
    for (const message of queue.take()) sendByPort(message);
    options.onConnected?.(origin);
    onMessage(reading.message);
    return undefined;
  });

  const onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) announce();
  };

  window.addEventListener("message", receive);
  window.addEventListener("pageshow", onPageShow);
  if (options.missed) receive(options.missed);
  // A host that has already sent `hello` would send it again, and receive everything twice.
  if (port === undefined) announce();
  postLegacy(LEGACY.formReady);

  return {
    framed: true,
    isHeard: true,
    send: (message) => {
      queue.keep(message, port !== undefined);
      sendByPort(message);
      const legacy = legacyOf(message);
      if (legacy) postLegacy(legacy);
    },
    close: () => {
      window.removeEventListener("message", receive);
      window.removeEventListener("pageshow", onPageShow);
      port?.close();
      port = undefined;
    },
  };
};
