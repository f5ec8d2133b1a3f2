"""What all rooms share: the records, and who may know them."""
