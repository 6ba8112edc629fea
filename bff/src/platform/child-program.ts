import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

/*
 * Runs work in a child process if it is too long for the event loop or decodes an untrusted file. The child has no
 * secrets, no environment and little memory, runs at a lower priority, and is killed when it takes too long.
 */

export interface ChildProgram {
  /** The program's file, which calls `answerMessage`. */
  readonly file: URL;
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly heapMegabytesMax: number;
}

/** Thrown when a child program ended without an answer. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
  readonly code = "program_failed";
}

export type StartProgram = (program: ChildProgram) => ChildProcess;

/** Starts the program, sends it the message and returns its answer. Throws `ProgramFailed`. */
export function runProgram(
  program: ChildProgram,
  message: object,
  start: StartProgram = startProgram,
): Promise<unknown> {
  const child = start(program);
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => reject(new ProgramFailed("The program ended without an answer.", { cause }));
    child
      .once("message", resolve)
      .once("error", fail)
      .once("exit", () => fail());
    child.send(message, (error) => {
      if (error !== null) fail(error);
    });
  });
}

function startProgram({ file, args = [], timeoutMs, heapMegabytesMax }: ChildProgram): ChildProcess {
  const path = fileURLToPath(file);
  return fork(path, args, {
    env: {},
    execArgv: [`--max-old-space-size=${heapMegabytesMax}`],
    serialization: "advanced",
    signal: AbortSignal.timeout(timeoutMs),
    killSignal: "SIGKILL",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

const LOW_PRIORITY = 10;

/** In a child program: answers its one message, and ends. A failure ends it without an answer. */
export function answerMessage(answer: (message: unknown) => Promise<unknown>): void {
  setPriority(LOW_PRIORITY);
  process.once("message", (message) => void send(message).finally(() => process.disconnect()));

  async function send(message: unknown): Promise<void> {
    const answered = await answer(message);
    await new Promise((sent) => process.send?.(answered, sent));
  }
}
