"""Jobs: writes that take long, done one after the other, with a record that outlives the service."""
