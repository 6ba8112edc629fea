import { expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

it.each([["migrate"], ["exceptions", "list"], ["operator", "sign-in"]])(
  "`aapd %s` names a missing variable in one line, without a stack trace",
  async (...args) => {
    const errors: string[] = [];
    const terminal = {
      environment: { DATABASE_URL: "postgres://aapd@127.0.0.1:9/aapd" },
      write: () => undefined,
      writeError: (text: string) => void errors.push(text),
    };
    expect(await runCommand(terminal, args)).toBe(1);
    expect(errors.join("")).toBe(
      "ENVIRONMENT: set it to the environment that DATABASE_URL belongs to, staging or production\n",
    );
  },
);

it("`aapd operator sign-in` makes no link to this machine in production, where the console's address is not set", async () => {
  const errors: string[] = [];
  const terminal = {
    environment: {
      ENVIRONMENT: "production",
      FACES: "order,spot,widget",
      DATABASE_URL: "postgres://aapd@127.0.0.1:9/aapd",
      KEYRING_FILE: "/none/keyring.json",
      FILES_DIR: "/none/files",
      ORDER_API_PUBLIC_URL: "https://api.pay.example",
      SPOT_API_PUBLIC_URL: "https://back.pay.example",
      WIDGET_HOST_PUBLIC_URL: "https://widget.pay.example",
      TRUSTED_PROXIES: "1",
      CONNECTOR_URL: "https://connector.pay.example/v1",
      CONNECTOR_TOKEN: "a-token-of-the-connector",
      CARD_CHALLENGE_ORIGIN: "https://bank.example",
      FINANCING_PROVIDER_NAME: "Financiera SpA",
      SMTP_URL: "smtps://mail.pay.example",
      MESSAGING_URL: "https://messages.example",
      MESSAGING_TOKEN: "a-token-of-the-gateway",
    },
    write: () => undefined,
    writeError: (text: string) => void errors.push(text),
  };
  expect(await runCommand(terminal, ["operator", "sign-in"])).toBe(1);
  expect(errors.join("")).toBe("OPERATIONS_PUBLIC_URL: set it to the console's https address, which the link opens\n");
});
