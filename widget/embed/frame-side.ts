import {
  enclose,
  type FrameMessage,
  type HostMessage,
  LEGACY,
  newSession as newRandomSession,
  type Refusal,
  readFromHost,
} from "./protocol.ts";

/** What this file needs of `window`, so that a test can put two of them face to face. */
export type FrameWindow = {
  readonly parent: { postMessage: (data: unknown, targetOrigin: string) => void };
  readonly location: { readonly ancestorOrigins?: ArrayLike<string> };
  addEventListener: ((type: "message", listener: (event: MessageEvent<unknown>) => void) => void) &
    ((type: "pageshow", listener: (event: PageTransitionEvent) => void) => void);
  removeEventListener: ((type: "message", listener: (event: MessageEvent<unknown>) => void) => void) &
    ((type: "pageshow", listener: (event: PageTransitionEvent) => void) => void);
};

/** Everything that the checkout says by itself; `announce` belongs to the handshake. */
export type FrameStatement = Exclude<FrameMessage, { type: "announce" }>;

export type HostConnection = {
  /** False for a checkout in a top-level page. */
  readonly framed: boolean;
  /** A page or an app is there to be spoken to; otherwise nothing is sent and nothing comes. */
  readonly isHeard: boolean;
  /** Queued until the host connects. A new host also gets the latest step, height, completion, … again. */
  send: (message: FrameStatement) => void;
  close: () => void;
};

export type HostConnectionOptions = {
  window: FrameWindow;
  /** From the server (`parent_origins` of the widget session), never from the referrer. */
  parentOrigins: readonly string[];
  /** Gets `hello` too: it carries the mode, the locale and the appearance that the page wants. */
  onMessage: (message: HostMessage) => void;
  /** The origin of the page that embeds the checkout, once it has said hello; for the record of consents. */
  onConnected?: (origin: string) => void;
  onRefused?: (reason: Refusal) => void;
  /** The checkout is hidden (preloaded): it sends nothing until the page says hello. */
  isUnseen?: boolean;
  /** The hello that the page around said before there was a connection to hear it. */
  missed?: MessageEvent<unknown> | null;
  newSession?: () => string;
};

/** Statements that a host may have missed are few; more than this waiting means that no host is coming. */
const WAITING_MAX = 32;

/** The name under which the latest statement is repeated to a new host; undefined for those sent once. */
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

/** Statements in the order in which a (new) host is to hear them. */
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

/** The frame's half of the handshake and the port that comes out of it; see the top of protocol.ts. */
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
  // A host that has already said hello would say it again and get everything twice.
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
