#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch needs for what our benchmarks measure, in CUDA graphs: cuDNN for networks, cuBLAS for products.

    beside-torch.py networks FOLDER [IMAGES]   networks that NetworkBenchmark has described, in float16, as CSV
    beside-torch.py products < gemms.csv       the products of GemmBenchmark's CSV, as CSV
    beside-torch.py check FOLDER               builds the networks on the CPU, and compares them with ONNX Runtime's predictions
"""
import pathlib
import sys

import torch
import torch.nn.functional as f

TRIALS = 5


class Network(torch.nn.Module):
    """A network from a description: see DescribedNetwork.java."""

    def __init__(self, path):
        super().__init__()
        self.nodes, self.names, self.sizes, shapes = [], {}, [], []
        for line in path.read_text().splitlines():
            kind, *words = line.split(" ")
            if kind == "input":
                self.input, self.sizes = words[0], [int(size) for size in words[1].split(",")]
            elif kind == "weight":
                shapes.append((words[0], [int(size) for size in words[1].split(",") if size]))
            elif kind == "node":
                op, output, inputs, *attributes = words
                self.nodes.append((op, output, inputs.split(","), dict(map(self.attribute, attributes))))
            elif kind == "rows":
                self.count = int(words[0])
        values = torch.frombuffer(bytearray(path.with_suffix(".bin").read_bytes()), dtype=torch.float32)
        at = 0
        for number, (name, shape) in enumerate(shapes):
            size = torch.Size(shape).numel()
            self.register_buffer(f"w{number}", values[at : at + size].reshape(shape).clone())
            self.names[name] = f"w{number}"
            at += size
        row = torch.Size(self.sizes).numel()
        self.rows = values[at : at + self.count * row].reshape([self.count] + self.sizes)
        self.expected = values[at + self.count * row :].reshape(self.count, -1)

    @staticmethod
    def attribute(word):
        name, value = word.split("=")
        if name == "epsilon":
            return name, float(value)
        numbers = [int(number) for number in value.split(",")]
        return name, numbers if name in ("strides", "pads", "kernel_shape", "dilations") else numbers[0]

    def forward(self, rows):
        values = {self.input: rows}

        def value(name):
            return values[name] if name in values else getattr(self, self.names[name])

        result = rows
        for op, output, inputs, a in self.nodes:
            result = self.apply_operator(op, [value(name) for name in inputs if name], a)
            values[output] = result
        return result

    @staticmethod
    def apply_operator(op, x, a):
        pads = a.get("pads", [0, 0, 0, 0])
        strides, kernel = a.get("strides", [1, 1]), a.get("kernel_shape")
        if op == "Conv":
            assert pads[:2] == pads[2:], "padding is the same on both sides"
            return f.conv2d(*x[:3], stride=strides, padding=pads[:2], dilation=a.get("dilations", [1, 1]), groups=a.get("group", 1)) \
                if len(x) > 2 else f.conv2d(x[0], x[1], None, strides, pads[:2], a.get("dilations", [1, 1]), a.get("group", 1))
        if op == "Gemm":
            return f.linear(x[0], x[1] if a.get("transB") else x[1].t(), x[2] if len(x) > 2 else None)
        if op == "MatMul":
            return torch.matmul(*x)
        if op == "MaxPool":
            return f.max_pool2d(x[0], kernel, strides, pads[:2], ceil_mode=bool(a.get("ceil_mode")))
        if op == "AveragePool":
            return f.avg_pool2d(x[0], kernel, strides, pads[:2], bool(a.get("ceil_mode")), bool(a.get("count_include_pad")))
        if op == "GlobalAveragePool":
            return x[0].mean((2, 3), keepdim=True)
        if op == "BatchNormalization":
            return f.batch_norm(x[0], x[3], x[4], x[1], x[2], eps=a.get("epsilon", 1e-5))
        if op == "Flatten":
            return x[0].flatten(1)
        if op == "Add":
            return x[0] + x[1]
        if op in ("Dropout", "Identity"):
            return x[0]
        return {"Relu": f.relu, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh}[op](x[0])


def networks(folder):
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        yield path.stem, Network(path).eval()


def seconds(work, runs=1):
    """Of a run of work, replayed from a CUDA graph of so many, one after another."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):  # cuDNN chooses its algorithms
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(runs):
            work()
    least, replays = float("inf"), 1
    for _ in range(TRIALS + 1):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        least = min(least, start.elapsed_time(end) / 1000 / replays)
        replays = int(max(1, min(1000, 0.02 / least)))
    return least / runs


def measure_networks(folder, images):
    print(f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, float16, channels last")
    print("network,microseconds,images_per_second")
    torch.backends.cudnn.benchmark = True
    for name, network in networks(folder):
        fold = int(name[-1]) if "-fold-" in name else 1
        network = network.half().cuda().to(memory_format=torch.channels_last)
        rows = torch.randn([images // fold] + network.sizes, dtype=torch.float16, device="cuda")
        if rows.dim() == 4:
            rows = rows.to(memory_format=torch.channels_last)
        with torch.inference_mode():
            taken = seconds(lambda: network(rows))
        print(f"{name},{1e6 * taken:.1f},{images / taken:.0f}", flush=True)


def measure_products(lines):
    print(f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}, cuBLAS; float32 without TF32")
    print("precision,m,n,k,microseconds,teraflops")
    torch.backends.cuda.matmul.allow_tf32 = False
    seen = set()
    for line in lines:
        fields = line.strip().split(",")
        if len(fields) < 7 or fields[6] != "none" or tuple(fields[1:5]) in seen:
            continue
        seen.add(tuple(fields[1:5]))
        m, n, k = map(int, fields[2:5])
        kind = torch.float16 if fields[1] == "half" else torch.float32
        a, b = torch.randn(m, k, dtype=kind, device="cuda"), torch.randn(k, n, dtype=kind, device="cuda")
        c = torch.empty(m, n, dtype=kind, device="cuda")
        with torch.inference_mode():
            runs = int(max(1, min(256, 0.002 / seconds(lambda: torch.mm(a, b, out=c)))))  # as GemmBenchmark
            taken = seconds(lambda: torch.mm(a, b, out=c), runs)
        print(f"{fields[1]},{m},{n},{k},{1e6 * taken:.2f},{2e-12 * m * n * k / taken:.3f}", flush=True)


def check(folder):
    count = 0
    for name, network in networks(folder):
        with torch.inference_mode():
            got = network(network.rows).reshape(network.count, -1)
        off = ((got - network.expected).abs().max() / network.expected.abs().max()).item()
        if not off < 1e-4:
            sys.exit(f"beside-torch: {name} is off by {off} of its largest prediction")
        count += 1
    if count == 0:
        sys.exit(f"beside-torch: no networks are described in {folder}")
    print(f"{count} networks predict what ONNX Runtime does")


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:] or [""]
    if verb == "networks" and arguments:
        measure_networks(arguments[0], int(arguments[1]) if len(arguments) > 1 else 1024)
    elif verb == "products":
        measure_products(sys.stdin)
    elif verb == "check" and arguments:
        check(arguments[0])
    else:
        sys.exit(__doc__)
