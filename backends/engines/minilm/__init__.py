"""The default embedder: all-MiniLM-L6-v2 on onnxruntime, its files beside this one."""
