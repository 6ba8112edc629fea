import { act } from "@testing-library/react";
import type { FrameStatement } from "../embed/frame-side.ts";
import type { HostMessage } from "../embed/protocol.ts";
import type { ConnectHost } from "../src/checkout/use-host.ts";

/** The page around the checkout, on the other end of the connection: what it heard, and what it says. */
export function createFakeHost() {
  const heard: FrameStatement[] = [];
  const origins: (readonly string[])[] = [];
  let listener: (message: HostMessage) => void = () => undefined;
  const connect: ConnectHost = ({ parentOrigins, onMessage }) => {
    origins.push(parentOrigins);
    listener = onMessage;
    return { framed: true, send: (statement) => void heard.push(statement), close: () => undefined };
  };
  return {
    connect,
    heard,
    origins,
    said: (type: FrameStatement["type"]) => heard.filter((statement) => statement.type === type),
    say: (message: HostMessage) => act(() => listener(message)),
  };
}
