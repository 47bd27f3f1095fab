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

/** A network that carries messages as bytes, and a clock. Losses, duplicates and delays depend on the seed alone. */
final class VirtualNetwork {
    /**
     * How bad the network is.
     *
     * @param lost share of messages that are lost
     * @param doubled share of messages that arrive twice
     * @param longest delay of a message in milliseconds
     * @param late share of messages that arrive when what they are about may be over
     * @param latest delay of such a message in milliseconds
     * @param cut share of messages after which the way from sender to receiver is cut for some time
     * @param outage longest cut in milliseconds
     */
    record Weather(double lost, double doubled, int longest, double late, int latest, double cut, int outage) {
        /** All messages arrive, in order. */
        static final Weather FAIR = new Weather(0, 0, 1, 0, 1, 0, 1);

        static final Weather STORM = new Weather(0.1, 0.1, 12, 0, 1, 0, 1);

        /** Ways are cut for longer than it takes to replace a server or to give a worker up. */
        static final Weather CUTS = new Weather(0.02, 0.05, 5, 0, 1, 0.02, 400);

        /** Messages arrive that everybody has long done without. */
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
    private long digest;

    VirtualNetwork(long seed, Weather weather) {
        this.random = new Random(seed);
        this.weather = weather;
    }

    /** Takes messages that arrive. */
    interface Receiver {
        void receive(Envelope envelope);
    }

    long now() {
        return now;
    }

    /** Number of messages delivered so far. */
    long delivered() {
        return delivered;
    }

    /** A number that depends on all messages delivered so far, and on their times. */
    long digest() {
        return digest;
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

    /** Loses these messages from now on. */
    void drop(Predicate<Envelope> which) {
        dropped = which;
    }

    void after(long delay, Runnable alarm) {
        events.add(new Event(now + delay, numbers++, null, alarm));
    }

    /** Runs the next event. */
    void step(Receiver receiver) {
        Event event = events.remove();
        now = event.time();
        if (event.alarm() != null) {
            event.alarm().run();
        } else {
            delivered++;
            digest = 31 * (31 * digest + now) + event.message().hashCode();
            receiver.receive(Codec.decode(event.message()));
        }
    }
}
