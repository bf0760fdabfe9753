"""Keep what an embedding model answered: each request with its cost, each vector with the items that it is of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.store import Store
from annotate.store.scores.calls import Attempt
from proxy.judges.base import MODEL
from proxy.judges.llm.embedding import EmbeddingModel, Vector
from proxy.llm.attempt import RequestOutcome

NAME = "embeddings"


@dataclass(frozen=True, kw_only=True)
class KeptVectors:
    """The store's vectors of a model; `keep_exchange` writes a request down."""

    store: Store
    model: EmbeddingModel
    keep_exchange: Callable[[Attempt, RequestOutcome], None]
    clock: Callable[[], str]

    def known(self, texts: Sequence[str], item: int | None) -> Mapping[str, Vector]:
        """Return the vectors that are kept, which are this item's too from now on."""
        vectors = self.store.scores.vectors
        if item is not None and (unnoted := vectors.unnoted(self.model, texts, item)):
            with self.store.atomic():
                vectors.note(self.model, unnoted, [item])
        return vectors.known(self.model, texts)

    def keep(self, exchange: RequestOutcome, vectors: Mapping[str, tuple[Vector, Collection[int]]]) -> None:
        """Keep a request and its vectors in one transaction."""
        # Several items share a request, so that it names none of them.
        attempt = Attempt("item", f"{NAME}{MODEL}{self.model.model}", None, 0, is_open=False)
        with self.store.atomic():
            self.keep_exchange(attempt, exchange)
            self.store.scores.vectors.keep(self.model, vectors, now=self.clock())
