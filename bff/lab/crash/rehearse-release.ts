import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, chown, copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "./free-ports.ts";
import { newCrashDatabase } from "./new-database.ts";
import { end, type Installation, rehearseProduction, untilAnswered } from "./rehearse-production.ts";

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
/** The user of the container file, who owns no files. */
const UNKNOWN_ID = 65_532;

export interface ReleaseOptions {
  /** Empty. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The Node on which the release runs. */
  readonly node: string;
  readonly say: (line: string) => void;
}

export interface ReleaseOutcome {
  readonly files: number;
  readonly residentMegabytes: number;
  readonly wrong: readonly string[];
}

/**
 * Follows the container file on a bare folder: packs the release, compares its checksums, and unpacks it into a
 * read-only folder. Then it goes to production with it as an unprivileged user, with only Node and the system's
 * programs on the path.
 */
export async function rehearseRelease({ folder, databaseUrl, node, say }: ReleaseOptions): Promise<ReleaseOutcome> {
  const { installation, place, files } = await installRelease({ folder, node, say });
  const { home } = installation;
  const { health, residentMegabytes, ...rest } = await rehearseProduction({
    ...{ folder: place, databaseUrl, installation, say },
  });

  await tryTheRest(home, node);
  say("a photo is converted, and a bucket asked");
  for (const [party, variables] of Object.entries(CONNECTORS)) await tryConnector(home, node, party, variables);
  say("the connectors are ready");
  const wrong = [...rest.wrong, ...(await whatIsThere(home)), ...(await otherBuilds(home, health))];
  await requireSums(home);
  if ((await filesIn(home)).length !== files) wrong.push("a process wrote into the folder of the release");
  await run("chmod", ["-R", "u+w", home]);
  return { files, residentMegabytes, wrong };
}

export interface InstalledRelease {
  readonly installation: Installation;
  /** A folder of the processes' user. */
  readonly place: string;
  readonly files: number;
}

/** Unpacks the release into a read-only folder, for an unprivileged user. */
export async function installRelease({
  folder,
  node,
  say,
}: Omit<ReleaseOptions, "databaseUrl">): Promise<InstalledRelease> {
  const [home, place] = [join(folder, "aapd"), join(folder, "operator")];
  await unpackRelease(folder, home);
  await run("chmod", ["-R", "a-w", home]);
  const files = (await filesIn(home)).length;
  say(`${files} files unpacked`);
  say(`node ${(await run(node, ["--version"])).stdout.trim()}`);

  // The user of the processes can read it, and no one else can write to it.
  await chmod(folder, 0o755);
  await mkdir(place);
  const user = process.getuid?.() === 0 ? UNKNOWN_ID : null;
  if (user !== null) await chown(place, user, user);
  return { installation: { home, path: await pathWith(node, folder), user }, place, files };
}

/** Packs the build, compares the archive with its checksum, unpacks it, and compares each file with the original. */
async function unpackRelease(folder: string, home: string): Promise<void> {
  const release = join(folder, "release");
  await run(process.execPath, [join(REPOSITORY, ".ci/build-release.mjs"), "--uncommitted", "--to", release]);
  await requireSums(release);
  const archive = (await readdir(release)).find((name) => name.endsWith(".tar.gz"));
  if (archive === undefined) throw new Error("The release has no archive.");
  await mkdir(home);
  await run("tar", ["-xzf", join(release, archive), "-C", home, "--strip-components=1"]);
  await requireSums(home);
}

async function requireSums(folder: string): Promise<void> {
  await run("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: folder });
}

/** A path on which the given Node comes first, without the present user's programs. */
async function pathWith(node: string, folder: string): Promise<string> {
  const programs = join(folder, "programs");
  await mkdir(programs);
  // A copy, because the folder of the installation may be closed to others.
  await copyFile(node, join(programs, "node"), constants.COPYFILE_FICLONE);
  await chmod(join(programs, "node"), 0o755);
  return `${programs}:/usr/bin:/bin`;
}

/**
 * Exercises packages that are released in part and unused by a purchase. The photo decoders convert one photo, and the
 * S3 client signs and sends a request to a closed port.
 */
async function tryTheRest(home: string, node: string): Promise<void> {
  const picture = join(REPOSITORY, "bff/test/fixtures/pictures/receipt.heic");
  const script = `
    import assert from "node:assert/strict";
    import { readFile } from "node:fs/promises";
    const [, home, picture] = process.argv;
    const { createPictureConverter } = await import(home + "/bff/dist/src/claims/picture-converter.js");
    const jpeg = await createPictureConverter().toJpeg(await readFile(picture), { type: "image/heic", providerId: "nobody" });
    assert.deepEqual([...jpeg.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    const { openFileStorage } = await import(home + "/bff/dist/src/gateways/open-file-storage.js");
    const credentials = { accessKeyId: "nobody", secretAccessKey: "nobody" };
    const location = { kind: "s3", bucket: "none", region: "none", endpoint: "http://127.0.0.1:9", credentials };
    const files = await openFileStorage({ location, keyring: { sealBytes: (bytes) => bytes } });
    const refused = await files.put("a-file-of-nobody", new Uint8Array(1)).catch((error) => error);
    for (let cause = refused; ; cause = cause.cause) if (cause.code === "ECONNREFUSED") break;`;
  await run(node, ["--input-type=module", "--eval", script, home, picture]);
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** The variables of each connector of a release. */
const CONNECTORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transbank: {
    TRANSBANK_ENVIRONMENT: "production",
    TRANSBANK_MALL_CODE: "597000000001",
    TRANSBANK_SHOP_CODE: "597000000002",
    TRANSBANK_API_KEY: "the-api-key-of-the-mall",
    TRANSBANK_SEAL_KEYS: "the-key-that-encrypts-each-tbk-user",
    TRANSBANK_EMAIL: "pagos@aapd.example.com",
    TRANSBANK_PAGE_ORIGIN: "https://cards.aapd.example.com",
  },
  fintoc: {
    FINTOC_SECRET_KEY: "sk_test_the-secret-key",
    FINTOC_ACCOUNT_ID: "acc_the-account-that-pays",
    FINTOC_JWS_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  },
  "bank-file": {},
  soyio: {
    SOYIO_ENVIRONMENT: "production",
    SOYIO_API_KEY: "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjQxMDI0NDQ4MDB9.the-signature",
  },
  whatsapp: {
    WHATSAPP_ACCESS_TOKEN: "the-token-of-a-system-user",
    WHATSAPP_PHONE_NUMBER_ID: "100000000000001",
    WHATSAPP_BUSINESS_ACCOUNT_ID: "100000000000002",
    WHATSAPP_APP_SECRET: "0123456789abcdef0123456789abcdef",
    WHATSAPP_VERIFY_TOKEN: "a-token-that-you-make",
  },
  libredte: {
    LIBREDTE_HASH: "the-hash-of-a-user",
    LIBREDTE_ISSUER_RUT: "76.901.112-9",
  },
};

/** Starts a connector on an empty database, waits until it is ready, and stops it. */
async function tryConnector(
  home: string,
  node: string,
  party: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const [[port], { url }] = await Promise.all([freePorts(1), newCrashDatabase()]);
  const env = {
    ...variables,
    CONNECTOR_PORT: String(port),
    CONNECTOR_TOKEN: "the-connectors-token",
    CONNECTOR_DATABASE_URL: url,
  };
  const program = join(home, `bff/dist/connectors/${party}/main.js`);
  const child = spawn(node, [program], { env, stdio: ["ignore", "ignore", "inherit"] });
  let code: number | null = null;
  try {
    await untilAnswered(child, `http://127.0.0.1:${port}/readyz`);
  } finally {
    code = await end(child);
  }
  if (code !== 0) throw new Error(`The connector ${party} ended with code ${code}.`);
}

/** Lists files that a release must not contain. */
async function whatIsThere(home: string): Promise<string[]> {
  const developed = ["bff/node_modules/@electric-sql", "bff/dist/sandbox", "bff/node_modules/typescript", "host-demo"];
  const found = await Promise.all(
    developed.map((path) =>
      access(join(home, path)).then(
        () => [`the release has ${path}`],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** Checks that every process reports the release's build. */
async function otherBuilds(home: string, health: readonly unknown[]): Promise<string[]> {
  const { version, commit = "unknown" } = JSON.parse(await readFile(join(home, "bff/package.json"), "utf8"));
  const wanted = JSON.stringify({ status: "ok", version, commit });
  return health
    .map((answer) => JSON.stringify(answer))
    .filter((answer) => answer !== wanted)
    .map((answer) => `/healthz: ${answer} instead of ${wanted}`);
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true });
}
