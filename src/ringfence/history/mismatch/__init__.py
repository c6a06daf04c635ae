"""Tasks that did not tune what is tuned now: what they lack, what they had beyond, how to mend."""
