/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Commits in a second of virtual time, when many workers update the same rows: what waits for locks and messages costs, without the
 * processors' part. Five servers; a message takes 1 to 5 ms; a worker pulls, computes for no time, and pushes. The same seed gives the
 * same numbers on every machine. No test: it prints.
 *
 * <pre>{@code
 * ./mvnw -q -pl spark-ec -am test-compile
 * java -cp <test class path of spark-ec> io.paritas.spark.ecrm.simulation.ContentionBenchmark [workers] [seconds]
 * }</pre>
 */
public final class ContentionBenchmark {
    private static final int SERVERS = 5;
    private static final int ROWS = 100_000;
    private static final int ROWS_OF_BATCH = 40;
    private static final Weather WAYS = new Weather(0, 0, 5, 0, 1, 0, 1);

    /** Which rows a batch has. */
    private enum Batches {
        /** Any rows. */
        UNIFORM {
            @Override
            LongStream rows(Random random) {
                return random.longs(0, ROWS);
            }
        },
        /** A row of all batches, and any others. */
        ONE_HOT_ROW {
            @Override
            LongStream rows(Random random) {
                return LongStream.concat(LongStream.of(0), random.longs(1, ROWS));
            }
        },
        /** Half of them are among some twenty rows of different servers, as the frequent values of categories are. */
        SKEWED {
            @Override
            LongStream rows(Random random) {
                return random.doubles().mapToLong(u -> (long) Math.pow(ROWS, u * u) - 1);
            }
        };

        abstract LongStream rows(Random random);
    }

    /** What a worker does, again and again. */
    private static final class Trainer {
        private final Worker worker;
        private final Random random;
        private final Batches batches;
        private List<Pull> pulls = List.of();
        private long[] rows = {};
        private Push push;
        private long commits;
        private long attempts;

        Trainer(Worker worker, Random random, Batches batches) {
            this.worker = worker;
            this.random = random;
            this.batches = batches;
        }

        void proceed(long now) {
            if (push != null && push.isDone()) {
                push.check();
                commits++;
                attempts += push.attempts();
                push = null;
                pulls = List.of();
            }
            if (push == null && pulls.isEmpty()) {
                rows = batches.rows(random).distinct().limit(ROWS_OF_BATCH).toArray();
                pulls = List.of(worker.pullRows(0, rows, now), worker.pullBlocks(new int[] {0}, now));
            } else if (push == null && pulls.stream().allMatch(Pull::isDone)) {
                push = worker.push(
                        List.of(new RowGradients(0, rows, new float[2 * rows.length])),
                        List.of(new BlockGradient(0, new float[3])),
                        List.of(),
                        now,
                        now);
            }
        }
    }

    private final VirtualNetwork network = new VirtualNetwork(1, WAYS);
    private final List<ShardServer> servers = new ArrayList<>();
    private final List<Trainer> trainers = new ArrayList<>();

    private ContentionBenchmark(Redundancy redundancy, int workers, Batches batches) {
        Initializer initial = new Initializer(1, -1, 1);
        ModelSpec model = new ModelSpec(
                SERVERS,
                redundancy,
                List.of(new TableSpec(ROWS, 2, new Optimizer.Adagrad(0.1f, 1e-6f), initial)),
                List.of(new BlockSpec(3, new Optimizer.Sgd(0.1f), initial)));
        View view = View.of(Collections.nCopies(SERVERS, ""));
        for (int server = 0; server < SERVERS; server++) {
            servers.add(new ShardServer(
                    model,
                    view.address(server),
                    view,
                    Timing.DEFAULT,
                    RecoveryPace.DEFAULT,
                    Optional.of(InitialState.initial(model)),
                    network::send));
        }
        for (int worker = 0; worker < workers; worker++) {
            trainers.add(new Trainer(
                    new Worker(model, worker, view, Timing.DEFAULT, network::send), new Random(worker), batches));
        }
    }

    private void receive(Envelope envelope) {
        Address to = envelope.to();
        if (to.isServer()) {
            servers.get(to.id()).receive(envelope, network.now());
        } else if (!to.equals(Address.DRIVER)) {
            trainers.get(to.id()).worker.receive(envelope, network.now());
            trainers.get(to.id()).proceed(network.now());
        }
    }

    private void tick() {
        servers.forEach(server -> server.tick(network.now()));
        trainers.forEach(trainer -> {
            trainer.worker.tick(network.now());
            trainer.proceed(network.now());
        });
        network.after(1, this::tick);
    }

    private void run(int seconds) {
        tick();
        while (network.now() < 1000L * seconds) {
            network.step(this::receive);
        }
    }

    private long commits() {
        return trainers.stream().mapToLong(trainer -> trainer.commits).sum();
    }

    private double attempts() {
        return (double) trainers.stream().mapToLong(trainer -> trainer.attempts).sum() / commits();
    }

    /** @param arguments number of workers (15), and of seconds (20) */
    public static void main(String[] arguments) {
        int workers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 15;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
        Map<String, Redundancy> all = new LinkedHashMap<>();
        all.put("none", Redundancy.none());
        all.put("k = 4, one phase", Redundancy.coded(4).onePhase());
        all.put("k = 4", Redundancy.coded(4));
        all.put("k = 3, two parities", Redundancy.coded(3, 2));
        System.out.printf("%d workers, %d s of virtual time%n%-22s", workers, seconds, "commits/s (attempts)");
        for (Batches batches : Batches.values()) {
            System.out.printf(" %18s", batches.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        System.out.println();
        all.forEach((name, redundancy) -> {
            System.out.printf("%-22s", name);
            IntStream.range(0, Batches.values().length).forEach(batches -> {
                ContentionBenchmark one = new ContentionBenchmark(redundancy, workers, Batches.values()[batches]);
                one.run(seconds);
                System.out.printf(Locale.ROOT, " %10d (%5.2f)", one.commits() / seconds, one.attempts());
            });
            System.out.println();
        });
    }
}
