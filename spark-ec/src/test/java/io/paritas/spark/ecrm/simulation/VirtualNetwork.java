/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** Messages as bytes on their way, and a clock. What is lost, doubled and late follows from the seed. */
final class VirtualNetwork {
    /** How bad it is: shares of messages that are lost and doubled, and the longest way. */
    record Weather(double lost, double doubled, int longest) {
        /** All messages come, in their order. */
        static final Weather FAIR = new Weather(0, 0, 1);

        static final Weather STORM = new Weather(0.1, 0.1, 12);
    }

    private record Event(long time, long number, ByteBuffer message, Runnable alarm) {}

    private final Random random;
    private final Weather weather;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
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
        int copies = random.nextDouble() < weather.lost() ? 0 : random.nextDouble() < weather.doubled() ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            long delay = 1L + random.nextInt(weather.longest());
            events.add(new Event(now + delay, numbers++, Codec.encode(envelope), null));
        }
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
