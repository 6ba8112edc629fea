import { expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

it.each([["migrate"], ["exceptions", "list"], ["operator", "sign-in"]])(
  "`aapd %s` names a missing variable in one line, without a stack trace",
  async (...args) => {
    const errors: string[] = [];
    const terminal = {
      environment: { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" },
      write: () => undefined,
      writeError: (text: string) => void errors.push(text),
    };
    expect(await runCommand(terminal, args)).toBe(1);
    expect(errors.join("")).toBe(
      "ENVIRONMENT: set it to the environment that DATABASE_URL belongs to, staging or production\n",
    );
  },
);
