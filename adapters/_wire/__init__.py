"""What all front ends share: the table of verbs, JSON in, JSON out, faults."""
