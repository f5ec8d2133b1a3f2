"""Records of people: accounts, profiles, reports, passers-by."""
