"""What an acquisition is multiplied by: a trial's cost, the chance that it fails."""
