"""Speech: a recording in, what was said in it out."""
