"""Is the new one better? Two systems, or windows of time, against each other; all systems ranked; the proxy's weak slices.

The sentence and what it rests on come first; a judge's grades are called a judge's word; what takes long comes last or on demand.
"""

from __future__ import annotations

from annotate.analysis.comparison import compare
from annotate.analysis.comparison.selections import rivals
from annotate.analysis.next_step.comparison import after_comparison
from annotate.pages.comparison import grades, listed, ranking, sentences, slices
from annotate.pages.kit import cache, layout
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import say
from annotate.present import comparison
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.errors import UsageError


def show(store: Store) -> None:
    """The page."""
    head = layout.title("systems")
    known = cache.kept(store, "rivals", lambda: rivals(store))
    if not known.systems:
        layout.nothing(store, say("systems.none" if cache.report(store).items else "systems.no_answers"))
        return
    names = sentences.sides(known)
    if not _compared(store, head, names):
        sentences.alone(store, known, names[0])
    ranking.show(store, known)
    slices.show(store)


def _compared(store: Store, head: PageHead, names: tuple[str, str | None]) -> bool:
    """Show the comparison, from its sentence to what to do next; False where there is no second side, or none to compare."""
    first, second = names
    if second is None:
        return False
    try:
        result = cache.kept(store, "compared", lambda: compare.compare(store, (first, second)), first, second)
    except UsageError as error:
        head.answer(Tone.UNKNOWN, f"{error}.", say("systems.failed"))
        return False
    document = comparison.document(result, after_comparison(result, way_of(store.path)))
    sentences.show(head, result, document)
    sentences.show_rates(result, document)
    grades.show(result)
    listed.show(result, document)
    listed.show_following(store, result, document)
    return True
