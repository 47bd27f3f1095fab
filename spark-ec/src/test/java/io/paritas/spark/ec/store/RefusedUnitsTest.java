/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.Logged;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.job.ApplicationExecutors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerStorageEndpoint;
import org.apache.spark.storage.RDDBlockId;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.Option;

/** Executors that take no units, as when their disks are full. */
class RefusedUnitsTest {
    /** They answer until Spark ends: it waits for those that it has asked. */
    private static final AtomicInteger ENDPOINTS = new AtomicInteger();

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** Has a port, and does not listen. */
    private final Socket deaf = new Socket();

    @AfterEach
    void closePort() throws Exception {
        deaf.close();
    }

    @Test
    void unitsThatNobodyTakesAreNotRepaired() throws Exception {
        ErasureCodedStore<Integer> store = store(List.of(1, 2, 3, 4));
        lose(store, 0);
        addExecutorThatRefuses();

        assertThat(store.repair()).isZero();
        assertThat(store.health().missingUnits()).isEqualTo(1);

        removeExecutorThatRefuses();
        assertThat(store.repair()).isPositive();
        assertThat(store.health().missingUnits()).isZero();
        store.close();
    }

    @Test
    void stripesThatCannotBeRepairedKeepNoOthersWaiting() throws Exception {
        ErasureCodedStore<Integer> store = store(List.of(1, 2, 3, 4, 5, 6, 7, 8));
        lose(store, 0);
        lose(store, 7);
        Set<Stripe> tried = new HashSet<>();
        addExecutorThatRefuses();
        assertThat(store.repair(1, tried)).isZero();
        assertThat(tried).hasSize(1);

        removeExecutorThatRefuses();
        assertThat(store.repair(1, tried)).isPositive();
        assertThat(tried).hasSize(2);
        assertThat(store.repair(1, tried)).isZero();
        assertThat(store.health().missingUnits()).isEqualTo(1);
        store.close();
    }

    @Test
    void aUnitThatIsRefusedIsToldOnce() throws Exception {
        ErasureCodedStore<Integer> store = store(List.of(1, 2, 3, 4));
        lose(store, 0);
        addExecutorThatRefuses();
        try (Logged log = new Logged(StripeWork.class.getName())) {
            store.repair();
            assertThat(log.lines())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .matches(
                            "WARN rdd_\\d+_0 cannot be stored on BlockManagerId\\(refusing, 127\\.0\\.0\\.1, \\d+, None\\):"
                                    + " Failed to connect to \\S+");
        } finally {
            removeExecutorThatRefuses();
            store.close();
        }
    }

    /** The first choice, for the lack of a better one. */
    @Test
    void aUnitThatAnExecutorRefusesIsStoredOnAnotherOne() throws Exception {
        ErasureCodedStore<Integer> store = store(List.of(1, 2, 3, 4));
        lose(store, 0);
        try (SecondExecutor second = new SecondExecutor()) {
            String refusing = addFirstExecutorThatRefuses();

            assertThat(store.repair()).isPositive();

            assertThat(store.health().missingUnits()).isZero();
            assertThat(new UnitStore().locations(new RDDBlockId(store.rdd().id(), 0)))
                    .containsExactly(List.of(second.id()));
            removeExecutorThatRefuses(refusing);
        }
        store.close();
    }

    /** Returns its name: with some names, an executor is the driver's first one. */
    private String addFirstExecutorThatRefuses() throws Exception {
        bindPort();
        for (int number = 0; true; number++) {
            String name = "refusing" + number;
            addExecutorThatRefuses(name);
            if (ApplicationExecutors.staying().get(0).executorId().equals(name)) {
                return name;
            }
            removeExecutorThatRefuses(name);
        }
    }

    @Test
    void rowsThatAreNotProtectedAreReported() throws Exception {
        bindPort();
        addExecutorThatRefuses("refusing");
        addExecutorThatRefuses("refusing, too");
        JavaRDD<Integer> rows = new JavaSparkContext(SESSION.spark().sparkContext())
                .parallelize(List.of(1), 1)
                .setName("numbers");
        ErasureCodedStore<Integer> store;
        try (Logged log = new Logged(ErasureCodedStore.class.getName())) {
            store = ErasureCodedStore.of(
                    rows.rdd(),
                    CodeName.parse("rs-1-1"),
                    StoreSettings.of(rows.context().conf()));

            assertThat(log.lines())
                    .containsExactly(
                            "WARN rs-1-1 of numbers survives the loss of 0 executors now: units are missing (1) or beside"
                                    + " others of their stripes, as where executors take none because their disks are"
                                    + " full; their logs say why, and repair tries again");
        } finally {
            removeExecutorThatRefuses("refusing");
            removeExecutorThatRefuses("refusing, too");
        }
        store.close();
    }

    private static ErasureCodedStore<Integer> store(List<Integer> rows) {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        return ErasureCodedStore.of(
                context.parallelize(rows, rows.size()).rdd(),
                CodeName.parse("rs-4-1"),
                StoreSettings.of(context.sc().conf()));
    }

    private static void lose(ErasureCodedStore<?> store, int partition) {
        new UnitStore().remove(new RDDBlockId(store.rdd().id(), partition));
    }

    private void addExecutorThatRefuses() throws Exception {
        bindPort();
        addExecutorThatRefuses("refusing");
    }

    private void bindPort() throws Exception {
        deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private void addExecutorThatRefuses(String name) {
        SparkEnv env = SparkEnv.get();
        BlockManagerId id = BlockManagerId.apply(name, "127.0.0.1", deaf.getLocalPort(), Option.empty());
        /* It answers for blocks that it does not have: Spark asks all executors to drop broadcasts, at any time. */
        RpcEndpointRef answers = env.rpcEnv()
                .setupEndpoint(
                        "answers" + ENDPOINTS.incrementAndGet(),
                        new BlockManagerStorageEndpoint(env.rpcEnv(), env.blockManager(), env.mapOutputTracker()));
        env.blockManager().master().registerBlockManager(id, new String[0], 1 << 20, 0, answers, false);
    }

    private static void removeExecutorThatRefuses() {
        removeExecutorThatRefuses("refusing");
    }

    private static void removeExecutorThatRefuses(String name) {
        SparkEnv.get().blockManager().master().removeExecutor(name);
    }
}
