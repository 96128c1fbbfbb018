"""What a request passes before its page: host name, body, address; what machines ask."""
