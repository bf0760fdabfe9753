"""Context relevance as the paper of Ragas has it: the share of the passages' sentences that are of use."""

from __future__ import annotations

from proxy.judges.base import cut_note
from proxy.judges.llm.sentences import SENTENCE_LIMIT
from proxy.judges.llm.shown_item import QUESTION, ShownItem
from proxy.judges.llm.verdicts import verdicts
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share
from proxy.text.language import language, sentences
from proxy.text.tokens import words

PROMPT = "sentence_relevance"


def context_relevance_sentences(shown: ShownItem) -> Measuring:
    """Return sentences of use / sentences of the passages."""
    stated = [sentence for text in shown.passages for sentence in sentences(text, language(text)) if words(sentence)]
    read = stated[:SENTENCE_LIMIT]
    if not read:
        return UndefinedValue("the passages have no words")
    given = yield from verdicts(shown, PROMPT, "sentences", read, ("no", "yes"), shown.parts((QUESTION,)))
    measured = share(read, [verdict == "yes" for verdict in given], "sentences of the passages are of use")
    cut = cut_note(f"{SENTENCE_LIMIT} sentences of the passages" if len(stated) > SENTENCE_LIMIT else "")
    return measured._replace(reason=measured.reason + cut)


METRIC = ModelMetric(
    name="context_relevance_sentences",
    formula="sentences of the passages that are of use in answering the question / sentences of the passages",
    source="Es et al. 2023, the paper of Ragas, which has removed it since; context_relevance_ragas is what took its place",
    needs=(MetricNeed.MODEL, MetricNeed.QUESTION, MetricNeed.CONTEXTS),
    misses="whether the passages suffice: one sentence of use by itself scores 1; long passages score low",
    examples=(
        scripted(
            "context_relevance_sentences",
            "2 of 5 sentences of use",
            2 / 5,
            ["yes", "no", "yes", "no", "no"],
            passages=5,
        ),
    ),
    prompts=(PROMPT,),
    measure=context_relevance_sentences,
)
