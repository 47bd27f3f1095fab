/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;

/** NVIDIA's assembler of CUDA 12.0, which lies in a library of JCuda and needs neither a GPU nor CUDA. */
public final class PtxAssembler {
    /** The GPUs that kernels are assembled for: Turing, Ampere, its smaller siblings, Ada, Hopper. */
    public static final List<String> GPUS = List.of("sm_75", "sm_80", "sm_86", "sm_89", "sm_90");

    private static final Pattern SPILLS = Pattern.compile("(\\d+) bytes spill stores");
    private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");

    /**
     * What came of a text.
     *
     * @param log what the assembler said
     * @param entries how many kernels it has
     * @param spilledBytes the bytes for which a kernel had no register, in all
     * @param registers the most that a kernel takes
     */
    public record Result(boolean accepted, String log, int entries, int spilledBytes, int registers) {}

    private PtxAssembler() {}

    /** Such as {@code 12.0}. */
    static String version() {
        int[] major = new int[1];
        int[] minor = new int[1];
        JNvPTXCompiler.nvPTXCompilerGetVersion(major, minor);
        return major[0] + "." + minor[0];
    }

    /** Assembles a text for a GPU, such as {@code sm_90}. */
    public static Result assemble(String ptx, String gpu) {
        JNvPTXCompiler.setExceptionsEnabled(false);
        byte[] text = ptx.getBytes(StandardCharsets.US_ASCII);
        nvPTXCompilerHandle handle = new nvPTXCompilerHandle();
        int created = JNvPTXCompiler.nvPTXCompilerCreate(handle, text.length, Arrays.copyOf(text, text.length + 1));
        if (created != 0) {
            throw new IllegalStateException("No assembler: error " + created);
        }
        try {
            String[] options = {"--gpu-name=" + gpu, "--verbose"};
            boolean accepted = JNvPTXCompiler.nvPTXCompilerCompile(handle, options.length, options) == 0;
            String log = log(handle, accepted);
            int spilled =
                    numbers(SPILLS, log).stream().mapToInt(Integer::intValue).sum();
            List<Integer> registers = numbers(REGISTERS, log);
            int most = registers.stream().mapToInt(Integer::intValue).max().orElse(0);
            return new Result(accepted, log, registers.size(), spilled, most);
        } finally {
            JNvPTXCompiler.nvPTXCompilerDestroy(handle);
        }
    }

    private static String log(nvPTXCompilerHandle handle, boolean accepted) {
        long[] size = new long[1];
        if (accepted) {
            JNvPTXCompiler.nvPTXCompilerGetInfoLogSize(handle, size);
        } else {
            JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(handle, size);
        }
        byte[] log = new byte[(int) size[0] + 1];
        if (size[0] > 0 && accepted) {
            JNvPTXCompiler.nvPTXCompilerGetInfoLog(handle, log);
        } else if (size[0] > 0) {
            JNvPTXCompiler.nvPTXCompilerGetErrorLog(handle, log);
        }
        return new String(log, StandardCharsets.UTF_8).trim();
    }

    private static List<Integer> numbers(Pattern pattern, String log) {
        Matcher matcher = pattern.matcher(log);
        return matcher.results()
                .map(result -> Integer.parseInt(result.group(1)))
                .toList();
    }
}
