import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** The user whom the service returns, and its faults. */
export interface Saying {
  readonly claims: JWTPayload;
  readonly nonce?: string;
  readonly audience?: string;
  readonly issuer?: string;
  /** Signs with a key that is not published. */
  readonly foreignKey?: true;
  /** Answers the code with an error, as if it were already used. */
  readonly refusesCode?: true;
}

/** An OpenID Connect service on this machine that signs in the user whom the test sets. */
export async function startOpenIdService(client: { readonly id: string; readonly secret: string }) {
  const keys = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string; readonly redirect: string }>();
  let saying: Saying = { claims: {} };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer());
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/.well-known/openid-configuration")
      return json(200, {
        issuer: issuer(),
        authorization_endpoint: `${issuer()}/authorize`,
        token_endpoint: `${issuer()}/token`,
        jwks_uri: `${issuer()}/keys`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: ["RS256"],
        code_challenge_methods_supported: ["S256"],
      });
    if (pathname === "/keys") return json(200, { keys: [jwk] });
    if (pathname === "/authorize") {
      const [code, redirect] = [randomUUID(), searchParams.get("redirect_uri") ?? ""];
      codes.set(code, {
        nonce: searchParams.get("nonce") ?? "",
        challenge: searchParams.get("code_challenge") ?? "",
        redirect,
      });
      const back = new URL(redirect);
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "" }).toString();
      return response.writeHead(303, { location: back.href }).end();
    }
    if (pathname !== "/token") return json(404, {});
    let text = "";
    for await (const chunk of request) text += chunk;
    const asked = new URLSearchParams(text);
    const code = codes.get(asked.get("code") ?? "");
    codes.delete(asked.get("code") ?? "");
    const hash = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url");
    const knows = asked.get("client_id") === client.id && asked.get("client_secret") === client.secret;
    if (
      code === undefined ||
      !knows ||
      hash !== code.challenge ||
      asked.get("redirect_uri") !== code.redirect ||
      saying.refusesCode
    )
      return json(400, { error: "invalid_grant" });
    const idToken = await new SignJWT({ nonce: saying.nonce ?? code.nonce, ...saying.claims })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(saying.issuer ?? issuer())
      .setAudience(saying.audience ?? client.id)
      .setSubject("somebody")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(saying.foreignKey ? foreign.privateKey : keys.privateKey);
    return json(200, { access_token: "a", token_type: "bearer", expires_in: 60, id_token: idToken });
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = () => `http://127.0.0.1:${port}`;
  return {
    issuer: issuer(),
    say: (next: Saying) => {
      saying = next;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
