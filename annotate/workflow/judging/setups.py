"""Say what shapes the scores of a run, and which models it needs: one that is asked, one whose vectors are compared."""

from __future__ import annotations

import os

from annotate.domain.privacy.redaction import in_force
from annotate.workflow.judging.runs import Options
from proxy.errors import UsageError
from proxy.judges.llm.base import Setup
from proxy.judges.llm.embedding import EmbeddingModel
from proxy.judges.llm.form import Mode
from proxy.judges.llm.prompts import standard, with_own
from proxy.judges.menu import asks_model, compares_vectors
from proxy.llm.budget import Endpoint
from proxy.llm.embeddings import EmbeddingEndpoint, EmbeddingFunction
from proxy.llm.openai_client import NO_KEY, OpenAIEndpoint
from proxy.llm.probing import Capability

EMBEDDING_KEY = "EMBEDDING_API_KEY"
NOTHING_TO_KNOW = Capability(mode=Mode.LAST_LINE, parameters={})


def known_to(capability: Capability, options: Options) -> Capability:
    """Return the capability with the parameters that the user asks for."""
    return Capability(mode=capability.mode, parameters={**capability.parameters, **options.parameters})


def setup_of(endpoint: Endpoint | EmbeddingModel, capability: Capability, options: Options) -> Setup:
    """Return the setup that shapes the scores of this endpoint."""
    prompts = with_own(options.prompts) if options.prompts else standard()
    return Setup(
        url=endpoint.url,
        model=endpoint.model,
        mode=capability.mode,
        prompts=prompts,
        parameters=capability.parameters,
        context_limit=options.context_limit,
        masking=in_force().digest,
        embeddings=options.embeddings.settings if options.embeddings else None,
    )


def place_of(endpoint: Endpoint | None, options: Options) -> Endpoint | EmbeddingModel:
    """Return what names the run: the model that is asked, else the embedding model.

    Raises
    ------
    UsageError
        Where a judge needs one of them that is not named.
    """
    asks = asks_model(options.choice)
    if endpoint is None and asks:
        raise UsageError("these judges ask a model: name it with --model, or in [judge] of assay.toml")
    if options.embeddings is None and compares_vectors(options.choice):
        raise UsageError("these judges compare vectors: name an embedding model with --embedding-model, or in [judge]")
    if endpoint is not None and (asks or options.embeddings is None):
        return endpoint
    if options.embeddings is not None:
        return options.embeddings.identity
    raise UsageError("no model is named: name one with --model, or in [judge] of assay.toml")


def embedding_endpoint(chat: Endpoint | None, options: Options) -> EmbeddingEndpoint | None:
    """Return a new connection to the embedding model, where some judge needs one; nothing is sent yet.

    The key is EMBEDDING_API_KEY, else OPENAI_API_KEY, which goes to no other address than the chat model's where there is one.

    Raises
    ------
    UsageError
        Where the address is known to require a key and there is none.
    """
    asked = options.embeddings
    if asked is None or not compares_vectors(options.choice):
        return None
    if asked.function is not None:
        return EmbeddingFunction(asked.model, asked.function)
    is_elsewhere = chat is not None and chat.url != asked.identity.url
    key = os.environ.get(EMBEDDING_KEY) or (NO_KEY if is_elsewhere else None)
    endpoint = OpenAIEndpoint(asked.model, url=asked.url, key=key, concurrency=options.concurrency)
    endpoint.check_key()
    return endpoint
