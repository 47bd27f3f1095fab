/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class InstallationTest {

    @Test
    void aDriverHasTheOptionsThatItsSettingsName() {
        assertThat(Installation.driverOptions(Map.of("spark.driver.extraJavaOptions", " -XX:+UseG1GC  -Da=b ")))
                .containsExactly("-XX:+UseG1GC", "-Da=b");
        assertThat(Installation.driverOptions(Map.of("spark.driver.extraJavaOptions", "")))
                .isEmpty();
    }

    @Test
    void otherDriversAreLight() {
        assertThat(Installation.driverOptions(Map.of()))
                .containsExactly(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:CompileThresholdScaling=5",
                        "-XX:-UsePerfData");
    }
}
