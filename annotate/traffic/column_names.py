"""Names of columns in other languages, and columns that are numbered: what tables of people call our fields."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

# German, French, Spanish, Chinese, Japanese and Korean, the likeliest first.
WORDS: Mapping[str, tuple[str, ...]] = {
    "question": (
        *("frage", "fragen", "fragetext", "patientenfrage", "nutzerfrage", "benutzerfrage", "kundenfrage", "anfrage"),
        *("問題", "问题", "提問", "提问", "詢問", "询问", "質問", "질문", "질의", "문의", "pregunta"),
    ),
    "answer": (
        *("antwort", "antworten", "antworttext", "botantwort", "modellantwort", "systemantwort"),
        *("回答", "答案", "答覆", "答复", "回覆", "回复", "답변", "응답", "대답", "réponse", "respuesta"),
    ),
    "contexts": (
        *("kontext", "kontexte", "quelle", "quellen", "fundstelle", "fundstellen", "textstelle", "textstellen"),
        *("passage", "passagen", "dokument", "dokumente", "abschnitt", "abschnitte", "auszug"),
        *(
            "上下文",
            "段落",
            "來源",
            "来源",
            "出處",
            "出处",
            "參考資料",
            "参考资料",
            "檢索內容",
            "检索内容",
            "文檔",
            "文档",
        ),
        *("문맥", "맥락", "출처", "근거", "문서", "구절", "참고자료", "검색결과", "컨텍스트"),
        *("文脈", "contexte", "contexto"),
    ),
    "timestamp": (
        *("datum", "zeit", "zeitpunkt", "zeitstempel", "時間", "时间", "日期", "時間戳", "时间戳"),
        *("시간", "날짜", "일시", "시각", "일자", "日時", "horodatage", "fecha"),
    ),
    "id": (*("nr", "nummer", "lfdnr", "laufendenummer", "kennung", "編號", "编号", "序號", "序号", "번호", "식별자"),),
}
NUMBERED = re.compile(r"(.*?)[\W_]*(\d{1,3})\W*")
# Languages that put no blanks between words.
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def columns_in_other_languages(field: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that are called like a field, the likeliest first.

    The name is the word, or begins or ends with it (`Antwort KI`, `KI-Antwort`, `病人問題`); that of an id is the word alone.
    """
    words = WORDS.get(field, ())
    ranked = [
        (rank, place, column) for place, column in enumerate(columns) if (rank := _rank(column, words)) is not None
    ]
    return [column for rank, _, column in sorted(ranked) if rank == 0 or field != "id"]


def _rank(column: str, words: Collection[str]) -> int | None:
    """Return 0 for a name that is the word, 1 and 2 for one that begins and ends with it; None for any other."""
    parts = re.findall(r"[^\W_]+", column.casefold())
    if "".join(parts) in words:
        return 0
    if not parts:
        return None
    if parts[0] in words:
        return 1
    is_last = parts[-1] in words or any(UNSPACED.search(word) and parts[-1].endswith(word) for word in words)
    return 2 if is_last else None


def numbered_columns(columns: Iterable[str], words: Collection[str]) -> tuple[str, ...]:
    """Return the columns of one name and a number (`Context 1`, `source2`, `Quelle 3`), in the order of their numbers."""
    groups: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for column in columns:
        match = NUMBERED.fullmatch(column.casefold())
        if match is None:
            continue
        name = re.sub(r"[\W_]+", "", match[1])
        if name in words or f"{name}s" in words or name.removesuffix("s") in words:
            groups[name].append((int(match[2]), column))
    longest = max(groups.values(), key=len, default=[])
    return tuple(column for _, column in sorted(longest))
