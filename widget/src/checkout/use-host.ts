import { useEffect, useEffectEvent, useRef, useState } from "react";
import { reportHeight } from "../../embed/frame-height.ts";
import type { FrameStatement, HostConnection, HostConnectionOptions } from "../../embed/frame-side.ts";
import type { HostMessage } from "../../embed/protocol.ts";

export interface ConnectOptions extends Pick<HostConnectionOptions, "parentOrigins" | "onMessage"> {
  /** The token was minted for an app. */
  readonly native: boolean;
}

/** Opens the connection to the embedding page or app. In the browser it is the frame side of the protocol. */
export type ConnectHost = (options: ConnectOptions) => HostConnection;

/** How the page is opened, according to the server. */
export interface PageAround {
  readonly parent_origins: readonly string[];
  readonly return_url: string | null;
  readonly native: boolean;
}

export interface Host {
  /** False for a top-level page. The server's assumption until the browser has decided. */
  readonly framed: boolean;
  /** Whether a page or an app can provide a fresh token. */
  readonly isHeard: boolean;
  readonly say: (statement: FrameStatement) => void;
  /** Takes the patient back; null if there is nowhere to return to. */
  readonly goBack: (() => void) | null;
}

/**
 * Connects to the embedding page or app. `onMessage` receives its messages, and `say` sends the checkout's. Only
 * exchanges messages with pages of the origins that the server has named, and with an app only if the server allows it.
 */
export function useHost(
  connect: ConnectHost,
  { parent_origins: parentOrigins, return_url: returnUrl, native }: PageAround,
  isFramed: boolean,
  onMessage: (message: HostMessage) => void,
): Host {
  const connection = useRef<HostConnection | null>(null);
  const [{ framed, isHeard }, setAround] = useState({ framed: isFramed, isHeard: isFramed });
  const receive = useEffectEvent(onMessage);
  const origins = parentOrigins.join(" ");

  useEffect(() => {
    const opened = connect({
      parentOrigins: origins === "" ? [] : origins.split(" "),
      native,
      onMessage: (message) => receive(message),
    });
    connection.current = opened;
    setAround({ framed: opened.framed, isHeard: opened.isHeard });
    return () => {
      connection.current = null;
      opened.close();
    };
  }, [connect, origins, native]);

  const [say] = useState(() => (statement: FrameStatement) => connection.current?.send(statement));
  const isBackKnown = isHeard || returnUrl !== null;
  function goBack(): void {
    if (isHeard) say({ type: "close_requested", payload: {} });
    else if (returnUrl !== null) location.assign(returnUrl);
  }
  return { framed, isHeard, say, goBack: isBackKnown ? goBack : null };
}

/** Reports the checkout's height to the embedding page whenever it changes. */
export function useReportedHeight(element: React.RefObject<HTMLElement | null>, say: Host["say"]): void {
  useEffect(() => {
    if (element.current === null) return;
    return reportHeight({
      element: element.current,
      onHeight: (height) => say({ type: "resize", payload: { height } }),
    });
  }, [element, say]);
}
