/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CadenceTest {
    @Test
    void ofManyReportsFewAreLines() {
        Cadence cadence = new Cadence(10);
        DoubleStream reports = IntStream.rangeClosed(1, 120).mapToDouble(i -> i / 4.0);

        assertThat(reports.filter(cadence::isDue)).containsExactly(10.0, 20.0, 30.0);
    }

    @Test
    void aLineThatCameLateDelaysTheNext() {
        Cadence cadence = new Cadence(10);

        assertThat(DoubleStream.of(0, 25, 30, 34, 35).filter(cadence::isDue)).containsExactly(25.0, 35.0);
    }
}
