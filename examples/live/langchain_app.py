"""A RAG chain of LangChain, traced by OpenInference's instrumentor: `python langchain_app.py QUESTION …` answers each question.

The model is a fake one with fixed answers, so that this runs without a key: put your own in its place. Nothing else is traced by
hand: question, passages and answer are read from the chain's own spans.
"""

from __future__ import annotations

import sys

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from openinference.instrumentation.langchain import LangChainInstrumentor
from tracing import provider

PASSAGES = {
    "ward": "Ward 3 moved to the second floor in 2019.",
    "parking": "Visitors park in garage B, which is open day and night.",
}
ANSWERS = ["Ward 3 is on the second floor.", "Park in garage B."]


class Search(BaseRetriever):
    """Returns the passages whose key the question names."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [Document(page_content=text, id=key) for key, text in PASSAGES.items() if key in query.lower()]


def chain() -> Runnable[str, str]:
    """Return the app."""
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])
    text = RunnableLambda(lambda documents: "\n".join(each.page_content for each in documents))
    model = FakeListChatModel(responses=ANSWERS)
    return {"context": Search() | text, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()


def main() -> None:
    """Answer the questions of the command line."""
    traced = provider("langchain-app")
    LangChainInstrumentor().instrument(tracer_provider=traced)
    app = chain()
    for question in sys.argv[1:]:
        print(app.invoke(question))
    traced.shutdown()


if __name__ == "__main__":
    main()
