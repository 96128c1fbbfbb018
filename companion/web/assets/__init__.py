"""Scripts, styles and what installs the app, joined and compressed once. No page is drawn here."""
