"""Say what scores that came in from elsewhere are to the rule in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.analysis.verdicts import Lacking, lacking
from annotate.store import Store
from proxy.rule import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleAfterImport:
    """The rule in force once scores came in, None where none is.

    They `put_in_force` the default rule where there was none before. `unread` has the new signatures of judges of which the rule
    reads another, and `lacks` says of how many answers these have no score.
    """

    rule: Rule | None = None
    put_in_force: bool = False
    unread: Mapping[str, str] = field(default_factory=dict)
    lacks: Lacking | None = None


NO_EFFECT = RuleAfterImport()


class BeforeImport(NamedTuple):
    """The signatures that had scores before others came in, and whether a rule was in force."""

    signatures: Mapping[str, Sequence[str]]
    has_rule: bool

    @classmethod
    def of(cls, store: Store) -> BeforeImport:
        """Return what there is now."""
        return cls(store.scores.signatures(), store.scores.rules.in_force() is not None)

    def after(self, store: Store) -> RuleAfterImport:
        """Return what the scores that came in since are to the rule."""
        in_force = store.scores.rules.in_force()
        if in_force is None:
            return NO_EFFECT
        unread = self._unread(in_force[1], store.scores.signatures())
        lacks = None
        if unread:
            scored = {(total.judge, total.signature): total.scored for total in store.scores.by_judge()}
            lacks = lacking(unread, scored, store.traffic.items.count())
        return RuleAfterImport(rule=in_force[1], put_in_force=not self.has_rule, unread=unread, lacks=lacks)

    def _unread(self, rule: Rule, now: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Return the newest signature, new since, of each judge whose scores the rule reads under another."""
        new = {
            judge: [
                signature
                for signature in now.get(judge, ())
                if signature not in self.signatures.get(judge, ()) and signature != own
            ]
            for judge, own in rule.signatures.items()
        }
        return {judge: signatures[-1] for judge, signatures in new.items() if signatures}
