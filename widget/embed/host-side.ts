import {
  enclose,
  type FrameMessage,
  type HostGreeting,
  type HostMessage,
  newSession,
  type Refusal,
  readFromFrame,
} from "./protocol.ts";

/** Called with every message, and with the reason for a refusal (the `inspect` option). */
export type Inspect = (direction: "sent" | "received" | "refused", what: HostMessage | FrameMessage | Refusal) => void;

export type FrameLink = {
  /** Starts or restarts the handshake; the frame then repeats its latest state. */
  hello: () => void;
  /** Drops the message if no frame is connected, because the next `hello` carries the state. */
  send: (message: HostMessage) => void;
  /** Closes the port; `hello` opens a new one. */
  close: () => void;
  /** Call it with every `message` event of the host's window. */
  receive: (event: MessageEvent<unknown>) => void;
};

export type FrameLinkOptions = {
  frame: HTMLIFrameElement;
  /** The only origin that messages are accepted from and sent to. */
  origin: () => string;
  greeting: () => HostGreeting;
  /** The frame's document is new, or back from bfcache, and has been sent `hello`. */
  onAnnounced: () => void;
  onMessage: (message: FrameMessage) => void;
  /** The right window at the right origin uses another version of the protocol. */
  onOtherVersion: () => void;
  inspect: Inspect;
};

/** The host's half of the handshake, and the resulting port. See the top of protocol.ts. */
export const linkToFrame = (options: FrameLinkOptions): FrameLink => {
  const { frame, inspect } = options;
  let port: MessagePort | undefined;
  let portBefore: MessagePort | undefined;
  let session = "";
  let sentId = 0;
  let announcedBy = "";
  let announcedId = 0;

  const watched = (judge: (event: MessageEvent<unknown>) => Refusal | undefined) => (event: MessageEvent<unknown>) => {
    const reason = judge(event);
    if (reason) inspect("refused", reason);
  };

  const openPort = (): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    const openSession = session;
    let receivedId = 0;
    port1.onmessage = watched(({ data }) => {
      const reading = readFromFrame(data);
      if (typeof reading === "string") return reading;
      if (reading.message.type === "announce") return "shape";
      if (reading.session !== openSession) return "session";
      if (reading.id <= receivedId) return "replay";
      receivedId = reading.id;
      inspect("received", reading.message);
      options.onMessage(reading.message);
      return undefined;
    });
    port = port1;
    return port2;
  };

  // An announcement may cross with a `hello` that the frame has answered. Messages on that port still count.
  const retire = (): void => {
    portBefore?.close();
    portBefore = port;
    port = undefined;
  };

  const hello = (): void => {
    retire();
    session = newSession();
    sentId = 1;
    const message: HostMessage = { type: "hello", payload: options.greeting() };
    frame.contentWindow?.postMessage(enclose(message, session, sentId), options.origin(), [openPort()]);
    inspect("sent", message);
  };

  return {
    hello,
    close: () => {
      retire();
      retire();
    },
    send: (message) => {
      if (!port) return;
      port.postMessage(enclose(message, session, ++sentId));
      inspect("sent", message);
    },
    receive: watched(({ source, origin, data }) => {
      // A dispatched message has no source and a detached frame has no window, so both may be null without matching.
      if (!source || source !== frame.contentWindow) return "source";
      const reading = readFromFrame(data);
      if (reading === "shape") return "shape";
      if (origin !== options.origin()) return "origin";
      if (reading === "version") {
        options.onOtherVersion();
        return "version";
      }
      if (reading.message.type !== "announce") return "session";
      if (reading.session === announcedBy && reading.id <= announcedId) return "replay";
      announcedBy = reading.session;
      announcedId = reading.id;
      inspect("received", reading.message);
      hello();
      options.onAnnounced();
      return undefined;
    }),
  };
};
