-- An app opens the checkout in a browser or a web view of its own. The provider registers the addresses that bring the
-- patient back; a token may name one of them, and may be made for a page that speaks to the app around it. The version
-- before knows neither: its tokens go back nowhere and speak to no app.
--
-- The columns are new, so that no row could break the checks (`not valid`): the table is not read through for them.

alter table providers add column return_urls text[] not null default '{}';

alter table widget_tokens
  add column return_url text,
  add column is_native boolean not null default false,
  -- A page of the web, or an app's own scheme, which has a dot in it: never one that runs or reads something.
  add constraint widget_tokens_return_url check (return_url ~ '^(https?|[a-z][a-z0-9-]*(\.[a-z0-9-]+)+):') not valid,
  -- An app shows the page by itself; no other page may frame it.
  add constraint widget_tokens_native_has_no_page check (not is_native or parent_origin is null) not valid;
