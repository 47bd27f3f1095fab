/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plays random schedules: tasks that do what they are told, hang, fail, are killed and tried again, and lose their blocks. */
class LedgerSchedulesTest {
    private static final int SCHEDULES = 1500;
    private static final int STEPS = 4000;

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,2", "4,1", "4,2"})
    void lateSegmentsAreReconstructed(int k, int r) {
        for (int seed = 0; seed < SCHEDULES; seed++) {
            Random random = new Random(seed);
            Stage stage = new Stage(k, r, 0, random);
            stage.hang(random.nextInt(r + 1));
            stage.runToTheEnd("k = %d, r = %d, seed %d".formatted(k, r, seed));
            assertThat(stage.givenUp).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,2", "4,2"})
    void failuresAndLostBlocksAreComputedAgain(int k, int r) {
        for (int seed = 0; seed < SCHEDULES; seed++) {
            Stage stage = new Stage(k, r, 0, new Random(seed));
            stage.failures = 10;
            stage.losses = 5;
            stage.again = 10;
            stage.runToTheEnd("k = %d, r = %d, seed %d".formatted(k, r, seed));
            assertThat(stage.givenUp).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,2", "4,2"})
    void theDeadlineEndsEverySchedule(int k, int r) {
        for (int seed = 0; seed < SCHEDULES; seed++) {
            Random random = new Random(seed);
            Stage stage = new Stage(k, r, 1 + random.nextInt(300), random);
            stage.failures = 3;
            stage.losses = 3;
            stage.hang(random.nextInt(k + r + 1));
            stage.runToTheEnd("k = %d, r = %d, seed %d".formatted(k, r, seed));
        }
    }

    /** An attempt: what it was told, and the parity that it is at once its data is in. */
    private static final class Attempt {
        private final int segment;
        private final long task;
        private final boolean hangs;
        private Instruction instruction;
        private boolean delivered;
        private Help next = Help.End.NONE;

        Attempt(int segment, long task, boolean hangs) {
            this.segment = segment;
            this.task = task;
            this.hangs = hangs;
        }
    }

    /** What happens, and what is expected of it. Knows of a segment what the ledger was told, and which blocks there are. */
    private static final class Stage {
        private final int k;
        private final int r;
        private final int n;
        private final long deadline;
        private final Random random;
        private final Ledger ledger;
        private final Map<Long, Attempt> running = new HashMap<>();
        private final Set<Integer> hanging = new HashSet<>();
        private final Set<Integer> givenUp = new HashSet<>();
        private final Set<Integer> repeated = new HashSet<>();
        /* What the ledger was told. */
        private final int[] levels;
        private final boolean[] satisfied;
        private final int[] starts;
        /* What there is: as levels, and reconstructions. */
        private final int[] blocks;
        private final boolean[] reconstructed;
        private final Mode[] delivered;
        private final boolean[] done;
        private int failures;
        private int losses;
        private int again;
        private long now = 1;
        private long tasks = 100;
        private String name = "";
        /* Whether tasks of others wait for slots. */
        private final boolean saturated;

        Stage(int k, int r, long deadline, Random random) {
            this.k = k;
            this.r = r;
            this.n = k + r;
            this.deadline = deadline;
            this.random = random;
            this.saturated = random.nextBoolean();
            this.ledger =
                    new Ledger(new Layout(k, r, n, Placement.ROTATED, 1), new Ledger.Policy(1.5, 0, deadline), 7, now);
            levels = new int[n];
            satisfied = new boolean[n];
            starts = new int[n];
            blocks = new int[n];
            reconstructed = new boolean[n];
            delivered = new Mode[n];
            done = new boolean[n];
        }

        /** The first attempts of some segments never end. */
        void hang(int segments) {
            while (hanging.size() < segments) {
                hanging.add(random.nextInt(n));
            }
        }

        void runToTheEnd(String name) {
            this.name = name;
            for (int step = 0; step < STEPS; step++) {
                if (over()) {
                    return;
                }
                step();
            }
            throw new AssertionError(name + ": no end after " + STEPS + " steps, levels " + Arrays.toString(levels));
        }

        private boolean over() {
            for (boolean each : done) {
                if (!each) {
                    return false;
                }
            }
            return running.isEmpty() && again == 0;
        }

        private boolean expired() {
            return deadline > 0 && now >= 1 + deadline;
        }

        private void step() {
            now += 1 + random.nextInt(10);
            kill();
            int segment = random.nextInt(n);
            List<Attempt> attempts =
                    running.values().stream().filter(a -> a.segment == segment).toList();
            if (attempts.isEmpty()) {
                if (!done[segment]) {
                    start(segment);
                } else if (again > 0) {
                    again--;
                    start(segment);
                }
            } else if (attempts.size() == 1 && random.nextInt(20) == 0) {
                start(segment);
            } else {
                Attempt attempt = attempts.get(random.nextInt(attempts.size()));
                if (failures > 0 && random.nextInt(5) == 0) {
                    failures--;
                    end(attempt, false);
                } else if (!attempt.hangs) {
                    proceed(attempt);
                }
            }
            if (losses > 0 && random.nextInt(20) == 0) {
                losses--;
                int loser = random.nextInt(n);
                blocks[loser] = 0;
                reconstructed[loser] = false;
            }
        }

        private void start(int segment) {
            Attempt attempt = new Attempt(segment, tasks++, starts[segment] == 0 && hanging.contains(segment));
            running.put(attempt.task, attempt);
            starts[segment]++;
            satisfied[segment] = false;
            attempt.instruction = ledger.start(segment, attempt.task, now);
            if (starts[segment] == 1 && !expired()) {
                assertThat(attempt.instruction.mode())
                        .as("%s: a first attempt", name)
                        .isEqualTo(levels[segment] > 0 ? Mode.FETCH_COMPUTED : Mode.COMPUTE);
            }
            check(attempt);
        }

        private void check(Attempt attempt) {
            Instruction told = attempt.instruction;
            assertThat(told.blocks()).isEqualTo(7);
            switch (told.mode()) {
                case DECODE -> {
                    assertThat(told.sources()).isEqualTo(sources());
                    assertThat(told.lost()).isEqualTo(n - Integer.bitCount(sources()));
                    assertThat(levels[attempt.segment])
                            .as("%s: its own level", name)
                            .isZero();
                    assertThat(Groups.decodable(k, r, levels, told.lost()))
                            .as(name)
                            .isTrue();
                }
                case FETCH_COMPUTED ->
                    assertThat(levels[attempt.segment]).as(name).isPositive();
                case GIVE_UP -> {
                    assertThat(expired()).as(name).isTrue();
                    givenUp.add(attempt.segment);
                }
                case COMPUTE -> assertThat(levels[attempt.segment]).as(name).isZero();
                case FETCH_DECODED -> {}
            }
            if (delivered[attempt.segment] != null) {
                assertThat(told.mode())
                        .as("%s: what was delivered first is delivered again", name)
                        .isEqualTo(delivered[attempt.segment]);
            }
        }

        private int sources() {
            int sources = 0;
            for (int place = 0; place < n; place++) {
                sources |= levels[place] > 0 ? 1 << place : 0;
            }
            return sources;
        }

        private void proceed(Attempt attempt) {
            int segment = attempt.segment;
            if (attempt.delivered) {
                goOn(attempt);
                return;
            }
            switch (attempt.instruction.mode()) {
                case COMPUTE -> {
                    blocks[segment] = Math.max(blocks[segment], 1);
                    computed(attempt);
                }
                case FETCH_COMPUTED -> {
                    if (blocks[segment] == 0) {
                        lost(attempt, segment);
                    } else {
                        computed(attempt);
                    }
                }
                case DECODE -> decode(attempt);
                case FETCH_DECODED -> {
                    if (reconstructed[segment]) {
                        decoded(attempt);
                    } else {
                        lost(attempt, segment);
                    }
                }
                case GIVE_UP -> end(attempt, true);
            }
        }

        private void computed(Attempt attempt) {
            levels[attempt.segment] = Math.max(levels[attempt.segment], 1);
            satisfied[attempt.segment] = true;
            pin(attempt.segment, Mode.FETCH_COMPUTED);
            attempt.delivered = true;
            next(attempt, ledger.computed(attempt.segment, attempt.task, others(), now));
        }

        private Others others() {
            return new Others(
                    saturated,
                    (int) Arrays.stream(starts).filter(count -> count == 0).count(),
                    random.nextBoolean());
        }

        private void goOn(Attempt attempt) {
            if (attempt.next instanceof Help.Work work && random.nextBoolean()) {
                int of = work.segment();
                int level = 1 + work.parities();
                boolean counts = work instanceof Help.Data;
                blocks[of] = blocks[of] > 0 || counts ? Math.max(blocks[of], level) : 0;
                levels[of] = levels[of] > 0 || counts ? Math.max(levels[of], level) : 0;
                ledger.parity(of, work.parities(), attempt.task, now);
            }
            next(attempt, ledger.help(attempt.segment, attempt.task, others(), now));
        }

        private void next(Attempt attempt, Help next) {
            attempt.next = next;
            boolean complete = true;
            for (boolean each : satisfied) {
                complete &= each;
            }
            if (complete) {
                assertThat(next).as("%s: all have what they need", name).isEqualTo(Help.End.NONE);
            }
            if (saturated) {
                assertThat(next).as("%s: others want the slot", name).isNotEqualTo(new Help.Wait());
            }
            if (next instanceof Help.Data data) {
                assertThat(starts[data.segment()])
                        .as("%s: others started it", name)
                        .isZero();
                assertThat(levels[data.segment()]).as("%s: it is there", name).isZero();
                assertThat(saturated)
                        .as("%s: others are about to start it", name)
                        .isFalse();
            } else if (next instanceof Help.Parity parity) {
                int lost = n - Integer.bitCount(sources());
                assertThat(parity.number())
                        .as("%s: %d are lost", name, lost)
                        .isEqualTo(levels[parity.segment()] - 1)
                        .isBetween(0, Math.min(r, lost) - 1);
            }
            if (next.equals(Help.End.NONE)) {
                end(attempt, true);
            }
        }

        private void decode(Attempt attempt) {
            Instruction told = attempt.instruction;
            for (int place = 0; place < n; place++) {
                if ((told.sources() >> place & 1) == 1 && blocks[place] <= told.lost()) {
                    lost(attempt, place);
                    return;
                }
            }
            reconstructed[attempt.segment] = true;
            decoded(attempt);
        }

        private void decoded(Attempt attempt) {
            satisfied[attempt.segment] = true;
            if (levels[attempt.segment] == 0) {
                pin(attempt.segment, Mode.FETCH_DECODED);
            }
            ledger.decoded(attempt.segment, attempt.task);
            end(attempt, true);
        }

        private void pin(int segment, Mode mode) {
            delivered[segment] = delivered[segment] == null ? mode : delivered[segment];
        }

        private void lost(Attempt attempt, int place) {
            if (place == attempt.segment && delivered[place] == Mode.FETCH_DECODED) {
                delivered[place] = levels[place] > 0 ? Mode.FETCH_COMPUTED : null;
            } else {
                levels[place] = 0;
                delivered[place] = delivered[place] == Mode.FETCH_DECODED ? Mode.FETCH_DECODED : null;
            }
            attempt.instruction = ledger.lost(attempt.segment, attempt.task, place, now);
            check(attempt);
        }

        private void end(Attempt attempt, boolean succeeded) {
            running.remove(attempt.task);
            satisfied[attempt.segment] |= succeeded;
            done[attempt.segment] |= succeeded;
            List<Attempt> others = running.values().stream()
                    .filter(other -> other.segment == attempt.segment)
                    .toList();
            if (succeeded) { // Spark kills the others
                ledger.succeeded(attempt.segment, attempt.task);
                others.forEach(this::killed);
            } else {
                ledger.failed(attempt.segment, attempt.task);
                if (others.stream().noneMatch(other -> other.delivered)) {
                    satisfied[attempt.segment] &= !attempt.delivered;
                } else {
                    satisfied[attempt.segment] |= others.stream().allMatch(other -> other.delivered);
                }
            }
        }

        /** Whether it has delivered does not count any more. */
        private void killed(Attempt attempt) {
            attempt.delivered = false;
            end(attempt, false);
        }

        private void kill() {
            List<Long> late = new ArrayList<>(ledger.overdue(random.nextInt(n), now));
            assertThat(late).doesNotHaveDuplicates();
            List<Attempt> killed = new ArrayList<>();
            for (long task : late) {
                Attempt attempt = running.get(task);
                assertThat(attempt).as("%s: it runs", name).isNotNull();
                assertThat(attempt.instruction.mode()).as(name).isEqualTo(Mode.COMPUTE);
                boolean everybodyHasEverything =
                        IntStream.range(0, n).allMatch(segment -> starts[segment] == 0 || satisfied[segment]);
                boolean isKept = levels[attempt.segment] > 0 || delivered[attempt.segment] == Mode.FETCH_DECODED;
                assertThat(satisfied[attempt.segment])
                        .as("%s: or it computes a parity for nobody", name)
                        .isEqualTo(everybodyHasEverything);
                assertThat(expired() || everybodyHasEverything || isKept || Groups.decodable(k, r, levels, r))
                        .as(name)
                        .isTrue();
                killed.add(attempt);
            }
            Set<Integer> taken = new HashSet<>();
            for (long task : ledger.repeated(random.nextInt(n), now)) {
                Attempt attempt = running.get(task);
                assertThat(attempt).as("%s: it runs", name).isNotNull();
                assertThat(satisfied[attempt.segment]).as(name).isFalse();
                taken.add(attempt.segment);
                killed.add(attempt);
            }
            assertThat(Collections.disjoint(repeated, taken))
                    .as("%s: each once", name)
                    .isTrue();
            repeated.addAll(taken);
            assertThat(ledger.overdue(0, now)).isEmpty();
            assertThat(ledger.repeated(0, now)).isEmpty();
            long due = ledger.dueIn(0, now);
            if (due >= 0 && deadline == 0) {
                assertThat(ledger.overdue(0, now + due - 1))
                        .as("%s: not yet", name)
                        .isEmpty();
                assertThat(ledger.repeated(0, now + due - 1))
                        .as("%s: not yet", name)
                        .isEmpty();
            }
            killed.forEach(this::killed);
        }
    }
}
