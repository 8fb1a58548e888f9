"""Secrets that are known by their form: tokens of providers, keys, and credentials in addresses."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache

from lcm_lab.redact.keys import CUT_OFF, WHOLE, tails
from lcm_lab.redact.span import MARK, Span

__all__ = ["shaped"]

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

_REAL = r"(?=[^\s\"']{0,200}[0-9]|[^\s\"']{24})"
_ALONE = r"(?<![A-Za-z0-9])"
#: Letters and digits up to where another secret begins that is glued to them.
_RUN = (
    r"(?:(?!gh[opusr]_|github_pat_|glpat-|npm_|xox[abeoprs]-|[spr]k[-_][\w-]{16}"
    r"|A[KS]IA[A-Z0-9]{16}|eyJ[\w-]{8,}\.|AIza[\w-]{35}|-----BEGIN)[A-Za-z0-9])"
)
_IN_URL = r"[^\s&#\"'<>\\]"
_NEW_VALUE = r"[ \t]*\\*[\"']?"

#: Kind, words of which one must occur, pattern: the last group is the secret, or all of the match.
_OURS = [
    ("private-key", "private", WHOLE),
    ("private-key", "private", CUT_OFF),
    ("private-key", "age-secret", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    ("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    # A scheme may stand before it; behind a comma it is quoted, else it is the next of a list.
    (
        "bearer-token",
        "authorization",
        rf"(?i)\bauthorization\\*[\"']?\]?[ \t]*(?:[:=]>?|,(?=[ \t]*\\*[\"'])){_NEW_VALUE}"
        rf"(?:[a-z]+ +)?{_REAL}([^\s\"'\\,;`${{}}()]{{4,}}+)(?!\()",
    ),
    ("bearer-token", "authorization", r"(?i)\bauthorization\W{1,8}basic +([\w+/=-]{6,})"),
    ("bearer-token", "bearer", rf"(?i)\bbearer\s+{_REAL}([\w.~+/-]{{8,}}=*)"),
    ("api-key", "k- k_", rf"{_ALONE}[spr]k[-_](?=[\w-]{{0,200}}[0-9])[\w-]{{16,}}"),
    # A digit, since a page of scikit-learn has "sk-container" and "sk-estimator".
    ("api-key", "sk-", rf"{_ALONE}sk-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{{8,}}+(?![\w-])"),
    ("api-key", "gsk_ pplx- r8_", rf"{_ALONE}(?:gsk_|pplx-|r8_)[A-Za-z0-9]{{10,}}+(?![_(-])"),
    (
        "api-key",
        "xai- hf_ tvly- lin_api_ dop_v1_ figd_ sbp_ shp ntn_ dckr_pat_",
        rf"{_ALONE}(?:xai-|hf_|tvly-(?:dev-)?|lin_api_|dop_v1_|figd_|sbp_|shp(?:at|ca|pa|ss)_|ntn_"
        r"|dckr_pat_)[A-Za-z0-9]{20,}+(?![_(])[\w-]*",
    ),
    ("api-key", "whsec_", rf"{_ALONE}whsec_[A-Za-z0-9+/]{{20,}}=*"),
    ("api-key", "akid ltai", rf"{_ALONE}(?:AKID|LTAI)(?=[A-Za-z]{{0,60}}[0-9])[A-Za-z0-9]{{12,}}"),
    ("google-key", "aiza", rf"{_ALONE}AIza[\w-]{{20,}}"),
    ("google-key", "ya29. 1//0", rf"{_ALONE}(?:ya29\.|1//0)[\w-]{{20,}}"),
    ("github-token", "gh", rf"{_ALONE}gh[opusr]_{_RUN}{{20,255}}"),
    ("github-token", "github_pat_", rf"{_ALONE}github_pat_\w{{20,255}}"),
    ("gitlab-token", "glpat-", rf"{_ALONE}glpat-[\w-]{{16,}}"),
    ("npm-token", "npm_", rf"{_ALONE}npm_{_RUN}{{30,255}}"),
    ("slack-token", "xox xapp-", rf"{_ALONE}(?:xox[abeoprs]|xapp)-[\w-]{{10,}}"),
    ("telegram-token", ":aa", r"(?<!\d)\d{6,12}:AA[\w-]{20,}"),
    ("artifactory-key", "akc", r"\bAKC(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{10,}\b"),
    ("password", "://", r"://[^\s:/?#@\"']{0,100}:([^\s/?#@\"']{1,200})@"),
    # Letters and digits together: the key of a page or of an issue is one or the other, or short.
    (
        "secret",
        "code= key= sig= signature= auth= hmac=",
        r"(?i)[?&;][\w-]*(?:code|key|sig|signature|auth|hmac)="
        rf"(?={_IN_URL}{{0,200}}[0-9])(?={_IN_URL}{{0,200}}[A-Za-z])({_IN_URL}{{16,}})",
    ),
    (
        "secret",
        "--",
        r"(?i)(?<![\w-])--(?:[a-z]+-)*(?:token|secret|passw(?:or)?d|api-?key|access-key)"
        rf"(?:=|[ \t]+)\\*[\"']?(?:{_REAL}|(?=[a-z]{{16,}}+(?![\w-])))([\w.+/~-]{{8,}}=*)(?![(\[])",
    ),
    ("card-code", "cvv cvc", rf"(?i)\bcv[vc]2?\\*[\"']?[ \t]*[:= ]{_NEW_VALUE}([0-9]{{3,4}})\b"),
    (
        "password",
        "-u",
        r"(?:^|\s)(?:-u|--user)[ =]\\*[\"']?[^\s:\"']{1,100}:(?![0-9]+\b)([^\s\"'\\]+)",
    ),
]

#: What documentation and code put in the place of a token.
_PLACEHOLDER = re.compile(r"(?i)(?:[a-z0-9_-]*[-_])?your[-_][a-z_-]+|\$?\{[\w.]+\}|<[\w -]+>")


def shaped(text: str) -> Iterator[Span]:
    """Find what has the form of a secret."""
    lower = text.lower()
    for kind, words, pattern in _patterns():
        for match in pattern.finditer(text) if any(word in lower for word in words) else ():
            start, end = _secret(match)
            held = text[start:end]
            if MARK not in held and not _PLACEHOLDER.fullmatch(held):
                yield Span(start, end, kind)
    if "private" in lower:
        yield from tails(text)


@cache
def _patterns() -> list[tuple[str, list[str], re.Pattern[str]]]:
    found = [(kind, words.split(), re.compile(pattern)) for kind, words, pattern in _OURS]
    for path, (kind, words) in _DETECTORS.items():
        module, name = path.split(".")
        detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        found += [(kind, words.split(), pattern) for pattern in detector.denylist]
    return found


def _secret(match: re.Match[str]) -> tuple[int, int]:
    """Give the last group, unless it is a mere prefix such as `ghp`, as in some detectors."""
    last = match.re.groups
    ours = bool(last) and match[last] is not None and match.end(last) >= match.end() - 2
    return match.span(last) if ours else match.span()
