/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkSummaryTest {
    @Test
    void isATable() {
        assertThat(NetworkSummary.of(NetworkName.MLP.build(), 256, 4)).hasToString("""
                layer     operator  output            parameters  M MACs/row   ops/byte
                flatten1  Flatten   784                        0
                fc1       Gemm      200                  157,000        0.16       49.1
                relu1     Relu      200                        0
                fc2       Gemm      100                   20,100        0.02       26.5
                relu2     Relu      100                        0
                fc3       Gemm      10                     1,010        0.00        4.4
                total               10                   178,110        0.18       42.6
                from input (1, 28, 28) to fc3 (10); operations per byte for a batch of 256 rows and 4-byte numbers""");
    }

    @Test
    void hasRowsForPrograms() {
        NetworkSummary summary = NetworkSummary.of(NetworkName.GAME_V1.build(), 1024, 2);
        assertThat(summary.total().macs()).isEqualTo(8_327_256);
        assertThat(summary.layers().get(0))
                .extracting("name", "op", "outputShape", "parameters", "macs")
                .containsExactly("conv1", "Conv", List.of(32, 22, 52), 896L, 988_416L);
        assertThat(summary.layers().stream()
                        .mapToLong(NetworkSummary.Row::parameters)
                        .sum())
                .isEqualTo(summary.total().parameters());
    }
}
