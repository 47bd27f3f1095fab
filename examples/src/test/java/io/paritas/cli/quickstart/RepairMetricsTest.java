/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RepairMetricsTest {
    @Test
    void readsWhatTheServletSays() {
        String json = """
                {"beans" : [ {
                    "EcReconstructionTasks" : 4,
                    "EcFailedReconstructionTasks" : 1,
                    "EcDecodingTimeNanos" : 12000000,
                    "EcReconstructionBytesRead" : 600,
                    "EcReconstructionBytesWritten" : 300
                } ]}""";
        assertThat(RepairMetrics.parse(json)).isEqualTo(new RepairMetrics(4, 1, 600, 300, Duration.ofMillis(12)));
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> RepairMetrics.parse("{}"))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("a DataNode of Hadoop 3.5 must have the metric EcReconstructionTasks, got {}");
    }
}
