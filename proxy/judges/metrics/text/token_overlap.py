"""Token recall, precision and F1 of an answer against a reference."""

from __future__ import annotations

from proxy.judges.metrics.text_overlap import TextMetric, best_overlap, compared

_ANSWER, _REFERENCE = "The engineer Gustave built it", "Gustave Eiffel"  # 4 tokens, 2 tokens, 1 common

METRICS = (
    TextMetric(
        name="token_recall",
        formula="tokens in both / tokens of the reference, each as often as it stands in both; tokens as exact_match has them",
        source="SQuAD's tokens; the recall half of its F1",
        misses="what the answer says beside the reference, true or not; other words for the same",
        examples=(compared("token_recall", _ANSWER, _REFERENCE, 1 / 2),),
        measure=best_overlap(lambda overlap: overlap.recall),
    ),
    TextMetric(
        name="token_precision",
        formula="tokens in both / tokens of the answer",
        source="SQuAD's tokens; the precision half of its F1",
        misses="what the answer leaves out; a long right answer scores low",
        examples=(compared("token_precision", _ANSWER, _REFERENCE, 1 / 4),),
        measure=best_overlap(lambda overlap: overlap.precision),
    ),
    TextMetric(
        name="token_f1",
        formula="2 × tokens in both / (tokens of the answer + tokens of the reference)",
        source="SQuAD (Rajpurkar et al. 2016); characters for Chinese, Japanese and Korean as MLQA, JaQuAD and KorQuAD",
        misses="other words for the same; word order; one wrong number among many right words",
        examples=(compared("token_f1", _ANSWER, _REFERENCE, 1 / 3),),
        measure=best_overlap(lambda overlap: overlap.f1),
    ),
)
