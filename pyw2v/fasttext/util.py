"""`fasttext.util`: fewer dimensions, evaluation of predictions, and downloads."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Collection, Iterable
from typing import Any
from urllib.request import urlopen

import numpy as np
import numpy.typing as npt

from pyw2v.fasttext.FastText import _FastText
from pyw2v.io.atomic import atomic_write

_MAPPING_ROWS = 100_000  # the projection is found from these
_VECTORS_URL = "https://dl.fbaipublicfiles.com/fasttext/vectors-crawl/"

# fmt: off
valid_lang_ids = {
    "af", "als", "am", "an", "ar", "arz", "as", "ast", "az", "azb", "ba", "bar", "bcl", "be",
    "bg", "bh", "bn", "bo", "bpy", "br", "bs", "ca", "ce", "ceb", "ckb", "co", "cs", "cv", "cy",
    "da", "de", "diq", "dv", "el", "eml", "en", "eo", "es", "et", "eu", "fa", "fi", "fr", "frr",
    "fy", "ga", "gd", "gl", "gom", "gu", "gv", "he", "hi", "hif", "hr", "hsb", "ht", "hu", "hy",
    "ia", "id", "ilo", "io", "is", "it", "ja", "jv", "ka", "kk", "km", "kn", "ko", "ku", "ky",
    "la", "lb", "li", "lmo", "lt", "lv", "mai", "mg", "mhr", "min", "mk", "ml", "mn", "mr",
    "mrj", "ms", "mt", "mwl", "my", "myv", "mzn", "nah", "nap", "nds", "ne", "new", "nl", "nn",
    "no", "nso", "oc", "or", "os", "pa", "pam", "pfl", "pl", "pms", "pnb", "ps", "pt", "qu",
    "rm", "ro", "ru", "sa", "sah", "sc", "scn", "sco", "sd", "sh", "si", "sk", "sl", "so", "sq",
    "sr", "su", "sv", "sw", "ta", "te", "tg", "th", "tk", "tl", "tr", "tt", "ug", "uk", "ur",
    "uz", "vec", "vi", "vls", "vo", "wa", "war", "xmf", "yi", "yo", "zea", "zh",
}
# fmt: on


def test(
    predictions: Iterable[Iterable[str]],
    labels: Iterable[Collection[str]],
    k: int = 1,  # noqa: PT028 (no test of pytest's)
) -> tuple[float, float]:
    """Return precision and recall of predicted labels, as `model.test` counts them.

    Parameters
    ----------
    predictions : iterable of iterable of str
        The predicted labels of each text.
    labels : iterable of collection of str
        The true ones.
    k : int, default 1
        Labels predicted for each text.

    Returns
    -------
    precision : float
        Share of the predicted labels that are right.
    recall : float
        Share of the true labels that were predicted.
    """
    right = n_examples = n_labels = 0
    for predicted, true in zip(predictions, labels, strict=False):
        right += sum(label in true for label in predicted)
        n_examples += 1
        n_labels += len(true)
    return right / (k * n_examples), right / n_labels


test.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def find_nearest_neighbor(
    query: npt.NDArray[Any],
    vectors: npt.NDArray[Any],
    ban_set: Collection[int],
    cossims: npt.NDArray[Any] | None = None,
) -> int:
    """Return the row with the largest product with a query that is not banned.

    Parameters
    ----------
    query : ndarray of shape (dim,)
        The query.
    vectors : ndarray of shape (n_rows, dim)
        The rows.
    ban_set : collection of int
        Rows to leave out.
    cossims : ndarray of shape (n_rows,), optional
        Filled with the products.

    Returns
    -------
    int
        Number of the row.
    """
    products = np.matmul(vectors, query, out=cossims)
    order = np.argsort(-products, kind="stable")
    return next(int(row) for row in order if row not in ban_set)


def reduce_model(ft_model: _FastText, target_dim: int) -> _FastText:
    """Project both matrices on the main directions of the input rows, in place.

    Parameters
    ----------
    ft_model : _FastText
        The model.
    target_dim : int
        The new dimension.

    Returns
    -------
    _FastText
        The same model.

    Raises
    ------
    ValueError
        If `target_dim` is below 1 or above the model's dimension.
    """
    if not 0 < target_dim <= ft_model.get_dimension():
        raise ValueError(
            f"target_dim must be 1 to {ft_model.get_dimension()}, the model's dimension, "
            f"got {target_dim}"
        )
    rows = ft_model.f.getInputMatrix()
    sample = np.array(rows[:_MAPPING_ROWS], np.float32)
    sample -= sample.mean(axis=0)
    covariance = sample.T @ sample / max(1, len(sample) - 1)
    _, directions = np.linalg.eigh(covariance)  # by ascending variance
    projection = np.ascontiguousarray(directions[:, ::-1][:, :target_dim])
    ft_model.set_matrices(rows @ projection, ft_model.f.getOutputMatrix() @ projection)
    return ft_model


def download_model(
    lang_id: str, if_exists: str = "strict", dimension: int | None = None
) -> str | None:
    """Download the Common Crawl vectors of a language into the current folder.

    Parameters
    ----------
    lang_id : str
        The language, such as "en".
    if_exists : {"strict", "ignore", "overwrite"}, default "strict"
        What to do if the file is there: leave it and return None, leave it and return its name, or
        download it again.
    dimension : int, optional
        Reduce the model to it.

    Returns
    -------
    str or None
        Name of the file.

    Raises
    ------
    Exception
        If there is no such language.
    ValueError
        If `if_exists` is something else.
    """
    if lang_id not in valid_lang_ids:
        raise Exception(f"Invalid lang id. Please select among {valid_lang_ids!r}")
    if if_exists not in ("strict", "ignore", "overwrite"):
        raise ValueError(f"if_exists must be strict, ignore or overwrite, got {if_exists!r}")
    name = f"cc.{lang_id}.300.bin"
    if os.path.isfile(name) and if_exists != "overwrite":
        return name if if_exists == "ignore" else None
    with (
        urlopen(f"{_VECTORS_URL}{name}.gz") as response,
        gzip.open(response) as source,
        atomic_write(name) as target,
    ):
        shutil.copyfileobj(source, target)
    if dimension is not None:
        reduce_model(_FastText(model_path=name), dimension).save_model(name)
    return name
