import { createServer } from "node:http";

createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const isRefused = JSON.parse(text).account === "1000000001";
  response.writeHead(isRefused ? 422 : 200).end(JSON.stringify(isRefused ? { code: "no_account" } : {}));
}).listen(Number(process.env.STAND_IN_PORT), "127.0.0.1");
