"""Is the new one better? Two systems, or windows of time, against each other; all systems ranked; the proxy's weak slices.

The sentence and what it rests on come first; a judge's grades are called a judge's word; what takes long comes last or on demand.
"""

from __future__ import annotations

from annotate import comparing
from annotate.comparing import Compared
from annotate.pages import figures, frame
from annotate.pages.say import say
from annotate.pages.systems import choosing, following, grades, listed, ranking, rates, sentences, slices
from annotate.rivals import rivals
from annotate.store import Store
from proxy.errors import UsageError


def show(store: Store) -> None:
    """The page."""
    frame.title("systems")
    known = figures.kept(store, "rivals", lambda: rivals(store))
    if not known.systems:
        frame.nothing(store, say("systems.none" if figures.report(store).items else "systems.no_answers"))
        return
    names = choosing.sides(known)
    found = _compared(store, names)
    if found is not None:
        following.show(store, found)
    else:
        choosing.alone(store, known, names[0])
    ranking.show(store, known)
    slices.show(store)


def _compared(store: Store, names: tuple[str, str | None]) -> Compared | None:
    """The comparison, shown from its sentence to what broke; None where there is no second side, or these cannot be compared."""
    first, second = names
    if second is None:
        return None
    try:
        found = figures.kept(store, "compared", lambda: comparing.compare(store, (first, second)), first, second)
    except UsageError as error:
        frame.answer(frame.Tone.UNKNOWN, f"{error}.", say("systems.failed"))
        return None
    sentences.show(found)
    rates.show(found)
    grades.show(found)
    listed.show(found)
    return found
