"""Arithmetic on tensors by the library beneath torch, without torch's Python package.

`import torch` takes 1.2 s of CPU time, most of it for what compiles and trains models; the library alone
loads in 0.2 s. It runs the same kernels, so the results are the same to the last bit, as the tests compare.

What is called here is torch's stable C interface (https://docs.pytorch.org/docs/stable/notes/, "LibTorch
Stable ABI"). The arguments of an operator are words of 64 bits in an array, which the result takes the place
of. They belong to the operator: each tensor there is a reference of its own.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Sequence
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.model import FloatArray

_FILES: Final = {"darwin": "libtorch_cpu.dylib", "win32": "torch_cpu.dll"}
_SET_THREADS: Final = {"win32": "?set_num_threads@at@@YAXH@Z"}
"""The name of `at::set_num_threads(int)`, which has none in C, where compilers name it otherwise."""
_TESTED: Final = "2.13"
_VERSION: Final = 2 << 56 | 13 << 48
"""The version of torch, `_TESTED`, whose operators are meant here; later ones adapt to it."""
_NONE: Final = 0


def _library() -> ctypes.CDLL:
    """The library of torch's kernels for the processor. Raises UnavailableError."""
    package = find_spec("torch")
    if package is None or package.origin is None:
        raise UnavailableError("torch is not installed, with which minilm encodes; install sage-ld again")
    path = str(Path(package.origin).parent / "lib" / _FILES.get(sys.platform, "libtorch_cpu.so"))
    try:
        return ctypes.CDLL(path)
    except OSError:
        return _library_after_import(path)


def _library_after_import(path: str) -> ctypes.CDLL:
    """The library, once torch's package has found libraries in other packages, as those of CUDA."""
    try:
        import torch  # noqa: F401

        return ctypes.CDLL(path)
    except (ImportError, OSError) as error:
        raise UnavailableError(f"torch cannot be loaded ({error}); install sage-ld again") from None


_LIBRARY: Final = _library()


def _symbol(name: str) -> Any:
    """A function of the library. Raises UnavailableError where this version of torch has none."""
    try:
        return getattr(_LIBRARY, name)
    except AttributeError:
        raise UnavailableError(
            f"torch {version('torch')} has no function {name}, with which minilm encodes; install {_TESTED}, "
            "with which sage-ld is tested"
        ) from None


def _function(name: str, *parameters: Any) -> Any:
    """A function of the library that returns an error code."""
    function = _symbol(name)
    function.argtypes, function.restype, function.errcheck = parameters, c_int32, _checked
    return function


def _checked(code: int, _function: object, _arguments: object) -> int:
    if code:
        reason: bytes = _what_failed() or b"an operator failed"
        raise RuntimeError(f"torch: {reason.decode('utf-8', 'replace')}")
    return code


_what_failed = _symbol("torch_exception_get_what_without_backtrace")
_what_failed.restype = c_char_p
_delete = _function("aoti_torch_delete_tensor_object", c_void_p)
_share = _function("aoti_torch_new_tensor_handle", c_void_p, c_void_p)
_of_memory = _function(
    "aoti_torch_create_tensor_from_blob",
    *(c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_int32, c_int32, c_int32, c_void_p),
)
_memory = _function("aoti_torch_get_data_ptr", c_void_p, c_void_p)
_view = _function("aoti_torch__reinterpret_tensor", c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p)
_copy = _function("aoti_torch_copy_", c_void_p, c_void_p, c_int32)
_product = _function("aoti_torch_cpu_mul_Tensor", c_void_p, c_void_p, c_void_p)
_multiple = _function("aoti_torch_cpu_mul_Scalar", c_void_p, c_double, c_void_p)
_absolute = _function("aoti_torch_cpu_abs", c_void_p, c_void_p)
_sum = _function("aoti_torch_cpu_add_Tensor", c_void_p, c_void_p, c_double, c_void_p)
_call_operator = _function("torch_call_dispatcher", c_char_p, c_char_p, c_void_p, c_uint64)
_new_list = _function("torch_new_list_reserve_size", c_size_t, c_void_p)
_append = _function("torch_list_push_back", c_void_p, c_uint64)
_new_word = _function("torch_new_stable_ivalue", c_void_p)
_new_string = _function("torch_new_string_handle", c_char_p, c_size_t, c_void_p)
_thread_count = _function("torch_get_num_threads", c_void_p)
_set_threads = _symbol(_SET_THREADS.get(sys.platform, "_ZN2at15set_num_threadsEi"))
_set_threads.argtypes, _set_threads.restype = (c_int32,), None

_CPU: Final[int] = _symbol("aoti_torch_device_type_cpu")()
FLOAT32: Final[int] = _symbol("aoti_torch_dtype_float32")()
BFLOAT16: Final[int] = _symbol("aoti_torch_dtype_bfloat16")()
INT8: Final[int] = _symbol("aoti_torch_dtype_int8")()


class Tensor:
    """A tensor in the library's memory; it is freed with this object."""

    __slots__ = ("_handle",)

    def __init__(self, handle: int | None) -> None:
        self._handle = handle

    def __del__(self, delete: Any = _delete) -> None:
        delete(self._handle)

    def __add__(self, other: Tensor) -> Tensor:
        handle = c_void_p()
        _sum(self._handle, other._handle, 1.0, byref(handle))
        return Tensor(handle.value)

    def __mul__(self, other: Tensor | float) -> Tensor:
        handle = c_void_p()
        if isinstance(other, Tensor):
            _product(self._handle, other._handle, byref(handle))
        else:
            _multiple(self._handle, other, byref(handle))
        return Tensor(handle.value)

    def multiply(self, other: Tensor) -> None:
        """Multiplies the elements by those of another tensor, in place."""
        _operator(b"aten::mul_", b"Tensor", self.shared(), other.shared())

    def copy_from(self, other: Tensor) -> None:
        """Takes the elements of another tensor of the same shape."""
        _copy(self._handle, other._handle, 0)

    def shared(self) -> int:
        """A reference to the tensor, which an operator takes as its own."""
        handle = c_void_p()
        _share(self._handle, byref(handle))
        return handle.value or 0


class StridedView:
    """A place in a tensor that is contiguous: shape, strides and first element, all counted in elements."""

    __slots__ = ("_offset", "_shape", "_strides")

    def __init__(self, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> None:
        self._shape, self._strides = (c_int64 * len(shape))(*shape), (c_int64 * len(shape))(*strides)
        self._offset = offset

    def of(self, tensor: Tensor) -> Tensor:
        """The tensor's elements there, in its memory."""
        handle = c_void_p()
        _view(tensor._handle, len(self._shape), self._shape, self._strides, self._offset, byref(handle))
        return Tensor(handle.value)


def tensor(array: FloatArray, dtype: int = FLOAT32) -> Tensor:
    """A copy of an array, rounded to `dtype`."""
    array, handle = np.ascontiguousarray(array, np.float32), c_void_p()
    shape = (c_int64 * array.ndim)(*array.shape)
    strides = (c_int64 * array.ndim)(*(each // array.itemsize for each in array.strides))
    _of_memory(array.ctypes.data, array.ndim, shape, strides, 0, FLOAT32, _CPU, 0, byref(handle))
    return _operator(b"aten::to", b"dtype", Tensor(handle.value).shared(), dtype, 0, True, _NONE)


def rows_of(tensor: Tensor, count: int, width: int) -> FloatArray:
    """A copy of a contiguous tensor in float32, shape (count, width)."""
    address = c_void_p()
    _memory(tensor._handle, byref(address))
    numbers = ctypes.cast(address, POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(numbers, (count, width)).copy()


def converted(tensor: Tensor, dtype: int) -> Tensor:
    """The tensor rounded to `dtype`, to even where two numbers are equally near."""
    return _operator(b"aten::to", b"dtype", tensor.shared(), dtype, 0, 0, _NONE)


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of the same shape and type."""
    return _operator(b"aten::zeros_like", b"", tensor.shared(), *5 * (_NONE,))


def linear(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """`rows` (n, a) by `weight` (b, a) and `bias` (b,): shape (n, b)."""
    return _operator(b"aten::linear", b"", rows.shared(), weight.shared(), _some(bias.shared()))


def layer_norm(rows: Tensor, width: int, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """Layer normalisation of `rows` (n, width)."""
    affine = _some(weight.shared()), _some(bias.shared())
    return _operator(b"aten::layer_norm", b"", rows.shared(), _list(width), *affine, _double(epsilon), True)


def gelu(rows: Tensor) -> Tensor:
    """The Gaussian error linear unit, by the error function."""
    handle = c_void_p()
    _new_string(b"none", 4, byref(handle))
    return _operator(b"aten::gelu", b"", rows.shared(), handle.value or 0)


def softmax(rows: Tensor) -> Tensor:
    """The softmax over the last dimension."""
    return _operator(b"aten::softmax", b"int", rows.shared(), -1, _NONE)


def matmul(left: Tensor, right: Tensor) -> Tensor:
    """The products of the matrices in the last two dimensions."""
    return _operator(b"aten::matmul", b"", left.shared(), right.shared())


def integer_products(left: Tensor, right: Tensor) -> Tensor:
    """The product of two matrices of int8, in float32."""
    return converted(_operator(b"aten::_int_mm", b"", left.shared(), right.shared()), FLOAT32)


def columns(rows: Tensor, begin: int, count: int) -> Tensor:
    """So many neighbouring columns of a matrix, in its memory."""
    return _operator(b"aten::narrow", b"", rows.shared(), 1, begin, count)


def mean(rows: Tensor) -> Tensor:
    """The mean over dimension 1."""
    return _operator(b"aten::mean", b"dim", rows.shared(), _some(_list(1)), False, _NONE)


def largest(rows: Tensor, least: Tensor) -> Tensor:
    """The largest absolute number of each row, and at least `least`: shape (n, 1)."""
    absolute = c_void_p()
    _absolute(rows._handle, byref(absolute))
    most = _operator(b"aten::amax", b"", absolute.value or 0, _list(1), True)
    return _operator(b"aten::clamp_min", b"Tensor", most.shared(), least.shared())


def quotient(left: Tensor, right: Tensor) -> Tensor:
    """`left` divided by `right`, element by element."""
    return _operator(b"aten::div", b"Tensor", left.shared(), right.shared())


def reciprocal(numbers: Tensor) -> Tensor:
    """One divided by each number."""
    return _operator(b"aten::reciprocal", b"", numbers.shared())


def rounded(numbers: Tensor) -> Tensor:
    """The nearest whole numbers, the even one of two, in the place of the numbers."""
    return _operator(b"aten::round_", b"", numbers.shared())


def threads() -> int:
    """The number of threads that one operator may use; OMP_NUM_THREADS sets it."""
    count = c_uint32()
    _thread_count(byref(count))
    return count.value


def set_threads(count: int) -> None:
    """Sets how many threads one operator that this thread calls may use."""
    _set_threads(count)


def _operator(name: bytes, overload: bytes, *arguments: int) -> Tensor:
    """The one result of an operator, whose arguments are words."""
    stack = (c_int64 * len(arguments))(*arguments)
    _call_operator(name, overload, stack, _VERSION)
    return Tensor(stack[0])


def _some(word: int) -> int:
    """A value where a parameter is optional; without one, it is `_NONE`."""
    pointer = POINTER(c_uint64)()
    _new_word(byref(pointer))
    pointer[0] = word
    return ctypes.cast(pointer, c_void_p).value or 0


def _list(number: int) -> int:
    """A list of one whole number."""
    handle = c_void_p()
    _new_list(1, byref(handle))
    _append(handle, number)
    return handle.value or 0


def _double(number: float) -> int:
    """The bits of a float."""
    word: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return word
