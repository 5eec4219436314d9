"""A move as sent, read with the tolerance that the rules ask for (RULES.md, "Melding")."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.game import Illegal
from domain.michigan_rummy.state import MANY, Move
