"""Run a private Label Studio on this machine, with its own folders and credentials, for `assay up`.

The server lives in an environment of its own, since its pins fight ours, and keeps all it holds in one data folder.
The rule: it listens on 127.0.0.1 alone, calls nobody, reads no setting from the caller's environment, and what it
writes is readable by its owner only.
"""

from annotate.label_studio.local.environment import VERSION, ensure_environment
from annotate.label_studio.local.folder import TEMPLATE_VARIABLE, Credentials
from annotate.label_studio.local.server import LocalServer, start

__all__ = ["TEMPLATE_VARIABLE", "VERSION", "Credentials", "LocalServer", "ensure_environment", "start"]
