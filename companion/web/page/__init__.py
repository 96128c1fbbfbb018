"""Parts of every page: language, words, errors, cookies and headers."""
