import { useEffect, useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { Notice } from "../../backend/sandbox.ts";
import { mailAddress, readNotices, wordsOf } from "../clinic-api.ts";
import { linksInText } from "./links-in-text.ts";
import styles from "./notices.module.css";

const POLL_MS = 2_500;

const MOMENT = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** The mail that the patient has been sent, as they read it, newest first. */
export function Notices({ purchase }: { readonly purchase: Purchase | null }) {
  const [notices, setNotices] = useState<readonly Notice[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const purchaseId = purchase?.id;

  useEffect(() => {
    if (purchaseId === undefined) return undefined;
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        const found = await readNotices(purchaseId);
        if (!isGone) setNotices(found);
        setFailure(null);
      } catch (error) {
        setFailure(wordsOf(error));
      }
      if (!isGone) timer = setTimeout(() => void read(), POLL_MS);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [purchaseId]);

  if (failure !== null) return <p className={styles.none}>{failure}</p>;
  if (notices === null || purchaseId === undefined) return null;
  if (notices.length === 0) return <p className={styles.none}>El paciente todavía no ha recibido ningún aviso.</p>;
  return (
    <ul className={styles.notices}>
      {notices.map(({ id, sentAt, subject, text }) => (
        <li key={id}>
          <details data-testid="notice" data-subject={subject}>
            <summary>
              <strong>{subject}</strong>
              <time dateTime={sentAt}>{MOMENT.format(new Date(sentAt))}</time>
            </summary>
            <NoticeText text={text} />
            <a className={styles.mail} href={mailAddress(purchaseId, id)} target="_blank" rel="noopener noreferrer">
              Ver el correo como llega
            </a>
          </details>
        </li>
      ))}
    </ul>
  );
}

function NoticeText({ text }: { readonly text: string }) {
  return (
    <p className={styles.text}>
      {linksInText(text).map((part) =>
        part.isLink ? (
          <a key={part.position} href={part.text} target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ) : (
          part.text
        ),
      )}
    </p>
  );
}
