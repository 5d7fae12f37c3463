"""The default embedder: all-MiniLM-L6-v2 on onnxruntime. The model's files are in this folder."""
