"""Send a user's thumb to `assay serve`, with the standard library alone: copy this file into your app.

`ASSAY_FEEDBACK_URL` says where (http://127.0.0.1:8510/feedback), and `ASSAY_INTAKE_TOKEN` is the server's. With
`ASSAY_FEEDBACK_SIGNED=1` requests are signed with the token, which then never leaves your machine.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request


def send_feedback(item_id: str, value: object, *, comment: str = "", correction: str = "", tries: int = 5) -> None:
    """Send a thumb (0 or 1, -1 or 1, true or false; None is no vote) for an answer, named by the id of its trace."""
    row = {"item_id": item_id, "value": value, "comment": comment, "correction": correction, "source": "app"}
    body = json.dumps({name: part for name, part in row.items() if part != ""}).encode()
    url = os.environ.get("ASSAY_FEEDBACK_URL", "http://127.0.0.1:8510/feedback")
    for left in reversed(range(tries)):
        request = urllib.request.Request(  # noqa: S310 (the address is your own)
            url, body, {"Content-Type": "application/json", **_proof(body)}
        )
        try:
            urllib.request.urlopen(request, timeout=5).close()  # noqa: S310
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or not left:
                raise
            time.sleep(float(error.headers.get("Retry-After") or 1))  # sent again it is still one thumb
        else:
            return


def _proof(body: bytes) -> dict[str, str]:
    token = os.environ["ASSAY_INTAKE_TOKEN"]
    if os.environ.get("ASSAY_FEEDBACK_SIGNED") != "1":
        return {"Authorization": f"Bearer {token}"}
    at = int(time.time())
    digest = hmac.new(token.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Assay-Signature": f"t={at},v1={digest}"}
