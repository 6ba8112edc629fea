import { join } from "node:path";
import type { FileStorage } from "../gateways/file-storage.ts";
import { openFileStorage } from "../gateways/open-file-storage.ts";
import { type OpenDatabase, openDatabase } from "../platform/database/database.ts";
import { requireSuitedConnections } from "../platform/database/suited-connections.ts";
import { createKeyring, type Keyring } from "../platform/keyring.ts";
import { readKeyringFile, readOrMakeKeyringFile } from "../platform/keyring-file.ts";
import type { Logger } from "../platform/logger.ts";
import type { Config } from "./config.ts";

/**
 * Opens the configured database, keyring and file storage, for the server and the command line. Throws `FolderInUse` if
 * another process holds the embedded database, and `PoolerRefused` if the connections do not match the configuration.
 */
export async function openStorage(
  config: Config,
  logger: Logger,
): Promise<{ database: OpenDatabase; keyring: Keyring; files: FileStorage }> {
  const database = await openDatabase(
    {
      url: config.databaseUrl,
      connectionsMax: config.databaseConnectionsMax,
      isPooled: config.isDatabasePooled,
    },
    logger,
  );
  try {
    await requireSuitedConnections(database);
    const keyring = await openKeyring(config);
    return { database, keyring, files: await openFileStorage({ location: config.files, keyring }) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The configured keyring; staging creates one in its data folder if there is none. */
export async function openKeyring({
  keyringFile,
  dataDir,
  environment,
}: Pick<Config, "keyringFile" | "dataDir" | "environment">): Promise<Keyring> {
  const keys =
    keyringFile === null
      ? await readOrMakeKeyringFile(join(dataDir, "keyring.json"))
      : await readKeyringFile(keyringFile);
  return createKeyring({ keys, environment });
}
