-- A provider shows the widget in a frame of its own pages, which it must register, or says that it never does. The version
-- before asks for neither.

alter table providers add column is_framed boolean not null default true;
