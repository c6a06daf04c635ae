"""The page of a report: templates, style, scripts and charts. All numbers come with the facts."""
