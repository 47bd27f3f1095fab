/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.storage.BlockManagerMaster;
import org.junit.jupiter.api.Test;
import scala.concurrent.Future;
import scala.concurrent.Future$;
import scala.reflect.ClassTag;

class ShuffleCodingTest {
    /** Answers nothing in time. */
    private static final class Late extends RpcEndpointRef {
        private static final long serialVersionUID = 1;

        private final transient CountDownLatch questions;

        Late(CountDownLatch questions) {
            super(new SparkConf(false));
            this.questions = questions;
        }

        @Override
        public RpcAddress address() {
            return RpcAddress.apply("localhost", 1);
        }

        @Override
        public String name() {
            return "late";
        }

        @Override
        public void send(Object message) {}

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
            questions.countDown();
            return Future$.MODULE$.failed(new TimeoutException("late"));
        }
    }

    /** Spark throws a checked exception that it does not declare. */
    @Test
    void repairGoesOnWhenTheListOfExecutorsIsLate() throws InterruptedException {
        LocalSpark.session();
        ShuffleSettings settings =
                ShuffleSettings.of(new SparkConf(false).set("spark.paritas.shuffle.repairInterval", "10ms"));
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        RpcEndpointRef driver = master.driverEndpoint();
        CountDownLatch questions = new CountDownLatch(3);
        try (ShuffleCoding coding = new ShuffleCoding(settings, Optional.empty())) {
            master.driverEndpoint_$eq(new Late(questions));
            coding.register(0, 1, 1);
            assertThat(questions.await(10, TimeUnit.SECONDS))
                    .as("it asks again and again")
                    .isTrue();
        } finally {
            master.driverEndpoint_$eq(driver);
        }
    }
}
