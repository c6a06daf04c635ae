"""What a person looks at: pictures, notebooks, and the report as one HTML page."""
