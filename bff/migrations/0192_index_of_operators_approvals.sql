-- Concurrently: an approval makes one operator. The version before writes no `approval_id`, so that it never meets this.
create unique index concurrently if not exists operators_of_approval on operators (approval_id);
