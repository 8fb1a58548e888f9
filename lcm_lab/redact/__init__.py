"""Secrets, one definition: what is found here is never shown, and nothing else is touched.

Found are the formats of providers (the named detectors of detect-secrets, and ours), bearer
tokens, private keys, credentials in addresses, and what is assigned to a name such as
``password``. High entropy alone is no ground: commit ids and UUIDs stay readable.
"""

from lcm_lab.redact.base import Redacted, redact, redact_together

__all__ = ["Redacted", "redact", "redact_together"]
