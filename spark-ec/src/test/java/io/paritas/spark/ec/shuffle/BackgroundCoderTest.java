/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.LocalSpark;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundCoderTest {
    /** As of a driver with another version. An error of this thread would end the executor. */
    @Test
    void anOrderThatCannotBeReadHasFailed() throws Exception {
        LocalSpark.session();
        ToldDriver driver = new ToldDriver();
        GroupFiles files = new GroupFiles(
                (at, request, memory) -> new CompletableFuture<>(), Duration.ofDays(1), Duration.ofDays(1));
        CodedBlockResolver store = new CodedBlockResolver(driver.conf(), new ConcurrentHashMap<>());
        try (BackgroundCoder coder = new BackgroundCoder(files, 0, driver)) {
            coder.order(RequestId.makeParity(5, 256), new byte[2], store);
            assertThat((Object[]) driver.messages().poll(1, TimeUnit.MINUTES))
                    .startsWith(ShuffleMessage.PARITY_FAILED.name(), 5, 256L);

            coder.order(RequestId.rebuild(5, 1, 1), new byte[2], store);
            assertThat((Object[]) driver.messages().poll(1, TimeUnit.MINUTES))
                    .startsWith(ShuffleMessage.REBUILD_FAILED.name(), 5, 1L);

            store.parity().remove(5); // the shuffle is over
            coder.order(RequestId.makeParity(5, 256), new byte[2], store);
            coder.order(RequestId.rebuild(5, 1, 1), new byte[2], store);
            coder.order(RequestId.makeParity(6, 256), new byte[2], store);
            assertThat((Object[]) driver.messages().poll(1, TimeUnit.MINUTES))
                    .startsWith(ShuffleMessage.PARITY_FAILED.name(), 6, 256L);
        }
    }

    /** Its executor ends, which the driver hears soon: that is no failure of what it was doing. */
    @Test
    void nothingIsToldOnceItIsClosed() throws Exception {
        LocalSpark.session();
        ToldDriver driver = new ToldDriver();
        BlockingQueue<Thread> busy = new LinkedBlockingQueue<>();
        GroupFiles files = new GroupFiles(
                (at, request, memory) -> {
                    busy.add(Thread.currentThread());
                    return new CompletableFuture<>();
                },
                Duration.ofDays(1),
                Duration.ofDays(1));
        CodedBlockResolver store = new CodedBlockResolver(driver.conf(), new ConcurrentHashMap<>());
        Group group = new Group(
                5,
                1,
                CodeName.parse("rs-1-1"),
                List.of(
                        new Group.Unit(7, Executors.executor(1), true, 0),
                        new Group.Unit(256, Executors.executor(2), false, 0)));
        try (BackgroundCoder coder = new BackgroundCoder(files, 0, driver)) {
            coder.order(RequestId.makeParity(5, 256), group.toBytes(), store);
            Thread worker = busy.poll(1, TimeUnit.MINUTES);
            coder.close();
            worker.join();
            assertThat(driver.messages()).isEmpty();
        }
    }
}
