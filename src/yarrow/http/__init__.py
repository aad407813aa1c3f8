"""HTTP shared by all protocols: authentication, bodies, errors, streams, metrics and logs."""
