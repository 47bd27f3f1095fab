/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.LocalSpark;
import java.time.Duration;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.util.RpcUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class MembersTest {
    private final Members members = new Members(CodeName.parse("rs-4-2"), Duration.ofMinutes(1));
    private BlockManagerMaster master;

    @BeforeEach
    void register() {
        LocalSpark.session();
        master = SparkEnv.get().blockManager().master();
        for (int id = 71; id <= 73; id++) {
            register(id);
            members.started(String.valueOf(id));
        }
    }

    private void register(int id) {
        // An endpoint that knows none of the messages for executors.
        var deaf = RpcUtils.makeDriverRef(
                "MapOutputTracker", SparkEnv.get().conf(), SparkEnv.get().rpcEnv());
        master.registerBlockManager(Executors.executor(id), new String[0], 1, 1, deaf, false);
    }

    @AfterEach
    void remove() {
        List.of("71", "72", "73", "74").forEach(master::removeExecutor);
    }

    /** It still has its files, and nobody comes in its place. */
    @Test
    void whoIsToldToLeaveTakesNoFilesAndIsNotLost() {
        members.roll();

        master.decommissionBlockManagers(
                CollectionConverters.asScala(List.of("72")).toSeq());

        Members.Roll roll = members.roll();
        assertThat(roll.present()).containsExactlyInAnyOrder("71", "72", "73");
        assertThat(roll.staying()).extracting(BlockManagerId::executorId).containsExactlyInAnyOrder("71", "73");
        assertThat(roll.expected()).isZero();
    }

    @Test
    void ifAllAreToldToLeaveNobodyTakesFiles() {
        master.decommissionBlockManagers(
                CollectionConverters.asScala(List.of("71", "72", "73")).toSeq());

        assertThat(members.roll().staying()).isEmpty();
        assertThat(members.roll().present()).hasSize(3);
    }

    /** To Spark it is there, but its part of ours is not: before Spark 4.2, one that is asked so early serves no shuffle. */
    @Test
    void whoHasNotStartedTakesNoFilesAndIsNotLost() {
        Members before = new Members(CodeName.parse("rs-4-2"), Duration.ofMinutes(1));
        before.started("71");
        before.started("73");

        Members.Roll roll = before.roll();
        assertThat(roll.present()).containsExactlyInAnyOrder("71", "72", "73");
        assertThat(roll.staying()).extracting(BlockManagerId::executorId).containsExactlyInAnyOrder("71", "73");
        assertThat(roll.expected()).isZero();

        before.started("72");
        assertThat(before.roll().staying()).hasSize(3);
    }

    /** If nobody waited for it while it loads its jars, outputs would be coded anew in smaller groups. */
    @Test
    void whoComesInPlaceOfALostOneIsExpectedUntilItHasStarted() {
        members.roll();
        members.left("71");
        assertThat(members.roll().expected()).isOne();

        register(74);
        Members.Roll roll = members.roll();
        assertThat(roll.present()).containsExactlyInAnyOrder("72", "73", "74");
        assertThat(roll.staying()).hasSize(2);
        assertThat(roll.expected()).as("it is there, and takes no files yet").isOne();

        members.started("74");
        assertThat(members.roll().staying()).hasSize(3);
        assertThat(members.roll().expected()).isZero();
    }

    /** Spark keeps its block manager a little longer. */
    @Test
    void whoHasLeftIsLost() {
        members.roll();

        members.left("72");

        Members.Roll roll = members.roll();
        assertThat(roll.present()).containsExactlyInAnyOrder("71", "73");
        assertThat(roll.staying()).hasSize(2);
        assertThat(roll.expected()).isOne();
    }
}
