"""The session tools of OpenClaw: sessions_search, sessions_history."""
