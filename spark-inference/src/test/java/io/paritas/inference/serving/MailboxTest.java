/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events one after the other, whoever posts them, and nobody waits. */
@Timeout(60)
class MailboxTest {
    private static final int THREADS = 8;
    private static final int EVENTS = 20_000;

    private int handled; // not safe for threads: the mailbox has to see to that

    @Test
    void noEventIsLostAndNoTwoRunAtATime() throws InterruptedException {
        Mailbox mailbox = new Mailbox("test", () -> {});
        AtomicInteger effects = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int event = 0; event < EVENTS; event++) {
                    mailbox.post(now -> {
                        handled++;
                        mailbox.effect(effects::incrementAndGet);
                    });
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(mailbox.<Integer>ask(() -> handled)).isEqualTo(THREADS * EVENTS);
        assertThat(effects).hasValue(THREADS * EVENTS);
    }

    /** A lock would make it wait. */
    @Test
    void nobodyWaitsForAThreadThatStandsStill() throws InterruptedException {
        Mailbox mailbox = new Mailbox("test", () -> {});
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread slow = new Thread(() -> mailbox.post(now -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        slow.start();
        begun.await();

        mailbox.post(now -> handled++);
        assertThat(handled).isZero();
        goOn.countDown();
        slow.join(TimeUnit.SECONDS.toMillis(30));

        assertThat(mailbox.<Integer>ask(() -> handled)).isOne();
    }

    @Test
    void eventsOfEventsAndEffectsRunInTheirOrder() {
        List<String> order = new ArrayList<>();
        Mailbox mailbox = new Mailbox("test", () -> order.add("settle"));

        mailbox.post(now -> {
            order.add("first");
            mailbox.effect(() -> order.add("effect"));
            mailbox.post(later -> order.add("second"));
        });

        assertThat(order).containsExactly("first", "second", "settle", "effect");
    }

    /** As an instance does that answers at once: the stack would not take it. */
    @Test
    void anEffectMayLeadToTheNextEventAgainAndAgain() {
        Mailbox mailbox = new Mailbox("test", () -> {});

        postUntil(mailbox, 100_000);

        assertThat(handled).isEqualTo(100_000);
    }

    private void postUntil(Mailbox mailbox, int last) {
        mailbox.post(now -> {
            handled++;
            if (handled < last) {
                mailbox.effect(() -> postUntil(mailbox, last));
            }
        });
    }

    /** As where others ask and withdraw all the time: its own caller and its effects would wait for ever. */
    @Test
    void effectsDoNotWaitForTheEndOfAllEvents() {
        Mailbox mailbox = new Mailbox("test", () -> {});
        AtomicInteger effects = new AtomicInteger();

        mailbox.post(now -> mailbox.effect(effects::incrementAndGet));
        postUntilEffect(mailbox, effects, 1_000_000);

        assertThat(effects).hasValue(2);
        assertThat(handled).as("events before the effect").isLessThan(1_000_000);
    }

    private void postUntilEffect(Mailbox mailbox, AtomicInteger effects, int last) {
        mailbox.post(now -> {
            if (handled++ == 0) {
                mailbox.effect(effects::incrementAndGet);
            }
            if (effects.get() < 2 && handled < last) {
                postUntilEffect(mailbox, effects, last);
            }
        });
    }

    @Test
    void eventsAndEffectsAreHandledAfterAFaultThatCannotBeLogged() {
        Mailbox mailbox = new Mailbox("test", () -> {});
        AtomicInteger effects = new AtomicInteger();
        try (FullLog log = new FullLog(Mailbox.class)) {
            assertThat(log.isStarted()).isTrue();
            mailbox.post(now -> {
                mailbox.effect(effects::incrementAndGet);
                throw new OutOfMemoryError("thrown on purpose by an event");
            });
        }
        assertThat(effects).hasValue(1);
        mailbox.post(now -> handled++);
        assertThat(handled).isOne();
    }

    @Test
    void faultsOfEventsAndEffectsAreTheirOwn() {
        Mailbox mailbox = new Mailbox("test", () -> {});

        mailbox.post(now -> {
            mailbox.effect(() -> {
                throw new IllegalStateException("an effect");
            });
            mailbox.effect(() -> handled++);
            throw new AssertionError("an event");
        });

        assertThat(mailbox.<Integer>ask(() -> handled)).isOne();
        assertThatThrownBy(() -> mailbox.ask(() -> {
                    throw new IllegalStateException("a question");
                }))
                .hasRootCauseMessage("a question");
    }
}
