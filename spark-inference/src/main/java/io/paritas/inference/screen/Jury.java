/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Has batches predicted again by other executors, one after the other, until it is clear who was right. Two of different hosts that
 * agree are right: those of one host may be wrong alike. If they do not, a third one is asked; where there is none, the two are asked
 * once more, which tells who was wrong if the fault comes and goes. Otherwise the case waits for others, and ends undecided. It does so,
 * too, where predictions are only near to each other, and too few were agreed on to tell what is near. Executors ask for work; nobody is
 * interrupted. Thread-safe.
 */
public final class Jury {
    private static final int MOST_CASES = 64;
    private static final long MOST_BYTES = 64 << 20;

    private final long patience;
    private final LongSupplier nanoClock;
    private final Magnitudes usual = new Magnitudes();
    private final Map<Long, Case> cases = new LinkedHashMap<>();
    private final Map<String, Long> seen = new HashMap<>();
    private final Map<String, String> hosts = new HashMap<>();
    private long bytes;
    private long lastId;
    private long unaudited;
    private long undecided;

    /**
     * Work for an executor: {@link Sample} without its predictions.
     *
     * @param id of the case, for {@link Jury#answer}
     */
    public record Question(long id, String model, int fold, int rows, float[] inputs) {}

    /**
     * A jury.
     *
     * @param patience how long it waits for an executor, and ten times as long for a case
     */
    public Jury(Duration patience) {
        this(patience, System::nanoTime);
    }

    Jury(Duration patience, LongSupplier nanoClock) {
        this.patience = patience.toNanos();
        this.nanoClock = nanoClock;
    }

    /** Takes a batch, unless too many wait. */
    public synchronized void submit(String author, String platform, Sample sample) {
        long now = nanoClock.getAsLong();
        seen.put(author, now);
        if (cases.size() >= MOST_CASES || bytes + sample.bytes() > MOST_BYTES) {
            unaudited++;
            return;
        }
        lastId++;
        Opinion own = opinion(author, platform, sample.outputs());
        cases.put(lastId, new Case(lastId, sample, own, usual.of(sample.model()), now));
        bytes += sample.bytes();
    }

    /** The batch that an executor should predict next; empty if there is none. */
    public synchronized Optional<Question> next(String executor) {
        long now = nanoClock.getAsLong();
        seen.put(executor, now);
        tidy(now);
        Map<String, String> live = liveHosts();
        for (Case open : cases.values()) {
            if (open.wants(executor, live)) {
                open.ask(executor, now);
                Sample sample = open.sample;
                return Optional.of(
                        new Question(open.id, sample.model(), sample.fold(), sample.rows(), sample.inputs()));
            }
        }
        return Optional.empty();
    }

    /**
     * Takes an answer to {@link #next}.
     *
     * @param outputs the predictions; empty if the executor cannot predict the batch
     * @return what came of the case, if it is over
     */
    public synchronized Optional<Verdict> answer(long id, String executor, String platform, Optional<float[]> outputs) {
        long now = nanoClock.getAsLong();
        seen.put(executor, now);
        Case open = cases.get(id);
        if (open == null || !open.isAsked(executor)) {
            return Optional.empty();
        }
        outputs.ifPresentOrElse(
                values -> open.add(opinion(executor, platform, values)), () -> open.isUnable(executor, now + patience));
        return open.right(liveHosts()).flatMap(right -> close(open, right));
    }

    private Optional<Verdict> close(Case over, List<Opinion> right) {
        remove(over);
        if (!over.sample.isCoded()) {
            usual.add(over.sample.model(), over.sample.rows(), right.get(0).outputs());
        }
        if (!over.isSure(right)) {
            undecided++;
            return Optional.empty();
        }
        return Optional.of(over.verdict(right));
    }

    private Opinion opinion(String executor, String platform, float[] outputs) {
        return new Opinion(executor, host(executor), platform, outputs);
    }

    /** Executors of which nothing is known have hosts of their own. */
    private String host(String executor) {
        return hosts.getOrDefault(executor, executor);
    }

    private Map<String, String> liveHosts() {
        return seen.keySet().stream().collect(Collectors.toMap(Function.identity(), this::host));
    }

    private void remove(Case over) {
        cases.remove(over.id);
        bytes -= over.sample.bytes();
    }

    private void tidy(long now) {
        for (Iterator<Case> all = cases.values().iterator(); all.hasNext(); ) {
            Case open = all.next();
            open.tidy(now, patience);
            if (now - open.since > 10 * patience) {
                all.remove();
                bytes -= open.sample.bytes();
                if (open.isDisputed()) {
                    undecided++;
                } else {
                    unaudited++;
                }
            }
        }
        seen.values().removeIf(at -> now - at > patience);
    }

    /** An executor of a host has said something, for the jury or not. */
    public synchronized void heard(String executor, String host) {
        seen.put(executor, nanoClock.getAsLong());
        hosts.put(executor, host);
    }

    /** These executors have left: their hosts are forgotten. */
    public synchronized void forget(Set<String> gone) {
        hosts.keySet().removeAll(gone);
    }

    /** The executors that were heard lately. */
    public synchronized Set<String> live() {
        return Set.copyOf(seen.keySet());
    }

    /** The executors that were heard lately, and those whose opinions are in a case that is open: a verdict may yet name them. */
    public synchronized Set<String> involved() {
        Set<String> all = new HashSet<>(seen.keySet());
        cases.values().forEach(open -> all.addAll(open.executors()));
        return all;
    }

    /** Batches that wait for opinions. */
    public synchronized int open() {
        return cases.size();
    }

    /** Batches of which nothing came, because there were too many or nobody else could predict them. */
    public synchronized long unaudited() {
        return unaudited;
    }

    /** Batches that executors predict differently, of which it could not be told who is right, or how near they must be. */
    public synchronized long undecided() {
        return undecided;
    }
}
