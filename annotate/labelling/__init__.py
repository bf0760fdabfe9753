"""Labelling in Label Studio: draws out, annotations back. Both can be repeated at any time, and nothing doubles."""

from __future__ import annotations

from annotate.labelling.pulling import Pulled, pull
from annotate.labelling.pushing import Delivery, Pushed, PushRequest, push

__all__ = ["Delivery", "Pulled", "PushRequest", "Pushed", "pull", "push"]
