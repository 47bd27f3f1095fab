/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartSaverTest {
    @TempDir
    Path folder;

    private static ModelSpec model(int tables) {
        TableSpec table = new TableSpec(10, 2, new Optimizer.Sgd(1), new Initializer(0, 0, 0));
        return new ModelSpec(2, Redundancy.replicated(), Collections.nCopies(tables, table), List.of());
    }

    private static ShardServer server() {
        View view = View.of(List.of("", ""));
        ShardServer server = new ShardServer(
                model(1),
                view.address(0),
                view,
                Timing.DEFAULT,
                RecoveryPace.DEFAULT,
                Optional.of(InitialState.initial(model(1))),
                envelope -> {});
        server.start(0);
        return server;
    }

    private String save(ShardServer server, ModelSpec model) throws InterruptedException {
        return save(server, model, folder.toUri().toString(), new Configuration());
    }

    private static String save(ShardServer server, ModelSpec model, String folder, Configuration hadoop)
            throws InterruptedException {
        LocalSpark.session();
        try (EventLoop loop = new EventLoop("idle", Timing.DEFAULT, own -> new Passive() {})) {
            PartSaver saver = new PartSaver(new Save(1, folder), hadoop, model, 0, server, loop);
            for (int wait = 0; wait < 1200 && saver.failure() == null; wait++) {
                Thread.sleep(50);
            }
            return saver.failure();
        }
    }

    private static ShardServer held() {
        ShardServer server = server();
        Address self = server.view().address(0);
        server.receive(new Envelope(Address.DRIVER, self, server.view().epoch(), new Hold(1, List.of())), 0);
        assertThat(server.isHeld()).isTrue();
        return server;
    }

    @Test
    void writesWhatAHeldServerHas() throws InterruptedException {
        assertThat(save(held(), model(1))).isEmpty();
    }

    @Test
    void saysWhatCannotBeReadOnTheThreadOfTheServer() throws InterruptedException {
        assertThat(save(held(), model(2)))
                .isEqualTo("java.io.IOException: server 0 could not write: Index 1 out of bounds for length 1");
    }

    @Test
    void saysThatUpdatesHaveBegunAgain() throws InterruptedException {
        assertThat(save(server(), model(1)))
                .isEqualTo("java.io.IOException: server 0 could not write: updates have resumed");
    }

    /** As where the client of a file system lacks a class. */
    @Test
    void saysWhichErrorEndedIt() throws Exception {
        Configuration hadoop = new Configuration(false);
        WatchedFiles.watch(hadoop, (what, path) -> {
            throw new NoClassDefFoundError("missing");
        });
        assertThat(save(held(), model(1), "watched:" + folder, hadoop))
                .isEqualTo("java.lang.NoClassDefFoundError: missing");
    }

    /** As where the system has none left. */
    @Test
    void aServerThatGetsNoThreadSaysSo() throws InterruptedException {
        LocalSpark.session();
        try (EventLoop loop = new EventLoop("idle", Timing.DEFAULT, own -> new Passive() {})) {
            PartSaver saver = new PartSaver(
                    new Save(1, folder.toUri().toString()),
                    new Configuration(),
                    model(1),
                    0,
                    held(),
                    loop,
                    task -> new Thread(task) {
                        @Override
                        public void start() {
                            throw new OutOfMemoryError(
                                    "unable to create native thread: thrown on purpose by this test");
                        }
                    });
            assertThat(saver.failure()).startsWith("java.lang.OutOfMemoryError: unable to create native thread");
        }
    }

    /** The server is sound: it was only read. */
    @Test
    void aServerGoesOnThatHasNoMemoryForWhatIsRead() throws Exception {
        LocalSpark.session();
        try (EventLoop loop = new EventLoop("idle", Timing.DEFAULT, own -> new Passive() {})) {
            PartSaver saver = new PartSaver(
                    new Save(1, folder.toUri().toString()), new Configuration(), model(1), 0, held(), loop);
            assertThatThrownBy(() -> saver.read(held -> {
                        throw new OutOfMemoryError("Java heap space");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("server 0 could not write: Java heap space");
            assertThat(loop.<Integer>ask(answer -> answer.complete(1)).get()).isEqualTo(1);
        }
    }

    /** Of a task that was cancelled. Otherwise a thread would keep the file, and the memory of the server. */
    @Test
    void endsWithTheLoopOfItsServer() throws InterruptedException {
        LocalSpark.session();
        EventLoop loop = new EventLoop("idle", Timing.DEFAULT, own -> new Passive() {});
        loop.close();
        PartSaver saver =
                new PartSaver(new Save(1, folder.toUri().toString()), new Configuration(), model(1), 0, held(), loop);
        for (int wait = 0; wait < 1200 && saver.failure() == null; wait++) {
            Thread.sleep(50);
        }
        assertThat(saver.failure())
                .isEqualTo("java.io.IOException: server 0 could not write: idle must not be closed before it has"
                        + " answered: close it after the last call");
    }
}
