/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineNameTest {
    private static final String BOOT = "8b9a3c0e-0a51-4f8e-9d2c-5c7d0f1e2a3b";

    /** Pods of one node have addresses of their own, and one kernel. */
    @Test
    void executorsOfOneNodeOfKubernetesHaveOneName(@TempDir Path folder) throws IOException {
        Path bootId = Files.writeString(folder.resolve("boot_id"), BOOT + "\n");
        assertThat(MachineName.of("k8s://https://10.96.0.1:443", "10.0.0.1", bootId))
                .isEqualTo(BOOT);
        assertThat(MachineName.of("k8s://https://10.96.0.1:443", "10.0.0.2", bootId))
                .isEqualTo(BOOT);
        assertThat(MachineName.of("spark://master:7077", "10.0.0.1", bootId)).isEqualTo("10.0.0.1");
    }

    @Test
    void whereNobodyTellsTheAddressIsTheName(@TempDir Path folder) {
        assertThat(MachineName.of("k8s://https://10.96.0.1:443", "10.0.0.1", folder.resolve("none")))
                .isEqualTo("10.0.0.1");
    }
}
