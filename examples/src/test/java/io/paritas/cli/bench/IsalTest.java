/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where gcc and ISA-L are installed. */
class IsalTest {
    @BeforeEach
    void assumeInstalled() {
        assumeThat(Isal.missing()).isEmpty();
    }

    /** Each turn compares the checksums of what ISA-L computes with those of our bytes. */
    @ParameterizedTest
    @CsvSource({"6,3,4096", "10,4,1007", "1,1,1", "3,5,100", "200,56,33"})
    void computesTheBytesOfCodecRs(int k, int r, int unitLength) throws IOException {
        Shape shape = new Shape(new CodeParameters(k, r), unitLength);
        try (Lane lane = Isal.lane(shape)) {
            for (Operation operation : Operation.values()) {
                Lane.Turn turn = lane.turn(operation, 1);
                assertThat(turn.bytes()).isEqualTo(shape.dataBytes());
                assertThat(turn.nanos()).isPositive();
            }
        }
    }

    @Test
    void isComparedWithOurBytes() throws IOException {
        Shape shape = new Shape(new CodeParameters(6, 3), 100);
        Matrix another = Generators.isalVandermonde(shape.code());
        try (Lane lane = Isal.laneExpecting(another, shape)) {
            assertThatThrownBy(() -> lane.turn(Operation.ENCODE, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("isa-l computes wrong bytes at: encode, (6,3). Please report it");
        }
    }

    @Test
    void namesItsVersion() {
        assertThat(Isal.description()).matches("isa-l [0-9]+\\.[0-9]+\\.[0-9]+, with(out)? GFNI");
    }
}
