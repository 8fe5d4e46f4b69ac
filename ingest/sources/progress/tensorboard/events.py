"""Reads scalars of TensorBoard's events: Protocol Buffers, by the few fields that matter.

The numbers of the fields are TensorFlow's (`event.proto`, `summary.proto`, `tensor.proto`), which
no version changes. A scalar is a `simple_value`, or, in the newer form, a tensor of one number.
Images and all else are passed over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "Tensor": {
        "dtype": (1, "INT32"),
        "tensor_content": (4, "BYTES"),
        "float_val": (5, "FLOAT*"),
        "double_val": (6, "DOUBLE*"),
        "int_val": (7, "INT32*"),
        "string_val": (8, "BYTES*"),
        "int64_val": (10, "INT64*"),
    },
    "Value": {"tag": (1, "BYTES"), "simple_value": (2, "FLOAT"), "tensor": (8, "Tensor")},
    "Summary": {"value": (1, "Value*")},
    "Event": {
        "wall_time": (1, "DOUBLE"),
        "step": (2, "INT64"),
        "file_version": (3, "BYTES"),
        "summary": (5, "Summary"),
    },
}
"""Message → field → its number and type; `*` stands for any number of it."""
LISTS = ("float_val", "double_val", "int_val", "int64_val")
SINGLE = "<f4"
DTYPES = {1: SINGLE, 2: "<f8", 3: "<i4", 9: "<i8", 19: "<f2"}
"""TensorFlow's number of a type → NumPy's name of it, for tensors whose content is bytes."""


Message = Any
"""An event, or a value of one: of a class that is made at run time."""


def parsed_event(record: bytes) -> Message | None:
    """Parses a record as a TensorBoard event; None for bytes that are no event."""
    try:
        event = EVENT.FromString(record)
    except DecodeError:
        return None
    return event if event.wall_time or event.HasField("file_version") else None


def number_of(value: Message) -> float | None:
    """Returns an event's value if it is a single number; None if it is anything else."""
    if value.HasField("simple_value"):
        return _shortest(value.simple_value)
    tensor = value.tensor
    given = next((list(found) for name in LISTS if (found := getattr(tensor, name))), [])
    content, dtype = tensor.tensor_content, DTYPES.get(tensor.dtype)
    if content and dtype and not len(content) % np.dtype(dtype).itemsize:
        given = np.frombuffer(content, dtype).tolist()
    if len(given) != 1:
        return None
    return _shortest(given[0]) if dtype == SINGLE else float(given[0])


def text_of(value: Message) -> bytes:
    """Returns the first text (bytes) of an event's value; empty where it has no text."""
    return next(iter(value.tensor.string_val), b"")


def _shortest(single: float) -> float:
    """Converts a single-precision number to the shortest decimal that stands for it.

    What was logged as 0.1 is 0.1, not 0.10000000149.
    """
    return float(str(np.float32(single)))


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name="event.proto", package="tensorboard", syntax="proto2")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            message.field.append(_field(field, number, kind.rstrip("*"), kind.endswith("*")))
    return file


def _field(name: str, number: int, kind: str, repeated: bool) -> FieldDescriptorProto:
    label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
    field = FieldDescriptorProto(name=name, number=number, label=label)
    if kind in FIELDS:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".tensorboard.{kind}"
    else:
        field.type = getattr(FieldDescriptorProto, f"TYPE_{kind}")
    return field


def _event_class() -> Any:  # noqa: ANN401 - a class made at run time
    pool = DescriptorPool()
    pool.Add(_file())
    return GetMessageClass(pool.FindMessageTypeByName("tensorboard.Event"))


EVENT = _event_class()
