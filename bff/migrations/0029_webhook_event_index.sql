-- Nothing asks for deliveries by their event, and each delivery that was told or ended had to be entered here.
drop index webhook_deliveries_event;
