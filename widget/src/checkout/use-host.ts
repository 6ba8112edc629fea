import { useEffect, useEffectEvent, useRef, useState } from "react";
import { reportHeight } from "../../embed/frame-height.ts";
import type { FrameStatement, HostConnection, HostConnectionOptions } from "../../embed/frame-side.ts";
import type { HostMessage } from "../../embed/protocol.ts";

/** Opens the connection to the page around; the browser's is the frame side of the protocol. */
export type ConnectHost = (options: Pick<HostConnectionOptions, "parentOrigins" | "onMessage">) => HostConnection;

export interface Host {
  /** False where the checkout is a page of its own; what the server took it for until the browser has been asked. */
  readonly framed: boolean;
  readonly say: (statement: FrameStatement) => void;
}

/**
 * The page around the checkout: what it says comes to `onMessage`, what the checkout says goes through `say`. Speaks to
 * none but the origins that the server has named.
 */
export function useHost(
  connect: ConnectHost,
  page: { readonly parentOrigins: readonly string[]; readonly framed: boolean },
  onMessage: (message: HostMessage) => void,
): Host {
  const connection = useRef<HostConnection | null>(null);
  const [framed, setFramed] = useState(page.framed);
  const receive = useEffectEvent(onMessage);
  const origins = page.parentOrigins.join(" ");

  useEffect(() => {
    const opened = connect({
      parentOrigins: origins === "" ? [] : origins.split(" "),
      onMessage: (message) => receive(message),
    });
    connection.current = opened;
    setFramed(opened.framed);
    return () => {
      connection.current = null;
      opened.close();
    };
  }, [connect, origins]);

  const [say] = useState(() => (statement: FrameStatement) => connection.current?.send(statement));
  return { framed, say };
}

/** Tells the page around how high the checkout is, whenever that changes. */
export function useReportedHeight(element: React.RefObject<HTMLElement | null>, say: Host["say"]): void {
  useEffect(() => {
    if (element.current === null) return;
    return reportHeight({
      element: element.current,
      onHeight: (height) => say({ type: "resize", payload: { height } }),
    });
  }, [element, say]);
}
