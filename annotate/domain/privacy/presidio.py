"""Microsoft Presidio as a recogniser: `presidio`, or `presidio:MODEL` with an installed spaCy model, which finds persons' names.

Without a model only what Presidio knows by pattern and checksum is found (IBAN, credit cards, tax and licence numbers), no name.
Further entities are named in capitals behind the model: `presidio:en_core_web_lg,LOCATION`. Nothing is ever downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from proxy.errors import UsageError

NAME = "presidio"
# Presidio gives patterns that match any number less than this, unless a word beside it speaks for them.
LEAST_SCORE = 0.4
# E-mail addresses and the like are ours (Presidio would ask the network for a list of domains); days, places and nations are
# what an answer is about, and are masked where they are named.
LEFT_OUT = frozenset({"EMAIL_ADDRESS", "URL", "DATE_TIME", "NRP", "LOCATION", "ORGANIZATION", "ID"})
_KINDS = {"PHONE_NUMBER": "PHONE", "IP_ADDRESS": "ADDRESS"}


def recogniser(argument: str = "") -> Callable[[str], Iterable[tuple[int, int, str]]]:
    """Make the recogniser; UsageError where Presidio or the model is not installed."""
    parts = [part.strip() for part in argument.split(",") if part.strip()]
    more = frozenset(part for part in parts if part.isupper())
    models = [part for part in parts if part not in more]
    if len(models) > 1:
        raise UsageError(f"presidio:{argument} names several models: write an entry of `recognisers` for each")
    engine, language = _engine(models[0] if models else "")
    entities = sorted(entity for entity in engine.get_supported_entities(language) if entity not in LEFT_OUT - more)
    if odd := sorted(more - set(entities)):
        raise UsageError(f"presidio:{argument}: Presidio knows no {odd[0]}")

    def spans(text: str) -> Iterable[tuple[int, int, str]]:
        for result in engine.analyze(text, language, entities=entities, score_threshold=LEAST_SCORE):
            kind = _KINDS.get(result.entity_type, result.entity_type)
            yield result.start, result.end, re.sub(r"[^A-Z_]", "", kind)

    return spans


def _engine(model: str) -> tuple[Any, str]:
    """Return Presidio's engine over this model, or over no model, and the language of it."""
    try:
        import spacy
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:
        raise UsageError(
            f"the recogniser presidio needs its package: pip install 'assay[presidio]' ({error})"
        ) from None
    language = model.partition("_")[0] if model else "en"
    if model and not spacy.util.is_package(model):
        raise UsageError(f"presidio:{model}: this spaCy model is not installed, and Assay downloads none")
    nlp = SpacyNlpEngine(models=[{"lang_code": language, "model_name": model or "none"}])
    nlp.nlp = {language: spacy.load(model) if model else spacy.blank(language)}
    return AnalyzerEngine(nlp_engine=nlp, supported_languages=[language]), language
