"""``python -m lcm_lab`` is the command ``lcm-lab``."""

import sys

from lcm_lab.agent.cli import main

if __name__ == "__main__":
    sys.exit(main())
