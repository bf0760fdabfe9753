"""The names under which evaluation tools write their scores, and those of columns that hold what people said.

A column of any other name is no judge by itself: numbers between 0 and 1 are as often latencies, probabilities or verdicts.
"""

from __future__ import annotations

import re

# Ragas, with what raw rows call these columns.
RAGAS_METRICS = frozenset(
    (
        "faithfulness",
        "answer_relevancy",
        "answer_relevance",
        "response_relevancy",
        "context_precision",
        "context_recall",
        "context_relevancy",
        "context_relevance",
        "context_utilization",
        "context_entity_recall",
        "answer_correctness",
        "answer_similarity",
        "semantic_similarity",
        "factual_correctness",
        "llm_context_precision_with_reference",
        "llm_context_precision_without_reference",
        "aspect_critic",
        "nv_accuracy",
        "nv_context_relevance",
        "nv_response_groundedness",
        "rouge_score",
        "bleu_score",
        "noise_sensitivity_relevant",
        "harmfulness",
    )
)
# A high value of these is commonly a bad answer.
LOW_IS_GOOD = frozenset(
    (
        "hallucination",
        "toxicity",
        "bias",
        "harmfulness",
        "maliciousness",
        "misuse",
        "pii_leakage",
        "noise_sensitivity",
        "noise_sensitivity_relevant",
        "noise_sensitivity_irrelevant",
        "stereotypes",
        "criminality",
        "insensitivity",
        "misogyny",
        "controversiality",
    )
)
# DeepEval, TruLens, Phoenix, MLflow, Langfuse's evaluators, LlamaIndex and Haystack.
OTHERS = frozenset(
    (
        "contextual_precision",
        "contextual_recall",
        "contextual_relevancy",
        "summarization",
        "prompt_alignment",
        "task_completion",
        "tool_correctness",
        "json_correctness",
        "argument_correctness",
        "role_adherence",
        "knowledge_retention",
        "conversation_completeness",
        "conversation_relevancy",
        "turn_relevancy",
        "groundedness",
        "qs_relevance",
        "ground_truth_agreement",
        "comprehensiveness",
        "groundedness_measure_with_cot_reasons",
        "relevance_with_cot_reasons",
        "context_relevance_with_cot_reasons",
        "qa_correctness",
        "document_relevance",
        "rag_relevance",
        "relevance_to_query",
        "safety",
        "guidelines",
        "retrieval_groundedness",
        "retrieval_relevance",
        "retrieval_sufficiency",
        "rouge1",
        "rouge2",
        "rougel",
        "rougelsum",
        "exact_match",
        "contextrelevance",
        "contextcorrectness",
        "context_correctness",
        "sas",
        "semantic_answer_similarity",
        "answer_exact_match",
        "faithfulness_llm",
        "string_presence",
        "instance_rubrics",
        "topic_adherence",
        "multi_modal_faithfulness",
        "multi_modal_relevance",
        "bert_score",
        "bertscore",
        "bleu",
        "rouge",
        "meteor",
        "chrf_score",
        "domain_specific_rubrics",
        "correctness",
        "relevance",
        "relevancy",
        "coherence",
        "conciseness",
        "helpfulness",
        "fluency",
    )
)
# Of these, what people give has the same names: 0 and 1 alone may be either.
PEOPLE_TOO = frozenset(
    (
        "correctness",
        "relevance",
        "relevancy",
        "coherence",
        "conciseness",
        "helpfulness",
        "fluency",
        "safety",
        "exact_match",
    )
)
METRICS = RAGAS_METRICS | OTHERS | LOW_IS_GOOD
AROUND = re.compile(r"^(?:evals?|scores?|metrics?|feedback)[./]|[./](?:score|value|mean|v\d+)(?=[./]|$)")
ENDS = ("_score", "_metric", "_evaluator")
SEPARATED = re.compile(r"[\W_]+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
ANNOTATORS = re.compile(
    r"(?:^|_)(?:human|annotator|annotators|annotation|expert|reviewer|rater|assessor|label|labels|labell?er|verdict|gold|golden"
    r"|is_correct|is_right|is_wrong|correct|incorrect|right|wrong|truth|target|judge?ment|adjudicated|accepted|approved"
    r"|mensch|richtig|korrekt|falsch|urteil|bewertung)(?:_?\d+)?(?:_|$)"
    r"|人工|專家|专家|標註|标注|標籤|标签|正確|正确|判定|사람|전문가|라벨|정답|판정"
)
USERS = re.compile(
    r"(?:^|_)(?:thumbs?|thumbs_?(?:up|down)|feedback|ratings?|votes?|stars?|likes?|csat|nps|satisfaction|bewertung|daumen|rückmeldung)(?:_|$)|評價|评价|평점"
)
MACHINES = re.compile(r"(?:^|_)(?:llm|gpt\w*|claude\w*|gemini\w*|model|judge|auto|automatic|predicted|pred)(?:_|$)")


def metric_name(column: str) -> str | None:
    """Return the metric that a column is called after, in whatever spelling a tool writes it; None for any other column."""
    bare = re.split(r"[(\[]", AROUND.sub("", column.strip().casefold() if "." in column or "/" in column else column))[
        0
    ]
    name = SEPARATED.sub("_", HUMP.sub("_", bare).casefold()).strip("_")
    candidates = (name, *(name.removesuffix(end) for end in ENDS if name.endswith(end)))
    return next((candidate for candidate in candidates if candidate in METRICS), None)


def is_of_annotators(column: str) -> bool:
    """Return whether a column is called like what annotators said, and not like what a machine did."""
    return _is_called(column, ANNOTATORS)


def is_of_users(column: str) -> bool:
    """Return whether a column is called like what an app's users said."""
    return _is_called(column, USERS)


def _is_called(column: str, names: re.Pattern[str]) -> bool:
    name = SEPARATED.sub("_", HUMP.sub("_", column).casefold()).strip("_")
    return bool(names.search(name)) and not MACHINES.search(name)
