/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs every variant once, so that none of them rots or measures something else than encoding. */
class StripBenchmarkTest {
    private static final int UNIT = 8 * 64 * 20;

    @ParameterizedTest
    @EnumSource
    void everyVariantEncodes(StripBenchmark.Variant variant) {
        CodeParameters code = new CodeParameters(6, 3);
        StripBenchmark benchmark = new StripBenchmark(variant, code, 512, UNIT);
        assertThat(benchmark.measure(Duration.ZERO)).isPositive();
        byte[][] expected = new byte[3][UNIT];
        StripCode.Layout layout =
                variant == StripBenchmark.Variant.PACKETS ? StripCode.Layout.PACKETS : StripCode.Layout.STRIPS;
        StripCode.of(Generators.isalVandermonde(code), StripCode.Form.PROGRAM, layout)
                .encode(Stripes.units(6, UNIT, Stripes.random("strips")), expected);
        assertThat(benchmark.parity()).isDeepEqualTo(expected);
    }
}
