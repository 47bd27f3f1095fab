/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.Option;

/** Executors that take no units, as when their disks are full. */
class RefusedUnitsTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** Repair goes on for as long as it repairs something. */
    @Test
    void unitsThatNobodyTakesAreNotRepaired() throws Exception {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        JavaRDD<Integer> rows = context.parallelize(List.of(1, 2, 3, 4), 4);
        ErasureCodedStore<Integer> store = ErasureCodedStore.of(
                rows.rdd(),
                CodeName.parse("rs-4-1"),
                StoreSettings.of(context.sc().conf()));
        new UnitStore().remove(new RDDBlockId(store.rdd().id(), 0));
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        master.registerBlockManager(unreachable(), new String[0], 1 << 20, 0, master.driverEndpoint(), false);

        assertThat(store.repair(Integer.MAX_VALUE)).isZero();
        assertThat(store.health().missingUnits()).isEqualTo(1);

        master.removeExecutor("refusing");
        assertThat(store.repair(Integer.MAX_VALUE)).isPositive();
        assertThat(store.health().missingUnits()).isZero();
        store.close();
    }

    private static BlockManagerId unreachable() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return BlockManagerId.apply("refusing", "127.0.0.1", port.getLocalPort(), Option.empty());
        }
    }
}
