"""Real models in the place of what needs none: as summariser, as reader, as encoder.

Any endpoint that speaks OpenAI's protocol will do, on this machine or elsewhere. Notable: a key is
read from the environment at each request and stands in nothing that is printed, logged or kept;
what a call could cost is known to fit the bounds before it is made; stored text is given to a model
as data that gives no orders, without its secrets; what was answered is kept in a folder, and asked
for once. Why httpx2 and not OpenAI's package: one POST is all there is to it, and tries, time-outs,
bounds and what is logged must be ours. Needs ``pip install 'lcm-lab[llm]'``.
"""

from lcm_lab.llm.account import Ledger, ledger
from lcm_lab.llm.encoder import ApiEncoder
from lcm_lab.llm.endpoint import Endpoint
from lcm_lab.llm.failures import NoReply
from lcm_lab.llm.reader import ChatReader
from lcm_lab.llm.summariser import ChatSummariser

__all__ = ["ApiEncoder", "ChatReader", "ChatSummariser", "Endpoint", "Ledger", "NoReply", "ledger"]
