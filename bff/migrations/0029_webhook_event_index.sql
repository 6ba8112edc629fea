-- Nothing asks for deliveries by their event, and each delivery that was told or ended had to be entered here.
-- Stop: the index goes once every statement on its table has ended, and those that come meanwhile wait for it.
drop index webhook_deliveries_event;
