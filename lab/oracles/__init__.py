"""Rules of the games written a second time, independently, to judge the app by."""
