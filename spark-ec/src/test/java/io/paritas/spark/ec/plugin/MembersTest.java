/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.RecordingPlugin;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MembersTest {
    private static final String RECORDING = RecordingPlugin.class.getName();

    /** The tests' list of plugins also names one of Spark's. */
    @Test
    void onlyPluginsOfParitasAreMembers() {
        assertThat(Members.of(new SparkConf(false))).containsOnlyKeys(RECORDING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"spark.plugins", "spark.plugins.defaultList"})
    void whatSparkStartsIsNoMember(String key) {
        SparkConf conf = new SparkConf(false).set(key, "io.paritas.spark.ec.ParitasPlugin, " + RECORDING);
        assertThat(Members.of(conf)).isEmpty();
    }

    @Test
    void allAreCalledWhicheverFails() {
        List<Integer> called = new ArrayList<>();
        assertThatThrownBy(() -> Members.each(List.of(1, 2, 3), member -> {
                    called.add(member);
                    if (member < 3) {
                        throw new IllegalStateException("member " + member);
                    }
                }))
                .hasMessage("member 1")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(called).containsExactly(1, 2, 3);
    }
}
