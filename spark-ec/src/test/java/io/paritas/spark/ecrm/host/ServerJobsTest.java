/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import java.util.Set;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.util.RpcUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;

class ServerJobsTest {
    private BlockManagerMaster master;

    @BeforeEach
    void register() {
        LocalSpark.session();
        SparkEnv env = SparkEnv.get();
        master = env.blockManager().master();
        // An endpoint that knows none of the messages for executors.
        var deaf = RpcUtils.makeDriverRef("MapOutputTracker", env.conf(), env.rpcEnv());
        master.registerBlockManager(
                BlockManagerId.apply("81", "host", 7081, Option.empty()), new String[0], 1, 1, deaf, false);
    }

    @AfterEach
    void remove() {
        master.removeExecutor("81");
    }

    /** Their candidates may still be listed, and an executor is free. */
    @Test
    void tasksThatDoNotRunAreNotMoved() {
        ServerJobs jobs = new ServerJobs(
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext()), null, 2);
        long beforeTheyAreStarted = -1;
        jobs.keep(beforeTheyAreStarted);
        assertThat(jobs.expectsRoom()).as("an executor is free").isTrue();
        assertThat(jobs.spread(Set.of(-1), beforeTheyAreStarted)).isFalse();
    }
}
