"""What is kept of people: accounts, profiles, reports, passers-by."""
