/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private final EventQueue queue = new EventQueue(100);
    private final List<String> done = new ArrayList<>();

    private boolean offer(String name, long bytes) {
        return queue.offer(() -> done.add(name), bytes);
    }

    @Test
    void messagesAreDroppedBeyondTheirBytes() throws InterruptedException {
        assertThat(offer("a", 60)).isTrue();
        assertThat(offer("b", 40)).isTrue();
        assertThat(offer("c", 1)).isFalse();
        assertThat(offer("the end of a connection", 0)).isTrue();
        assertThat(queue.bytes()).isEqualTo(100);

        assertThat(queue.run(0)).isTrue();
        assertThat(queue.bytes()).isEqualTo(40);
        assertThat(offer("d", 61)).isFalse();
        assertThat(offer("e", 60)).isTrue();
        while (queue.run(0)) {
            assertThat(queue.bytes()).isLessThanOrEqualTo(100);
        }
        assertThat(done).containsExactly("a", "b", "the end of a connection", "e");
        assertThat(queue.bytes()).isZero();
    }

    /** Else it would never arrive. */
    @Test
    void aLongMessageWaitsAlone() throws InterruptedException {
        assertThat(offer("short", 1)).isTrue();
        assertThat(offer("long", 101)).isFalse();
        assertThat(queue.run(0)).isTrue();
        assertThat(offer("long", 101)).isTrue();
        assertThat(offer("short", 1)).isFalse();
        assertThat(queue.run(0)).isTrue();
        assertThat(offer("short", 1)).isTrue();
    }

    @Test
    void bytesOfAMessageThatFailsAreFreeAgain() {
        queue.offer(
                () -> {
                    throw new IllegalStateException("broken");
                },
                100);
        assertThatThrownBy(() -> queue.run(0)).hasMessage("broken");
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void thereIsABoundOfTheNumberToo() {
        int count = 0;
        while (offer("", 0)) {
            count++;
        }
        assertThat(count).isEqualTo(100_000);
    }
}
