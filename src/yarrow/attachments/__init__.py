"""Pictures that users send: kept behind one port, reached by signed addresses."""
