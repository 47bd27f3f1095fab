/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** The tests run without the class path of Spark that {@code bin/paritas} names. */
    @Test
    void whatCannotBeInstalledLeavesNothing(@TempDir Path folder) {
        assertThatThrownBy(() -> Installation.create(folder))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the class path of Spark must be named by -Dparitas.spark.classpath=PATH");
        assertThat(folder).isEmptyDirectory();
    }
}
