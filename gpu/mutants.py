#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants errors in the kernels, the generator and the launch code, one at a time, and says which no test catches.

    ./mvnw -pl gpu -am test-compile                 first, for the class path and the emulator
    gpu/mutants.py CLASS_PATH [NAME...]            in the repository's root; changes only copies

CLASS_PATH is that of the tests without this module's own classes: classes and test classes of hdfs-codec and spark-inference,
JCuda, AssertJ, Byte Buddy, what reads and runs ONNX, and JUnit's console launcher (gpu/on-gpu.sh pack puts all of them into a folder). A mutant is caught if the emulator cannot
be built, the classes do not compile, or a test fails, with the threads of a block in order or in random order.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CU = "src/main/cuda/erasure.cu"
HALF = "src/main/cuda/gemm_half.cuh"
ROWS = "src/main/cuda/rows.cuh"
RESULTS = "src/main/cuda/results.cuh"
WARPGROUP = "src/main/cuda/gemm_half_warpgroup.cuh"
JAVA = "src/main/java/io/paritas/gpu/"
ERASURE = JAVA + "erasure/"

MUTANTS = [
    # name, file, what is there, what is planted
    ("no barrier before the table is used", CU, "    __syncthreads();\n    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (column >= columns) return;\n    uint32_t sums[OUTPUTS_PER_PASS]", "    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (column >= columns) return;\n    uint32_t sums[OUTPUTS_PER_PASS]"),
    ("a barrier that some threads leave out", CU, "    __syncthreads();\n    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (column >= columns) return;\n    uint32_t sums[STRIPS", "    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (column >= columns) return;\n    __syncthreads();\n    uint32_t sums[STRIPS"),
    ("one column too many", CU, "if (column >= columns) return;\n    uint32_t sums[OUTPUTS", "if (column > columns) return;\n    uint32_t sums[OUTPUTS"),
    ("bits in the other order", CU, "words[e] << (7 - bit)", "words[e] << bit"),
    ("an output too many", CU, "if (first + i < outputs)", "if (first + i <= outputs)"),
    ("the tables of another pass", CU, "static_cast<uint64_t>(blockIdx.y) * size + i", "static_cast<uint64_t>(blockIdx.x) * size + i"),
    ("masks transposed wrongly", CU, "masks[(first + i % STRIPS_PER_PASS) * strips + i / STRIPS_PER_PASS]", "masks[(first + i / strips) * strips + i % strips]"),
    ("a strip's place in the wrong unit", CU, "units.at[inputs + row / w] + row % w * stripBytes", "units.at[inputs + row % w] + row / w * stripBytes"),
    ("the wrong word", CU, "words[2] = v.z, words[3] = v.w", "words[2] = v.w, words[3] = v.z"),
    ("too little shared memory", ERASURE + "TableKernel.java", "inputs * OUTPUTS_PER_PASS * BITS * Integer.BYTES", "inputs * OUTPUTS_PER_PASS * BITS * Integer.BYTES - 4"),
    ("a pass too few", ERASURE + "TableKernel.java", "(outputs + OUTPUTS_PER_PASS - 1) / OUTPUTS_PER_PASS", "outputs / OUTPUTS_PER_PASS + (outputs < 4 ? 1 : 0)"),
    ("a wrong coefficient", ERASURE + "TableKernel.java", "field.multiply(rows[output][input], 1 << bit)", "field.multiply(rows[output][input], bit)"),
    ("the mask of another strip", ERASURE + "MaskKernel.java", "masks[start + strip] = -1", "masks[start + strip] = 1"),
    ("no end of the units", ERASURE + "ColumnKernel.java", "if (left > 0) {", "if (left > 15) {"),
    ("the end from the start", ERASURE + "ColumnKernel.java", "address -> address + done", "address -> address"),
    ("wide columns of units that are not aligned", ERASURE + "ColumnKernel.java", ".allMatch(address -> address % wideBytes == 0)", ".allMatch(address -> address % wideBytes >= 0)"),
    ("wide columns of strips that are not aligned", ERASURE + "ColumnKernel.java", "(w == 1 || stripBytes % wideBytes == 0)", "(w >= 1 || stripBytes % wideBytes == 0)"),
    ("another polynomial", ERASURE + "PtxWriter.java", "0x1d1d1d1d", "0x1b1b1b1b"),
    ("bits that run into the next byte", ERASURE + "PtxWriter.java", "0xfefefefe", "0xfffefefe"),
    ("and instead of xor", ERASURE + "PtxWriter.java", 'XOR_3 = "0x96"', 'XOR_3 = "0x80"'),
    ("the sign of one byte for all", ERASURE + "PtxWriter.java", '"0xba98"', '"0xbbbb"'),
    ("a term that is forgotten", ERASURE + "PtxWriter.java", "int term = terms.isEmpty() ? StraightLineProgram.ZERO : terms.remove(terms.size() - 1);", "int term = StraightLineProgram.ZERO; if (!terms.isEmpty()) terms.remove(0);"),
    ("an address without its column", ERASURE + "PtxWriter.java", 'line("add.u64 %%rd%d, %%rd%d, %%rd0", address, address);', ""),
    ("an offset for words of another width", ERASURE + "PtxWriter.java", "Integer.numberOfTrailingZeros(words * Integer.BYTES)", "4"),
    ("no bound", ERASURE + "PtxWriter.java", 'line("@%%p bra DONE");', ""),
    ("outputs of a pass at the first's place", ERASURE + "PtxWriter.java", "int strip = layout.firstOutput + output;", "int strip = output;"),
    ("a value fused although it is used twice", ERASURE + "PtxWriter.java", "&& uses[value] == 1", "&& uses[value] >= 1"),
    ("a zero that is not stored", ERASURE + "PtxWriter.java", "        storeOutputs(StraightLineProgram.ZERO);\n", ""),
    ("results taken before they are there", ERASURE + "Staging.java", "            stream.synchronise();\n", ""),
    ("results that are not checked", ERASURE + "CudaKernel.java", "        folds.check();\n", ""),
    ("outputs that are not folded", ERASURE + "Staging.java", "                units.folds.addOutput(i, unit.slice(unit.position() + from, size));\n", ""),
    ("a slot filled again too early", ERASURE + "Staging.java", "            slot.finish(units);\n            slot.start", "            slot.start"),
    ("the last chunk but one is lost", ERASURE + "Staging.java", "        slots.get(next).finish(units);\n        slots.get(1 - next)", "        slots.get(1 - next)"),
    ("chunks from the start of the array", ERASURE + "Staging.java", "put(i * stride, unit, unit.position() + from, size)", "put(i * stride, unit, from, size)"),
    ("a thread that is not bound", JAVA + "Gpu.java", "        CudaDriver.setCurrentContext(context == 0 ? retainContext() : context);", "        if (context == 0) CudaDriver.setCurrentContext(retainContext());"),
    ("a stage that is on its way", HALF, "await_copies<AHEAD - 1>();", "await_copies<AHEAD>();"),
    ("a stage that others have not brought yet", HALF, "        __syncthreads();  // one is enough", "        // one is enough"),
    ("a stage overwritten while it is read", HALF, "for (int i = 0; i < AHEAD; ++i)", "for (int i = 0; i <= AHEAD; ++i)"),
    ("chunks of the other half", HALF, "const int other = 2 * half;", "const int other = half;"),
    ("weights behind the last block of columns", HALF, "+ first, block < blocks)", "+ first, block <= blocks)"),
    ("a stage overwritten while wgmma reads it", HALF, "const int AHEAD = T::STAGES - 1 - T::LAG;", "const int AHEAD = T::STAGES - 1;"),
    ("copies that wgmma does not see", WARPGROUP, "void start_step() { show_copies(); }", "void start_step() {}"),
    ("sums that wgmma does not see", WARPGROUP, "        if (half == 0) show_sums();\n", ""),
    ("sums read before wgmma is done", WARPGROUP, "void end() { await_products<0>(acc); }", "void end() {}"),
    ("the wrong columns of A for wgmma", WARPGROUP, "stage + row * STAGE_CHUNKS + 2 * half", "stage + row * STAGE_CHUNKS + half"),
    ("the other warpgroup's rows", WARPGROUP, "stage + row * STAGE_CHUNKS", "stage + (T::HEIGHT / 2 - row) * STAGE_CHUNKS"),
    ("wgmma's rows in another order", WARPGROUP, "threadIdx.x % 128 / 32 * 16", "threadIdx.x % 128 / 32 * 32"),
    ("shared memory for a stage less than wgmma reads", JAVA + "nn/Tile.java", "8 * (128 + 256)", "7 * (128 + 256)"),
    ("counters that are not set back", RESULTS, "        if (*is_last) *arrivals = 0;\n", ""),
    ("a row that sums must have, left out", HALF, "i * PASS / BLOCK * BLOCK == row ? sums[i] : 0", "i * PASS / BLOCK * BLOCK == row && i > 0 ? sums[i] : 0"),
    ("a pixel that the filter does not see", ROWS, "static_cast<uint32_t>(y) < static_cast<uint32_t>(size.height)", "static_cast<uint32_t>(y) <= static_cast<uint32_t>(size.height)"),
    ("what several blocks have stored, used before it is complete", RESULTS, "+ 1 == count", "+ 2 >= count"),
    ("a slice that is not added", RESULTS, "for (uint32_t z = 1; z < gridDim.z; ++z)\n#pragma", "for (uint32_t z = 1; z + 1 < gridDim.z; ++z)\n#pragma"),
    ("slices of another tile", RESULTS, "blockIdx.y * gridDim.x + blockIdx.x", "blockIdx.y + blockIdx.x"),
    ("what sums must be, without the other slices", RESULTS, "for (uint32_t z = 1; z < gridDim.z; ++z) expected", "for (uint32_t z = 1; z < 1; ++z) expected"),
    ("sums of slices in the place of counters", JAVA + "nn/SplitK.java", "return memory + (long) atATime() * Integer.BYTES;", "return memory;"),
    ("counters that slices share with rows of blocks", JAVA + "network/DeviceNetwork.java", "return standing + SplitK.bytes();", "return standing;"),
    ("a step that no slice has", RESULTS, "steps * (blockIdx.z + 1) / gridDim.z", "(steps * (blockIdx.z + 1) - 1) / gridDim.z"),
    ("channels that are not zero", "src/main/cuda/network.cu", "if (channel >= channels) break;", "if (channel > channels) break;"),
    ("weights for channels of zeros", JAVA + "network/Products.java", "k % stored < depth ?", "k % stored <= depth ?"),
    ("a block of C stored before it is complete", RESULTS, "const float* block) {\n    __syncthreads();", "const float* block) {"),
    ("a block of C overwritten while it is stored", RESULTS, "            __syncthreads();  // nobody needs", "            // nobody needs"),
    ("JCuda's library from where anybody can write", JAVA + "JCudaNatives.java", "            System.setProperty(TEMPORARY, folder.toString());\n", ""),
]


def sh(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def caught(folder, class_path, name):
    """How a mutant was caught, or None."""
    emulator = folder / "target/emulator"
    built = sh(["./kernels.sh", "emulator", str(emulator / "libcuda.so.1")], cwd=folder)
    if built.returncode:
        return "the emulator is not built"
    classes = folder / "target/mutant"
    sources = [str(path) for part in ("main", "test") for path in (folder / "src" / part / "java").rglob("*.java")]
    compiled = sh(["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", class_path, *sources], cwd=folder)
    if compiled.returncode:
        return "it does not compile:\n" + compiled.stdout
    path = ":".join([str(classes), str(folder / "src/main/resources"), str(folder / "src/test/resources"), class_path])
    for order in ("0", "3"):
        command = ["java", "-XX:TieredStopAtLevel=1", "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED",
                   "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null",
                   "-cp", path, "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=summary",
                   "--select-package=io.paritas.gpu", "--include-tag=kernels"] + (["--include-tag=machine"] if "Gpu" in name or "JCuda" in name else [])
        try:
            run = sh(command, cwd=folder, timeout=300, env=os.environ | {"LD_LIBRARY_PATH": str(emulator), "EMU_ORDER": order})
        except subprocess.TimeoutExpired:
            return "it hangs, order " + order
        if run.returncode:
            return "order " + order
    return None


def main():
    class_path, names = sys.argv[1], sys.argv[2:]
    module = pathlib.Path(__file__).resolve().parent
    missed = []
    for name, file, before, after in [("nothing", CU, "", "")] + MUTANTS:
        if names and name not in names and name != "nothing":
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "gpu"
            shutil.copytree(module, folder, ignore=shutil.ignore_patterns("target"))
            (folder / "target").mkdir()
            shutil.copytree(module / "target/emulator", folder / "target/emulator")
            source = folder / file
            text = source.read_text()
            if text.count(before) < 1:
                sys.exit(f"{name}: {file} has no longer: {before}")
            source.write_text(text.replace(before, after, 1) if before else text)
            how = caught(folder, class_path, name)
            if name == "nothing":
                if how:
                    sys.exit("The tests fail without a mutant: " + how)
                continue
            print(f"{'caught' if how else 'MISSED':8}{name}{'' if not how else ': ' + how.splitlines()[0]}", flush=True)
            if not how:
                missed.append(name)
    print(f"{len(missed)} of {len(names) or len(MUTANTS)} missed")
    sys.exit(1 if missed else 0)


main()
