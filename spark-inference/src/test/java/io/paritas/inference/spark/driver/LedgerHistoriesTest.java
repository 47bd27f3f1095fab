/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plays whole queries on a small cluster in all kinds of trouble, with a scheduler like Spark's, messages that take their time, and blocks
 * that are where they were kept. Expects what a user relies on, whatever a ledger decides: every segment is answered at last, as it was
 * before; who hangs is taken over as soon as its rows can be had; and nothing is looked for that was never kept.
 *
 * <p>Each history has its number as its seed. One of them again: {@code ./mvnw -pl spark-inference -am test
 * -Dtest=LedgerHistoriesTest -Dsurefire.failIfNoSpecifiedTests=false -Dio.paritas.test.ledgerHistories.first=17
 * -Dio.paritas.test.ledgerHistories=1}; with more histories, {@code -Dio.paritas.test.ledgerHistories=100000}.
 */
class LedgerHistoriesTest {
    private static final int FIRST = Integer.getInteger("io.paritas.test.ledgerHistories.first", 0);
    private static final int HISTORIES = Integer.getInteger("io.paritas.test.ledgerHistories", 4000);

    private enum Trouble {
        /** First attempts hang; as many of a stripe as it has parities. */
        HANGS,
        /** Attempts fail, before or after they have delivered their rows. */
        FAILURES,
        /** Tasks start when others are about to end. */
        LATE_STARTS,
        /** The last segments are never asked for. */
        LIMIT,
        /** Some segments have no rows. */
        EMPTY_SEGMENTS,
        /** Spark's speculation starts copies. */
        COPIES,
        /** Executors die with their tasks and blocks, and outputs of tasks get lost. */
        CRASHES,
        /** That an attempt has ended is heard late or not at all. */
        LOST_ENDS,
        /** Tasks hang while they compute parity for others; a slot is left to those that do not. */
        FROZEN_HELPERS,
        /** Other queries want the slots, now and then or always. */
        OTHER_QUERIES
    }

    @Test
    void everySegmentIsAnsweredAtLast() {
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            new History(seed).play();
        }
    }

    /** Rare ones: all that anybody predicts is predicted for others, or some of it arrives when another one is about to be decoded. */
    @ParameterizedTest
    @ValueSource(ints = {45_860, 68_315, 57_157})
    void everySegmentIsAnsweredAtLastInRareHistories(int seed) {
        new History(seed).play();
    }

    /** What happens at a time. Of two at the same time, the one that was planned first is first. */
    private record Event(long at, int number, Runnable what) {
        static final Comparator<Event> ORDER =
                Comparator.comparingLong(Event::at).thenComparingInt(Event::number);
    }

    /** A task's attempt at a segment. */
    private static final class Attempt {
        private final int segment;
        private final long task;
        private final int executor;
        private final boolean hangs;
        private Mode mode;
        private String rows;
        private boolean isFrozen;
        private long heardAt;

        Attempt(int segment, long task, int executor, boolean hangs) {
            this.segment = segment;
            this.task = task;
            this.executor = executor;
            this.hangs = hangs;
        }

        @Override
        public String toString() {
            return "task " + task + " of segment " + segment + " on executor " + executor;
        }
    }

    private static final class History {
        private static final long MILLISECOND = 1_000_000;
        private static final int EVENTS = 20_000;

        private final String name;
        private final Random random;
        private final Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        private final Layout layout;
        private final Ledger ledger;
        private final PriorityQueue<Event> events = new PriorityQueue<>(Event.ORDER);
        private final List<String> story = new ArrayList<>();
        private long now = 1;
        private int planned;

        /* The cluster. */
        private final int slots;
        private final int othersComeEach;
        private final List<Integer> executors = new ArrayList<>();
        private final Queue<Integer> waiting = new ArrayDeque<>();
        private final List<Attempt> running = new ArrayList<>();
        private final Map<String, Integer> blocks = new HashMap<>();
        private long tasks = 100;

        /* The query. */
        private final int wanted;
        private final Set<Integer> hanging = new HashSet<>();
        private final Set<Integer> empty = new HashSet<>();
        private final Set<Integer> begun = new HashSet<>();
        private final Set<Integer> answered = new HashSet<>();
        private final Map<Integer, String> firstRows = new HashMap<>();
        private final Set<Integer> rowsAreThere = new HashSet<>();

        History(int seed) {
            random = new Random(seed);
            for (Trouble trouble : Trouble.values()) {
                if (random.nextInt(3) == 0) {
                    troubles.add(trouble);
                }
            }
            // A copy whose end nobody hears of is waited for, and one hides that the other stays.
            if (troubles.contains(Trouble.COPIES)) {
                troubles.removeAll(EnumSet.of(Trouble.CRASHES, Trouble.LOST_ENDS, Trouble.FROZEN_HELPERS));
            }
            int k = 2 + random.nextInt(3);
            int r = 1 + random.nextInt(2);
            Placement placement = random.nextBoolean() ? Placement.ROTATED : Placement.SEPARATE;
            layout = new Layout(k, r, (k + r) * (1 + random.nextInt(3)), placement, random.nextInt(4) == 0 ? 0.5 : 1);
            ParityStart parity = random.nextBoolean() ? ParityStart.LATE : ParityStart.IDLE;
            long grace = (random.nextBoolean() ? 25 : 500) * MILLISECOND;
            ledger = new Ledger(layout, new Ledger.Policy(1 + random.nextInt(3), grace, 0, parity), 7, now);
            wanted = layout.segments() - (troubles.contains(Trouble.LIMIT) ? random.nextInt(layout.segments()) : 0);
            name = "seed %d, %s, %d segments wanted, parity %s, %s".formatted(seed, layout, wanted, parity, troubles);
            if (troubles.contains(Trouble.HANGS)) {
                hang();
            }
            othersComeEach = 1 + random.nextInt(3);
            slots = hanging.size() + layout.n() + random.nextInt(layout.segments());
            IntStream.range(0, 3).forEach(executors::add);
        }

        /** Segment 0 never hangs and has rows: somebody has to be in time for others to be late. */
        private void hang() {
            for (int stripe = 0; stripe < layout.stripes(); stripe++) {
                for (int one = random.nextInt(layout.r() + 1); one > 0 && layout.coded(stripe); one--) {
                    int segment = stripe * layout.n() + random.nextInt(layout.n());
                    if (segment > 0 && layout.hasData(layout.placeOf(segment))) {
                        hanging.add(segment);
                    }
                }
            }
        }

        void play() {
            int spread = troubles.contains(Trouble.LATE_STARTS) ? 300 : 10;
            for (int segment = 0; segment < wanted; segment++) {
                int each = segment;
                if (troubles.contains(Trouble.EMPTY_SEGMENTS) && segment > 0 && random.nextInt(3) == 0) {
                    empty.add(segment);
                }
                after(upTo(spread), () -> queue(each));
            }
            some(Trouble.COPIES, this::copy);
            some(Trouble.CRASHES, this::crash);
            for (int event = 0; event < EVENTS && !events.isEmpty(); event++) {
                Event next = events.remove();
                now = next.at();
                next.what().run();
            }
            checkEnd();
        }

        private void some(Trouble trouble, Runnable what) {
            for (int one = 0; one < 3 && troubles.contains(trouble); one++) {
                after(upTo(500), what);
            }
        }

        private void tell(String what) {
            story.add(now / MILLISECOND + " ms: " + what);
        }

        private int upTo(int milliseconds) {
            return 1 + random.nextInt(milliseconds);
        }

        private boolean happens(Trouble trouble, int oneOf) {
            return troubles.contains(trouble) && random.nextInt(oneOf) == 0;
        }

        private void at(long time, Runnable what) {
            events.add(new Event(time, planned++, what));
        }

        private void after(long milliseconds, Runnable what) {
            at(now + milliseconds * MILLISECOND, what);
        }

        private void after(Attempt attempt, int milliseconds, Runnable what) {
            after(milliseconds, () -> {
                if (running.contains(attempt)) {
                    what.run();
                }
            });
        }

        @Override
        public String toString() {
            return name + "\n" + String.join("\n", story) + "\n";
        }

        /* Spark: slots, copies and executors. */

        private void queue(int segment) {
            waiting.add(segment);
            schedule();
        }

        private void schedule() {
            while (!waiting.isEmpty() && running.size() < slots) {
                start(waiting.remove());
            }
        }

        private void start(int segment) {
            int executor = executors.get(random.nextInt(executors.size()));
            Attempt attempt = new Attempt(segment, tasks++, executor, hanging.remove(segment));
            running.add(attempt);
            tell(attempt + " starts");
            ask(
                    attempt,
                    () -> {
                        begun.add(segment);
                        return told(attempt, ledger.start(segment, attempt.task, now));
                    },
                    told -> obey(attempt, told));
        }

        private void copy() {
            List<Attempt> alone =
                    running.stream().filter(each -> runs(each.segment) == 1).toList();
            if (!alone.isEmpty()) {
                start(alone.get(random.nextInt(alone.size())).segment);
            }
        }

        private long runs(int segment) {
            return running.stream().filter(each -> each.segment == segment).count();
        }

        private void crash() {
            Integer dead = executors.remove(random.nextInt(executors.size()));
            executors.add(dead + 10);
            tell("executor " + dead + " dies");
            List<Attempt> tasksOfIt =
                    running.stream().filter(each -> each.executor == dead).toList();
            running.removeAll(tasksOfIt);
            blocks.values().removeIf(dead::equals);
            firstRows.clear();
            Set<Integer> again = new TreeSet<>();
            tasksOfIt.stream().map(each -> each.segment).forEach(again::add);
            answered.stream().filter(each -> random.nextInt(4) == 0).forEach(again::add);
            answered.removeAll(again);
            again.stream().filter(segment -> runs(segment) == 0).forEach(this::queue);
        }

        private void end(Attempt attempt, boolean succeeded) {
            running.remove(attempt);
            tell(attempt + (succeeded ? " succeeds" : " fails"));
            if (!happens(Trouble.LOST_ENDS, 4)) {
                say(attempt, happens(Trouble.LOST_ENDS, 3) ? 200 : 3, () -> {
                    if (succeeded) {
                        ledger.succeeded(attempt.segment, attempt.task);
                    } else {
                        ledger.failed(attempt.segment, attempt.task);
                    }
                });
            }
            if (succeeded) {
                answer(attempt);
            } else if (!answered.contains(attempt.segment) && runs(attempt.segment) == 0) {
                after(upTo(20), () -> queue(attempt.segment));
            }
            schedule();
        }

        private void answer(Attempt attempt) {
            answered.add(attempt.segment);
            String before = firstRows.putIfAbsent(attempt.segment, attempt.rows);
            if (before != null && !troubles.contains(Trouble.COPIES)) {
                assertThat(attempt.rows)
                        .as("%s%s: the same again", this, attempt)
                        .isEqualTo(before);
            }
            List.copyOf(running).stream()
                    .filter(other -> other.segment == attempt.segment)
                    .forEach(other -> end(other, false));
        }

        /* Messages: those of an attempt arrive one after the other, even if it has ended. */

        private void say(Attempt attempt, int milliseconds, Runnable what) {
            attempt.heardAt = Math.max(attempt.heardAt, now + upTo(milliseconds) * MILLISECOND);
            at(attempt.heardAt, () -> {
                what.run();
                ledger.takeChanged().forEach(this::check);
            });
        }

        private <T> void ask(Attempt attempt, Supplier<T> question, Consumer<T> then) {
            say(attempt, 3, () -> {
                T answer = question.get();
                after(attempt, upTo(3), () -> then.accept(answer));
            });
        }

        /** What the coordinator does for a stripe of which something has changed. */
        private void check(int segment) {
            ledger.overdue(segment, now).forEach(this::killLate);
            ledger.repeated(segment, now).forEach(this::kill);
            long due = ledger.dueIn(segment, now);
            if (due >= 0 && ledger.wake(segment, now + due, now)) {
                at(now + due + MILLISECOND, () -> check(segment));
            }
        }

        /** Unless it has delivered and stays for nobody, another attempt does not need the model. */
        private void killLate(long task) {
            running.stream()
                    .filter(each -> each.task == task && each.rows == null && hasData(each.segment))
                    .filter(each -> !troubles.contains(Trouble.CRASHES))
                    .forEach(each -> rowsAreThere.add(each.segment));
            kill(task);
        }

        private void kill(long task) {
            tell("task " + task + " is killed");
            running.stream()
                    .filter(each -> each.task == task)
                    .forEach(each -> after(each, upTo(3), () -> end(each, false)));
        }

        /* What tasks do. */

        private Instruction told(Attempt attempt, Instruction told) {
            tell(attempt + " is told to " + told);
            if (rowsAreThere.contains(attempt.segment)) {
                assertThat(told.mode()).as("%san attempt was killed", this).isNotEqualTo(Mode.COMPUTE);
            }
            return told;
        }

        private void obey(Attempt attempt, Instruction told) {
            int segment = attempt.segment;
            attempt.mode = told.mode();
            if (told.mode() == Mode.COMPUTE && attempt.hangs) {
                tell(attempt + " hangs");
            } else if (happens(Trouble.FAILURES, 10)) {
                after(attempt, upTo(100), () -> end(attempt, false));
            } else {
                after(attempt, upTo(told.mode() == Mode.COMPUTE && hasData(segment) ? 100 : 20), () -> {
                    switch (told.mode()) {
                        case COMPUTE -> {
                            keep("data of " + segment, attempt);
                            deliver(attempt);
                        }
                        case FETCH_COMPUTED ->
                            find(attempt, List.of("data of " + segment), segment, () -> deliver(attempt));
                        case DECODE -> decode(attempt, told);
                        case FETCH_DECODED ->
                            find(attempt, List.of("rebuilt " + segment), segment, () -> rebuilt(attempt));
                        case GIVE_UP -> throw new AssertionError(this + "there is no deadline");
                    }
                });
            }
        }

        private boolean hasData(int segment) {
            return layout.hasData(layout.placeOf(segment));
        }

        private void keep(String block, Attempt attempt) {
            blocks.put(block, attempt.executor);
        }

        /** Goes on if blocks are there; otherwise asks what to do without a segment of its stripe. */
        private boolean find(Attempt attempt, List<String> wantedBlocks, int of, Runnable then) {
            if (blocks.keySet().containsAll(wantedBlocks)) {
                then.run();
                return true;
            }
            assertThat(troubles)
                    .as("%s%s looks for %s", this, attempt, wantedBlocks)
                    .contains(Trouble.CRASHES);
            ask(
                    attempt,
                    () -> told(attempt, ledger.lost(attempt.segment, attempt.task, layout.placeOf(of), now)),
                    told -> obey(attempt, told));
            return false;
        }

        private void decode(Attempt attempt, Instruction told) {
            int first = layout.stripeOf(attempt.segment) * layout.n();
            assertThat(told.lost()).as("%s%s", this, attempt).isBetween(1, layout.r());
            for (int place = 0; place < layout.n(); place++) {
                if ((told.sources() >> place & 1) == 1) {
                    List<String> sources = new ArrayList<>();
                    if (layout.hasData(place)) {
                        sources.add("data of " + (first + place));
                    }
                    for (int parity : layout.parities(place, told.lost())) {
                        sources.add("parity " + parity + " of " + (first + place));
                    }
                    if (!find(attempt, sources, first + place, () -> {})) {
                        return;
                    }
                }
            }
            rebuilt(attempt);
        }

        private void rebuilt(Attempt attempt) {
            attempt.rows = "reconstructed";
            keep("rebuilt " + attempt.segment, attempt);
            ask(
                    attempt,
                    () -> {
                        ledger.decoded(attempt.segment, attempt.task);
                        return Help.End.NONE;
                    },
                    help -> help(attempt, help));
        }

        private void deliver(Attempt attempt) {
            attempt.rows = "predicted";
            ask(
                    attempt,
                    () -> {
                        arrivedWithoutParity(attempt.segment);
                        return empty.contains(attempt.segment)
                                ? ledger.foundNone(attempt.segment, attempt.task, others(), now)
                                : ledger.computed(attempt.segment, attempt.task, others(), now);
                    },
                    help -> help(attempt, help));
        }

        /** There is no parity of what arrives after all, so that others of its stripe may not be decodable now. */
        private void arrivedWithoutParity(int segment) {
            rowsAreThere.removeIf(each -> layout.stripeOf(each) == layout.stripeOf(segment));
        }

        private Others others() {
            boolean want = !waiting.isEmpty() || happens(Trouble.OTHER_QUERIES, othersComeEach);
            long silent = IntStream.range(0, wanted)
                    .filter(each -> !begun.contains(each))
                    .count();
            return new Others(want, (int) silent, happens(Trouble.OTHER_QUERIES, othersComeEach));
        }

        private void help(Attempt attempt, Help help) {
            if (help instanceof Help.Work work) {
                tell(attempt + " computes " + work);
                attempt.isFrozen = attempt.mode == Mode.COMPUTE && happens(Trouble.FROZEN_HELPERS, 10) && mayFreeze();
                if (!attempt.isFrozen) {
                    after(attempt, upTo(100), () -> helped(attempt, work));
                }
            } else if (help instanceof Help.Wait) {
                after(attempt, 20 + upTo(20), () -> askForMore(attempt));
            } else if (happens(Trouble.FAILURES, 5)) {
                after(attempt, upTo(20), () -> end(attempt, false));
            } else {
                after(attempt, upTo(20), () -> end(attempt, true));
            }
        }

        private boolean mayFreeze() {
            return running.stream().filter(each -> each.isFrozen).count() < layout.n() - 1;
        }

        private void helped(Attempt attempt, Help.Work work) {
            keep(
                    (work instanceof Help.Parity parity ? "parity " + parity.number() : "data") + " of "
                            + work.segment(),
                    attempt);
            ask(
                    attempt,
                    () -> {
                        if (work instanceof Help.Data) {
                            arrivedWithoutParity(work.segment());
                        }
                        ledger.parity(work.segment(), work.parities(), attempt.task, now);
                        return ledger.help(attempt.segment, attempt.task, others(), now);
                    },
                    help -> help(attempt, help));
        }

        private void askForMore(Attempt attempt) {
            ask(attempt, () -> ledger.help(attempt.segment, attempt.task, others(), now), help -> help(attempt, help));
        }

        /* The end. */

        private void checkEnd() {
            for (int segment = 0; segment < wanted; segment++) {
                if (answered.contains(segment)) {
                    assertThat(ledger.dueIn(segment, now))
                            .as("%snothing is due of segment %d", this, segment)
                            .isNegative();
                } else {
                    assertThat(isLost(segment))
                            .as("%ssegment %d is answered, or more than parity stands for is lost", this, segment)
                            .isTrue();
                }
            }
        }

        private boolean isLost(int segment) {
            Instruction another = ledger.start(segment, tasks++, now);
            int stripe = layout.stripeOf(segment) * layout.n();
            long neverBegun = IntStream.range(0, layout.n())
                    .filter(place -> layout.hasData(place)
                            && !begun.contains(stripe + place)
                            && (another.sources() >> place & 1) == 0)
                    .count();
            return another.mode() == Mode.COMPUTE && another.lost() - neverBegun > layout.r();
        }
    }
}
