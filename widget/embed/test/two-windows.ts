import type { FrameWindow } from "../frame-side.ts";

/*
 * A host window and a frame window that behave as in a browser: messages are structured clones, arrive later and in
 * order, and only at the addressed origin. Records every posted message.
 */

export const HOST_ORIGIN = "https://clinica.example";
export const FRAME_ORIGIN = "https://widget.example";

type Post = (data: unknown, targetOrigin: string, transfer?: Transferable[]) => void;

/** A script's reference to another window of the browser. */
export type WindowProxyStub = { postMessage: Post };

export type Posted = { data: unknown; targetOrigin: string; delivered: boolean };

export type TwoWindows = ReturnType<typeof createTwoWindows>;

const deliver = (
  target: EventTarget,
  message: { data: unknown; origin: string; source: object | null; ports?: readonly MessagePort[] },
): void => {
  // A plain event with the fields of a MessageEvent, because the tests' DOM accepts only its own window as a source.
  target.dispatchEvent(Object.assign(new Event("message"), { ports: [], ...message }));
};

const clonePost = (
  to: () => { target: EventTarget; origin: string },
  from: () => { source: object; origin: string },
  posted: Posted[],
): Post => {
  return (data, targetOrigin, transfer = []) => {
    const { target, origin } = to();
    const isDelivered = targetOrigin === origin;
    posted.push({ data, targetOrigin, delivered: isDelivered });
    if (!isDelivered) return;
    const copy: unknown = structuredClone({ data, transfer }, { transfer });
    const { data: dataCopy, transfer: ports } = copy as { data: unknown; transfer: MessagePort[] };
    queueMicrotask(() => deliver(target, { data: dataCopy, ports, ...from() }));
  };
};

export const createTwoWindows = (hostTarget: EventTarget = new EventTarget(), hostOrigin = HOST_ORIGIN) => {
  const toFrame: Posted[] = [];
  const toHost: Posted[] = [];
  let frameOrigin = FRAME_ORIGIN;

  /** The frame's window as the host sees it. There is one per iframe, which stays when the document changes. */
  const frameProxy: WindowProxyStub = {
    postMessage: clonePost(
      () => ({ target: frameTarget, origin: frameOrigin }),
      () => ({ source: hostProxy, origin: hostOrigin }),
      toFrame,
    ),
  };
  const hostProxy: WindowProxyStub = {
    postMessage: clonePost(
      () => ({ target: hostTarget, origin: hostOrigin }),
      () => ({ source: frameProxy, origin: frameOrigin }),
      toHost,
    ),
  };
  let frameTarget = new EventTarget();

  return {
    toFrame,
    toHost,
    frameProxy,
    hostProxy,
    /** The frame's `window` for its current document. */
    frameWindow: (location: FrameWindow["location"] = {}): FrameWindow => ({
      parent: hostProxy,
      location,
      ...listening(frameTarget),
    }),
    /** Loads another document into the frame, which removes the listeners of the previous one. */
    replaceDocument: (origin = FRAME_ORIGIN): void => {
      frameOrigin = origin;
      frameTarget = new EventTarget();
    },
    pageShowInFrame: (persisted: boolean): void => {
      frameTarget.dispatchEvent(Object.assign(new Event("pageshow"), { persisted }));
    },
    sayToHost: (data: unknown, from: { source?: object | null; origin?: string; ports?: MessagePort[] } = {}): void =>
      deliver(hostTarget, { data, source: frameProxy, origin: frameOrigin, ...from }),
    sayToFrame: (data: unknown, from: { source?: object | null; origin?: string; ports?: MessagePort[] } = {}): void =>
      deliver(frameTarget, { data, source: hostProxy, origin: hostOrigin, ...from }),
  };
};

const listening = (target: EventTarget): Pick<FrameWindow, "addEventListener" | "removeEventListener"> => ({
  addEventListener: (type: string, listener: unknown) => target.addEventListener(type, listener as EventListener),
  removeEventListener: (type: string, listener: unknown) => target.removeEventListener(type, listener as EventListener),
});

/** The window of a top-level checkout, which is its own parent. */
export const createLoneWindow = () => {
  const target = new EventTarget();
  const posted: unknown[] = [];
  const itself: { window?: FrameWindow } = {};
  const post = (data: unknown): void => void posted.push(data);
  const window: FrameWindow = Object.defineProperty(
    { location: {}, postMessage: post, ...listening(target), parent: { postMessage: post } },
    "parent",
    { get: () => itself.window },
  );
  itself.window = window;
  const say = (data: unknown): void => deliver(target, { data, source: window, origin: HOST_ORIGIN });
  return { window, posted, say };
};

/** Waits until pending messages have arrived. Ports deliver in separate tasks, which no fake clock advances. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    });
  }
};
