/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/** Checks the coder that Hadoop creates for codec {@code rs}: whether it is ours, and computes the bytes of rs_java. */
final class CoderCheck {
    private static final List<CodeParameters> CODES =
            List.of(new CodeParameters(3, 2), new CodeParameters(6, 3), new CodeParameters(10, 4));
    private static final int LENGTH = 10_007;

    private final Configuration configuration;

    CoderCheck(Configuration configuration) {
        this.configuration = configuration;
    }

    List<Finding> check() throws IOException {
        RawErasureEncoder encoder;
        try {
            encoder = CodecUtil.createRawEncoder(configuration, "rs", new ErasureCoderOptions(6, 3));
        } catch (IllegalArgumentException e) {
            return List.of(none(e));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(created(encoder));
        findings.add(kernel());
        for (CodeParameters code : CODES) {
            findings.add(sameBytes(code));
        }
        return findings;
    }

    private static Finding none(IllegalArgumentException refusal) {
        return Finding.failure(
                "Hadoop creates no coder for codec rs, so files with an RS policy can be neither read nor written: "
                        + refusal.getMessage(),
                "see the findings above");
    }

    private static Finding created(RawErasureEncoder encoder) {
        String name = encoder.getClass().getSimpleName();
        return name.startsWith("Paritas")
                ? Finding.ok("Hadoop creates " + name + " for codec rs")
                : Finding.failure("Hadoop creates " + name + " for codec rs, not our coder", "see the findings above");
    }

    private static Finding kernel() {
        KernelChoice choice = KernelChoice.current();
        String found = choice.sentence()
                + choice.unaccelerated().map(reason -> "; " + reason).orElse("");
        return choice.passedOver().map(advice -> Finding.warning(found, advice)).orElse(Finding.ok(found));
    }

    /** Encodes with both, and decodes the loss of r data units. */
    private Finding sameBytes(CodeParameters code) throws IOException {
        ErasureCoderOptions options = new ErasureCoderOptions(code.k(), code.r());
        byte[][] units = new byte[code.n()][LENGTH];
        Random random = new Random(code.n());
        Arrays.stream(units).forEach(random::nextBytes);
        byte[][] data = Arrays.copyOf(units, code.k());
        byte[][] parity = Arrays.copyOfRange(units, code.k(), code.n());
        byte[][] expected = new byte[code.r()][LENGTH];
        CodecUtil.createRawEncoder(configuration, "rs", options).encode(data, parity);
        new RSRawErasureCoderFactory().createEncoder(options).encode(data, expected);
        boolean same = Arrays.deepEquals(parity, expected) && decodes(code, options, units);
        return same
                ? Finding.ok("self-check " + code + ": the bytes of rs_java, encoded and decoded")
                : Finding.failure(
                        "self-check " + code + ": bytes that differ from rs_java",
                        "do not use this coder here, and report the line above that names kernel and JDK");
    }

    private boolean decodes(CodeParameters code, ErasureCoderOptions options, byte[][] units) throws IOException {
        int erased = Math.min(code.k(), code.r());
        byte[][] inputs = units.clone();
        Arrays.fill(inputs, 0, erased, null);
        byte[][] outputs = new byte[erased][LENGTH];
        RawErasureDecoder decoder = CodecUtil.createRawDecoder(configuration, "rs", options);
        decoder.decode(inputs, IntStream.range(0, erased).toArray(), outputs);
        return Arrays.deepEquals(outputs, Arrays.copyOf(units, erased));
    }
}
