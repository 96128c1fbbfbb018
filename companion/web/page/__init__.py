"""What every page shares: language, words, errors, cookies and headers. It knows no single page."""
