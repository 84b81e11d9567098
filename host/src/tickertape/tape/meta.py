"""Facts about capture and target: the JSON objects of META chunks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tickertape.decode.bodies import BadBodyError

if TYPE_CHECKING:
    from collections.abc import Mapping


def parse_meta(body: bytes) -> Mapping[str, object]:
    """Parse the body of META.

    Raises:
        BadBodyError: the body is not a JSON object.
    """
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadBodyError("it is not JSON") from error
    if not isinstance(values, dict):
        raise BadBodyError("it is not a JSON object")
    return values
