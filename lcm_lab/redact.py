"""Secrets, one definition: what is found here is never shown, and nothing else is touched.

Found are the formats of providers (the named detectors of detect-secrets, and ours), bearer
tokens, private keys, credentials in addresses, and what is assigned to a name such as
``password``. High entropy alone is no ground: commit ids and UUIDs stay readable.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

__all__ = ["Redacted", "redact"]


class Redacted(NamedTuple):
    """A text without its secrets.

    Attributes
    ----------
    text : str
        With ``[redacted:kind]`` where a secret stood.
    found : Counter of str
        How many secrets of each kind.
    """

    text: str
    found: Counter[str]


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


def redact(text: str) -> Redacted:
    """Replace every secret in a text by its kind. Cut a text only afterwards.

    Secrets that touch or overlap are replaced together. What was redacted stays as it is.

    Examples
    --------
    >>> redact("export DB_PASSWORD=hunter2-FAKE")
    Redacted(text='export DB_PASSWORD=[redacted:password]', found=Counter({'password': 1}))
    """
    found: Counter[str] = Counter()
    # A secret glued to another is seen once the first is gone, as `sk-...` after `ghp_...` is.
    while spans := _merged(sorted(_spans(text))):
        found.update(span.kind for span in spans)
        text = _without(text, spans)
    return Redacted(text, found)


#: Detectors whose whole match, or whose long group, is the secret: kind, and lower-case words of
#: which one must occur. Left out are entropy, keywords, addresses of machines, and those that match
#: words, half of a UUID, or take quadratic time; ours stand in.
_DETECTORS = {
    "aws.AWSKeyDetector": ("aws-key", "akia asia a3t abia acca aws"),
    "azure_storage_key.AzureStorageKeyDetector": ("azure-key", "accountkey="),
    "cloudant.CloudantDetector": ("cloudant-key", "clou cl_ cl- clkey clapi cltoken clp"),
    "discord.DiscordBotTokenDetector": ("discord-token", "."),
    "github_token.GitHubTokenDetector": ("github-token", "gh"),
    "gitlab_token.GitLabTokenDetector": ("gitlab-token", "gl gr1348941"),
    "ibm_cloud_iam.IbmCloudIamDetector": ("ibm-key", "key pwd pass token"),
    "ibm_cos_hmac.IbmCosHmacDetector": ("ibm-key", "secret"),
    "mailchimp.MailchimpDetector": ("mailchimp-key", "-us"),
    "openai.OpenAIDetector": ("api-key", "t3blbkfj"),
    "pypi_token.PypiTokenDetector": ("pypi-token", "pypi-"),
    "sendgrid.SendGridDetector": ("sendgrid-key", "sg."),
    "slack.SlackDetector": ("slack-token", "xox hooks.slack"),
    "softlayer.SoftlayerDetector": ("softlayer-key", "softlayer sl_ sl- slapi slkey sltoken slp"),
    "square_oauth.SquareOAuthDetector": ("square-secret", "sq0csp"),
    "stripe.StripeDetector": ("stripe-key", "k_live_"),
    "twilio.TwilioKeyDetector": ("twilio-key", "ac sk"),
}

_LINE = r"(?:\s|\\[rn])+"
_PEM = r"-----{} [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN, _END = _PEM.format("BEGIN"), _PEM.format("END")
_REAL = r"(?=[^\s\"']{0,200}[0-9]|[^\s\"']{24})"
_ALONE = r"(?<![A-Za-z0-9])"

#: Kind, words of which one must occur, pattern: the last group is the secret, or all of the match.
_OURS = [
    ("private-key", "private", rf"{_BEGIN}(?:(?!-----BEGIN)[\s\S]){{0,20000}}?{_END}"),
    (
        "private-key",
        "private",
        rf"{_BEGIN}(?:{_LINE}[A-Za-z-]+: [^\n\\]*)*(?:{_LINE}[A-Za-z0-9+/=]{{8,}})*",
    ),
    ("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    (
        "bearer-token",
        "authorization",
        rf"(?i)\bauthorization\W{{1,8}}(?:[a-z]+ +)?{_REAL}([^\s\"'\\,;`${{}}()]{{4,}})(?!\()",
    ),
    ("bearer-token", "authorization", r"(?i)\bauthorization\W{1,8}basic +([\w+/=-]{6,})"),
    ("bearer-token", "bearer", rf"(?i)\bbearer\s+{_REAL}([\w.~+/-]{{8,}}=*)"),
    ("api-key", "k- k_", rf"{_ALONE}[spr]k[-_](?=[\w-]{{0,200}}[0-9])[\w-]{{16,}}"),
    (
        "api-key",
        "gsk_ xai- r8_ hf_ tvly- lin_api_ dop_v1_ whsec_",
        rf"{_ALONE}(?:gsk_|xai-|r8_|hf_|tvly-|lin_api_|dop_v1_|whsec_)[\w-]{{20,}}",
    ),
    ("google-key", "aiza ya29.", rf"{_ALONE}(?:AIza[\w-]{{35}}|ya29\.[\w-]{{20,}})"),
    ("github-token", "gh", rf"{_ALONE}gh[opusr]_[A-Za-z0-9]{{20,36}}"),
    ("github-token", "github_pat_", rf"{_ALONE}github_pat_\w{{20,82}}"),
    ("gitlab-token", "glpat-", rf"{_ALONE}glpat-[\w-]{{16,}}"),
    ("npm-token", "npm_", rf"{_ALONE}npm_[A-Za-z0-9]{{30,36}}"),
    ("slack-token", "xox", rf"{_ALONE}xox[abeoprs]-[\w-]{{10,}}"),
    ("telegram-token", ":aa", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("artifactory-key", "akc", r"\bAKC(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{10,}\b"),
    ("password", "://", r"://[^\s:/?#@\"']{0,100}:([^\s/?#@\"']{1,200})@"),
    (
        "password",
        "-u",
        r"(?:^|\s)(?:-u|--user)[ =]\\*[\"']?[^\s:\"']{1,100}:(?![0-9]+\b)([^\s\"'\\]+)",
    ),
]

_SURE = (
    r"passwords?|passwd|passphrase|pwd|(?:api|secret|access|private|account)[-_ ]?key"
    r"|(?:client|app|shared)[-_]?secret|(?:access|auth|refresh|session|api|bot)[-_]?token"
)
#: A quoted value ends at a quote escaped as its first one is: JSON may stand within JSON.
_VALUE = (
    r"(?P<depth>\\*)\"(?P<double>(?:(?!(?<!\\)(?P=depth)\")[^\n]){1,500})(?:(?P=depth)\")?"
    r"|\\*'(?P<single>[^'\n]{1,500})\\*'|(?P<bare>[^\s\"'`,;&<>(){}|\\\[\]]{3,})(?![(\[])"
)
_NAMES = "pass pwd key token secret credential"
_ASSIGNED = re.compile(
    rf"(?i)(?P<name>(?P<sure>{_SURE})|token|secret|credentials?)\\*[\"']?\]?"
    rf"(?P<sign>\s*(?::=|=>|={{1,3}}|:)\s*|(?<=--password)\s+|(?<=--token)\s+)(?:{_VALUE})"
)

_TAIL_END = re.compile(_END)
#: Lines of a key from its end, the first of them, which may have been cut, last.
_GAP = r"(?:\s|[rn]\\)"
_BACKWARDS = re.compile(
    rf"{_GAP}*[A-Za-z0-9+/=]{{1,80}}(?:{_GAP}+(?:[A-Za-z0-9+/=](?!\\)){{16,}})*"
    rf"(?:{_GAP}+(?:[A-Za-z0-9+/=](?!\\)){{8,}})?"
)
_MARK = "[redacted:"

#: What stands for a secret and is none: `$NAME`, `<name>`, `{name}`, stars.
_PLACEHOLDER = re.compile(
    r"\$\{?\w+\}?|<[^>]*>|\{[^}]*\}|%\w+%|[*x.]+|[\w-]*\.{3,}|(?i:redacted)|..?"
)
_CODE = re.compile(
    r"(?:app|args|cfg|conf|config|ctx|data|env|opts|options|os|params|process|props|req|request|secrets"
    r"|self|settings|state|this|user)\.[\w.]+|[A-Za-z_]+(?:\.[A-Za-z_]+)+|[A-Za-z]+_[A-Za-z_]*"
)
_STRONG = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])\S{8,}")


@cache
def _patterns() -> list[tuple[str, list[str], re.Pattern[str]]]:
    found = [(kind, words.split(), re.compile(pattern)) for kind, words, pattern in _OURS]
    for path, (kind, words) in _DETECTORS.items():
        module, name = path.split(".")
        detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        found += [(kind, words.split(), pattern) for pattern in detector.denylist]
    return found


def _spans(text: str) -> Iterator[_Span]:
    lower = text.lower()
    for kind, words, pattern in _patterns():
        for match in pattern.finditer(text) if any(word in lower for word in words) else ():
            start, end = _secret(match)
            if _MARK not in text[start:end]:
                yield _Span(start, end, kind)
    if any(word in lower for word in _NAMES.split()):
        yield from _assigned(text)
    if "private" in lower:
        yield from _tails(text)


def _assigned(text: str) -> Iterator[_Span]:
    for match in _ASSIGNED.finditer(text):
        held = str(match.lastgroup if match.lastgroup in ("double", "single") else "bare")
        if _is_secret(match, held):
            kind = "password" if match["name"].lower().startswith("pass") else "secret"
            yield _Span(*match.span(held), kind)


def _tails(text: str) -> Iterator[_Span]:
    """Find private keys whose beginning was cut off, reading backwards from their ends."""
    for match in _TAIL_END.finditer(text):
        before = _BACKWARDS.match(text[max(0, match.start() - 20_000) : match.start()][::-1])
        if before is not None and before.end():
            yield _Span(match.start() - before.end(), match.end(), "private-key")


def _secret(match: re.Match[str]) -> tuple[int, int]:
    """Give the last group, unless it is a mere prefix such as `ghp`, as in some detectors."""
    last = match.re.groups
    ours = bool(last) and match[last] is not None and match.end(last) >= match.end() - 2
    return match.span(last) if ours else match.span()


def _is_secret(match: re.Match[str], held: str) -> bool:
    value = match[held]
    if not value.strip() or _MARK in value or _PLACEHOLDER.fullmatch(value):
        return False
    if match["sure"] is None:
        return bool(_STRONG.fullmatch(value))
    if held != "bare":
        return True
    if _CODE.fullmatch(value) or value.lower() in ("none", "null", "true", "false"):
        return False
    return not value.isalpha() or match["sign"] == "="


def _merged(spans: list[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _without(text: str, spans: list[_Span]) -> str:
    parts, done = [], 0
    for span in spans:
        parts += [text[done : span.start], f"{_MARK}{span.kind}]"]
        done = span.end
    return "".join([*parts, text[done:]])
