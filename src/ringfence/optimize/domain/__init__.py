"""What is searched: rows of numbers, the set they may come from, designs and coordinates."""
