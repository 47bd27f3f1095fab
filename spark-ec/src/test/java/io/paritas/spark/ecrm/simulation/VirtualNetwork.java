/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Predicate;

/** Messages as bytes on their way, and a clock. What is lost, doubled and late follows from the seed. */
final class VirtualNetwork {
    /**
     * How bad it is.
     *
     * @param lost share of messages
     * @param doubled share of messages
     * @param longest way of a message, if not shortest
     * @param late share of messages that come when all that they were about may be over
     * @param latest way of such a message
     * @param cut share of messages that are the last for some time on the way from its sender to its receiver
     * @param outage the longest such time
     */
    record Weather(double lost, double doubled, int longest, double late, int latest, double cut, int outage) {
        /** All messages come, in their order. */
        static final Weather FAIR = new Weather(0, 0, 1, 0, 1, 0, 1);

        static final Weather STORM = new Weather(0.1, 0.1, 12, 0, 1, 0, 1);

        /** Ways are cut for longer than it takes to replace a server, or to give a worker up. */
        static final Weather CUTS = new Weather(0.02, 0.05, 5, 0, 1, 0.02, 400);

        /** Messages come that everybody has done without for long. */
        static final Weather ECHOES = new Weather(0, 0.3, 3, 0.15, 300, 0, 1);
    }

    private record Way(Address from, Address to) {}

    private record Event(long time, long number, ByteBuffer message, Runnable alarm) {}

    private final Random random;
    private final Weather weather;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    private final Map<Way, Long> cuts = new HashMap<>();
    private Predicate<Envelope> dropped = envelope -> false;
    private long now;
    private long numbers;
    private long delivered;

    VirtualNetwork(long seed, Weather weather) {
        this.random = new Random(seed);
        this.weather = weather;
    }

    /** Something that receives. */
    interface Receiver {
        void receive(Envelope envelope);
    }

    long now() {
        return now;
    }

    /** Messages that have come so far. */
    long delivered() {
        return delivered;
    }

    void send(Envelope envelope) {
        Way way = new Way(envelope.from(), envelope.to());
        if (dropped.test(envelope)) {
            return;
        }
        if (cuts.getOrDefault(way, 0L) > now) {
            return;
        }
        if (random.nextDouble() < weather.cut()) {
            cuts.put(way, now + random.nextInt(weather.outage()));
        }
        int copies = random.nextDouble() < weather.lost() ? 0 : random.nextDouble() < weather.doubled() ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            boolean late = weather.late() > 0 && random.nextDouble() < weather.late();
            long delay = 1L + random.nextInt(late ? weather.latest() : weather.longest());
            events.add(new Event(now + delay, numbers++, Codec.encode(envelope), null));
        }
    }

    /** From now on, these messages are lost. */
    void drop(Predicate<Envelope> which) {
        dropped = which;
    }

    void after(long delay, Runnable alarm) {
        events.add(new Event(now + delay, numbers++, null, alarm));
    }

    /** The next thing that happens. */
    void step(Receiver receiver) {
        Event event = events.remove();
        now = event.time();
        if (event.alarm() != null) {
            event.alarm().run();
        } else {
            delivered++;
            receiver.receive(Codec.decode(event.message()));
        }
    }
}
