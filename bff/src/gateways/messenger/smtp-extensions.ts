import SMTPConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";

const READ_EXTENSIONS = "READ-EXTENSIONS";

/**
 * Whether a mail server takes addresses beyond ASCII (RFC 6531), asked on a connection of its own. Throws if the server
 * cannot be reached.
 */
export function hasSmtpUtf8(options: SMTPConnectionOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const connection = new SMTPConnection({
      ...options,
      // The library shows a server's extensions to a login of one's own only. This one sends nothing.
      customAuth: {
        [READ_EXTENSIONS]: (session) => {
          resolve(session.extensions.includes("SMTPUTF8"));
          session.resolve();
        },
      },
    });
    connection.on("error", reject);
    connection.on("end", () => reject(new Error("The mail server ended the connection.")));
    connection.connect((failure) => {
      if (failure) return reject(failure);
      connection.login({ method: READ_EXTENSIONS }, () => connection.quit());
    });
  });
}
