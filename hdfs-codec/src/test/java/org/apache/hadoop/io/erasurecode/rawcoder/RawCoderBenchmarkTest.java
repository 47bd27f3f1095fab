/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs every benchmark once, so that none of them rots or measures something else than coding. */
class RawCoderBenchmarkTest {
    @ParameterizedTest
    @EnumSource
    void everyBenchmarkComputesWhatItSays(RawCoderBenchmark.Coder coder) throws IOException {
        assumeTrue(
                coder != RawCoderBenchmark.Coder.VECTOR
                        || ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent(),
                "this JVM runs without jdk.incubator.vector");
        RawCoderBenchmark benchmark = new RawCoderBenchmark();
        benchmark.coder = coder;
        benchmark.code = "6-3";
        benchmark.unitLength = 1000;
        benchmark.prepare();
        RawCoderBenchmark.Bytes bytes = new RawCoderBenchmark.Bytes();
        benchmark.encode(bytes);
        benchmark.decodeOneDataUnit(bytes);
        assertThat(benchmark.decoded(1)).isTrue();
        benchmark.decodeAsManyDataUnitsAsParityUnits(bytes);
        assertThat(benchmark.decoded(3)).isTrue();
        assertThat(bytes.dataBytes).isEqualTo(3 * 6000);
    }
}
