import { createServer, type IncomingMessage } from "node:http";

/** Whether the posted JSON names the account that does not exist. */
async function isRefused(request: IncomingMessage): Promise<boolean> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { account } = JSON.parse(text) as { readonly account?: unknown };
  return account === "1000000001";
}

createServer((request, response) => {
  void isRefused(request).then((refused) =>
    response.writeHead(refused ? 422 : 200).end(JSON.stringify(refused ? { code: "no_account" } : {})),
  );
}).listen(Number(process.env.STAND_IN_PORT), "127.0.0.1");
