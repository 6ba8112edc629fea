import { useState } from "react";
import type { GalleryState } from "../clinic-api.ts";
import { ALL, type GallerySettings } from "./gallery-settings.ts";
import { groupsOf, type StateGroup } from "./state-groups.ts";
import styles from "./state-tree.module.css";

const STEP_BY_KEY: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const STOPS = "input, summary, a";

type Shown = Pick<GallerySettings, "group" | "state">;

interface StateTreeProps {
  readonly states: readonly GalleryState[];
  readonly shown: Shown;
  /** The address of the gallery with one state, or one group. */
  readonly addressOf: (shown: Shown) => string;
}

/** All states by screen, with a search. The arrow keys move between the links, and Enter opens the first result. */
export function StateTree({ states, shown, addressOf }: StateTreeProps) {
  const [search, setSearch] = useState("");
  const groups = groupsOf(states, search);
  const count = groups.reduce((sum, group) => sum + group.states.length, 0);
  const first = groups[0];

  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>): void => {
    const step = STEP_BY_KEY[event.key];
    if (step === undefined) return;
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(STOPS)].filter((stop) =>
      stop.checkVisibility(),
    );
    const next = stops[stops.indexOf(event.target as HTMLElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };

  return (
    <nav className={styles.tree} aria-label="Pantallas y estados" onKeyDown={onKeyDown}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first?.states[0] !== undefined)
            window.location.hash = addressOf({ group: first.id, state: first.states[0] });
        }}
      >
        <label className={styles.search}>
          Buscar un estado
          <input
            type="search"
            value={search}
            placeholder="declined"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
      </form>
      <p role="status" className={styles.count}>
        {count === 1 ? "1 estado" : `${count} estados`}
      </p>
      <div className={styles.groups}>
        {groups.map((group) => (
          <Group
            key={`${group.id} ${search === ""}`}
            group={group}
            shown={shown}
            isOpen={search.trim() !== "" || group.id === shown.group}
            addressOf={addressOf}
          />
        ))}
        {search === "" && (
          <StateLink words="Todas las pantallas" to={{ group: ALL, state: "" }} {...{ shown, addressOf }} />
        )}
      </div>
    </nav>
  );
}

interface GroupProps extends Omit<StateTreeProps, "states"> {
  readonly group: StateGroup;
  readonly isOpen: boolean;
}

function Group({ group: { id, words, states }, isOpen, ...rest }: GroupProps) {
  return (
    <details open={isOpen}>
      <summary>
        {words} <small>{states.length}</small>
      </summary>
      <ul>
        <li>
          <StateLink words="Todos los estados" to={{ group: id, state: "" }} {...rest} />
        </li>
        {states.map((name) => (
          <li key={name}>
            <StateLink words={name} to={{ group: id, state: name }} {...rest} />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface StateLinkProps extends Omit<StateTreeProps, "states"> {
  readonly words: string;
  readonly to: Shown;
}

function StateLink({ words, to, shown, addressOf }: StateLinkProps) {
  const isShown = to.state === shown.state && (to.state !== "" || to.group === shown.group);
  return (
    <a href={addressOf(to)} aria-current={isShown ? "true" : undefined}>
      {words}
    </a>
  );
}
