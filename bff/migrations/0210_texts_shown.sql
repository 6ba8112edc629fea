-- Which texts a widget token's page showed to a patient who acted on it, by the hash of each text, and since when. `shown_at` has
-- meant the same since then; the version before writes it when the page is read.
alter table widget_tokens add column shown_texts jsonb not null default '{}';
