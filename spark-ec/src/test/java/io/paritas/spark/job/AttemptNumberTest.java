/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptNumberTest {
    /** A streaming application has more attempts than an int counts after some weeks. */
    @ParameterizedTest
    @CsvSource({"0, 0", "2147483647, 2147483647", "2147483648, 0", "4294967301, 5", "9223372036854775807, 2147483647"})
    void isThereHoweverManyAttemptsWereBefore(long id, int number) {
        assertThat(AttemptNumber.of(new TaskContextImpl(
                        0,
                        0,
                        0,
                        id,
                        0,
                        1,
                        null,
                        new Properties(),
                        null,
                        TaskMetrics.empty(),
                        1,
                        scala.collection.immutable.Map$.MODULE$.empty())))
                .isEqualTo(number);
    }
}
