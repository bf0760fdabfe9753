"""Settings that Label Studio does not expose: closed files, a policy that names no other place, no queue beside it.

Its own settings are loaded as ever, and these on top, from a module in the data folder that is written anew at each start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotate.label_studio.local import private

_FOLDER = "settings"
_MODULE = "assay_settings"
_SETTINGS = '''"""Written by Assay at each start; changes are lost."""

import os

# Label Studio's module asks for settings while it is being loaded, and then has to find itself.
os.environ["DJANGO_SETTINGS_MODULE"] = "label_studio.core.settings.label_studio"
from label_studio.core.settings.label_studio import *

os.environ["DJANGO_SETTINGS_MODULE"] = __name__

# By default uploads and exports are made readable for everybody, whatever the umask.
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700


def _here(sources):
    return tuple(source for source in sources if "." not in source)


CSP_SCRIPT_SRC, CSP_IMG_SRC, CSP_CONNECT_SRC = _here(CSP_SCRIPT_SRC), _here(CSP_IMG_SRC), _here(CSP_CONNECT_SRC)
CSP_FORM_ACTION = CSP_BASE_URI = CSP_FRAME_ANCESTORS = ("'self'",)
CSP_OBJECT_SRC = ("'none'",)

# Where another program's Redis answers, jobs would go there, and nobody would do them.
RQ_QUEUES = {name: {"UNIX_SOCKET_PATH": "/nonexistent", "DB": 0} for name in RQ_QUEUES}
'''


def settings(data: Path) -> Mapping[str, str]:
    """Return the environment in which Label Studio loads our settings over its own, after they were written."""
    folder = data / _FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    private.write(folder / f"{_MODULE}.py", _SETTINGS)
    return {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": _MODULE}
