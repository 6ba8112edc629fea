import type { ReactNode, Ref } from "react";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./notice.module.css";

const ICONS: Readonly<Record<NoticeTone, IconName>> = {
  danger: "alert",
  warning: "clock",
  success: "check",
  info: "info",
};

export type NoticeTone = "danger" | "warning" | "success" | "info";

export interface NoticeProps {
  readonly tone: NoticeTone;
  readonly title?: string;
  readonly children?: ReactNode;
  readonly role?: "alert" | "status";
  /** Where it receives the focus when it appears. */
  readonly ref?: Ref<HTMLDivElement>;
}

export function Notice(props: NoticeProps) {
  return (
    <div
      ref={props.ref}
      className={styles.notice}
      data-tone={props.tone}
      role={props.role}
      tabIndex={props.ref ? -1 : undefined}
    >
      <span className={styles.icon}>
        <Icon name={ICONS[props.tone]} />
      </span>
      {props.title === undefined ? null : <p className={styles.title}>{props.title}</p>}
      {props.children === undefined ? null : <div className={styles.body}>{props.children}</div>}
    </div>
  );
}
