"""Which memories fit a question: words, senses, fusion, neighbours."""
