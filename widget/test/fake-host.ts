import { act } from "@testing-library/react";
import type { FrameStatement } from "../embed/frame-side.ts";
import type { HostMessage } from "../embed/protocol.ts";
import type { ConnectHost } from "../src/checkout/use-host.ts";

/** The embedding page or app: the messages it received (`heard`) and a way to send others (`say`). */
export function createFakeHost({ framed = true } = {}) {
  const heard: FrameStatement[] = [];
  const origins: (readonly string[])[] = [];
  const natives: boolean[] = [];
  let listener: (message: HostMessage) => void = () => undefined;
  const connect: ConnectHost = ({ parentOrigins, native, onMessage }) => {
    origins.push(parentOrigins);
    natives.push(native);
    listener = onMessage;
    return { framed, isHeard: true, send: (statement) => void heard.push(statement), close: () => undefined };
  };
  return {
    connect,
    heard,
    origins,
    natives,
    sent: (type: FrameStatement["type"]) => heard.filter((statement) => statement.type === type),
    say: (message: HostMessage) => act(() => listener(message)),
  };
}
