import { AapdError, AapdUnreachable } from "../../../../src/partner-client/errors.ts";

/** The output of a command: text for people, or JSON for programs. */
export interface Output {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** A command's output: one JSON value with `--json`, else lines. */
export interface ReportedLine {
  readonly json: unknown;
  readonly lines: readonly string[];
}

export function say({ write }: Output, { json, lines }: ReportedLine, asJson: boolean): void {
  write(asJson ? `${JSON.stringify(json)}\n` : `${lines.join("\n")}\n`);
}

/** A refusal that explains what to do. Its exit code is 1. */
export class CommandRefused extends Error {
  override name = "CommandRefused";
}

/** An error as the terminal shows it. */
export function wordsOf(error: unknown): string {
  if (error instanceof AapdError)
    return `${error.message} (${error.code ?? error.status}, request ${error.requestId ?? "unknown"})`;
  if (error instanceof AapdUnreachable || error instanceof CommandRefused) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
