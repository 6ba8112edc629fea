-- Whether the patient chose `locale` on the page; the order's other tokens then have it too. The version before neither
-- reads nor writes it.
alter table widget_tokens add column locale_chosen boolean not null default false;
