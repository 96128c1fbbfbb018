"""Windows of browsers other than Chromium, each a phone of its own, driven by the W3C's protocols.

Scripts that run in the page look at it. So a driver has few commands, and WebKit's (WebDriver) and
Firefox's (WebDriver BiDi) take the same fingers and keys.
"""
