"""What the cases share with the tests of the tools and of the store."""

from tests.agent.conftest import lcm_lab as lcm_lab
from tests.store.conftest import lcm_db as lcm_db
from tests.store.conftest import owner as owner
