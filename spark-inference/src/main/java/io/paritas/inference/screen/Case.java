/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** A batch before the {@link Jury}, with the opinions that there are. Guarded by the jury. */
final class Case {
    private static final String ALL_PLATFORMS = "";

    final long id;
    final Sample sample;
    final long since;
    private final Magnitude usual;
    private final List<Opinion> opinions = new ArrayList<>();
    /* Until when. */
    private final Map<String, Long> unable = new HashMap<>();
    private String asked;
    private long askedAt;

    /** @param usual what is known of the size of the model's predictions, for as long as the case is open */
    Case(long id, Sample sample, Opinion author, Magnitude usual, long now) {
        this.id = id;
        this.sample = sample;
        this.usual = usual;
        this.since = now;
        add(author);
    }

    /**
     * Whether the executor is worth asking now: first those of hosts without an opinion, then others without one, then, if opinions differ,
     * all once more.
     *
     * @param live the hosts of the executors that there are
     */
    boolean wants(String executor, Map<String, String> live) {
        if (asked != null || unable.containsKey(executor)) {
            return false;
        }
        Set<String> fresh = fresh(live);
        if (given(executor) == 0) {
            return isStranger(executor, live) || fresh.stream().noneMatch(other -> isStranger(other, live));
        }
        return fresh.isEmpty() && isDisputed() && given(executor) == 1;
    }

    /** Executors that may yet give a first opinion. */
    private Set<String> fresh(Map<String, String> live) {
        return live.keySet().stream()
                .filter(executor -> given(executor) == 0 && !unable.containsKey(executor))
                .collect(Collectors.toSet());
    }

    /** Whether nobody of its host has given an opinion. */
    private boolean isStranger(String executor, Map<String, String> live) {
        return !hosts(opinions).contains(live.get(executor));
    }

    private long given(String executor) {
        return opinions.stream()
                .filter(opinion -> opinion.executor().equals(executor))
                .count();
    }

    boolean isDisputed() {
        return groups().size() > 1;
    }

    void ask(String executor, long now) {
        asked = executor;
        askedAt = now;
    }

    boolean isAsked(String executor) {
        return executor.equals(asked);
    }

    /** Whoever does not answer in time is asked again later only; who could not is asked again in time. */
    void tidy(long now, long patience) {
        unable.values().removeIf(until -> until - now < 0);
        if (asked != null && now - askedAt > patience) {
            isUnable(asked, now + patience);
        }
    }

    /** The executor does not have the model. It may load it. */
    void isUnable(String executor, long until) {
        unable.put(executor, until);
        if (executor.equals(asked)) {
            asked = null;
        }
    }

    final void add(Opinion opinion) {
        opinions.add(sample.isCoded() ? opinion.on(ALL_PLATFORMS) : opinion);
        asked = null;
    }

    /** Opinions that agree, together. One of another processor may agree with several that differ from each other, and is in each group. */
    private List<List<Opinion>> groups() {
        List<Opinion> different = new ArrayList<>();
        for (Opinion opinion : opinions) {
            if (different.stream().noneMatch(first -> agree(first, opinion))) {
                different.add(opinion);
            }
        }
        return different.stream()
                .map(first -> opinions.stream()
                        .filter(opinion -> agree(first, opinion))
                        .toList())
                .toList();
    }

    private boolean agree(Opinion first, Opinion other) {
        return (sample.whole() && first.isOn(other.platform()))
                ? first.isEqual(other)
                : first.isNear(other, Math.max(usual.usual(), magnitude(first).usual()));
    }

    private Magnitude magnitude(Opinion opinion) {
        return Magnitude.of(sample.rows(), opinion.outputs());
    }

    /** Those with an opinion. */
    Set<String> executors() {
        return executors(opinions);
    }

    private static Set<String> executors(List<Opinion> group) {
        return group.stream().map(Opinion::executor).collect(Collectors.toSet());
    }

    private static Set<String> hosts(List<Opinion> group) {
        return group.stream().map(Opinion::host).collect(Collectors.toSet());
    }

    /**
     * The opinions that are right: right is what at least two hosts say, and more than say anything else. Executors of one host may be wrong
     * alike, so they count only where there are no such hosts.
     *
     * @param live the hosts of the executors that there are
     */
    Optional<List<Opinion>> right(Map<String, String> live) {
        List<List<Opinion>> groups = groups();
        Optional<List<Opinion>> ofHosts = largest(groups, group -> hosts(group).size());
        Set<String> fresh = fresh(live);
        if (ofHosts.isPresent() || fresh.stream().anyMatch(executor -> isStranger(executor, live))) {
            return ofHosts;
        }
        Optional<List<Opinion>> ofExecutors =
                largest(groups, group -> executors(group).size());
        if (groups.size() > 1 && hosts(opinions).size() > 1) {
            return ofExecutors.filter(right -> fresh.isEmpty() && isAlone(groups, right));
        }
        return ofExecutors;
    }

    /** The group that counts most, and at least two. */
    private static Optional<List<Opinion>> largest(List<List<Opinion>> groups, ToIntFunction<List<Opinion>> count) {
        int most = groups.stream().mapToInt(count).max().orElse(0);
        List<List<Opinion>> largest =
                groups.stream().filter(group -> count.applyAsInt(group) == most).toList();
        return most >= 2 && largest.size() == 1 ? Optional.of(largest.get(0)) : Optional.empty();
    }

    /** Whether no two executors agree on anything else. */
    private static boolean isAlone(List<List<Opinion>> groups, List<Opinion> right) {
        return groups.stream()
                .allMatch(group -> group == right || executors(group).size() < 2);
    }

    /**
     * Whether all others are surely wrong: they differ in bits where there must be none that do, or by much. What is much is unknown
     * before executors have agreed on some values of the model.
     */
    boolean isSure(List<Opinion> right) {
        return usual.plus(magnitude(right.get(0))).isKnown()
                || opinions.stream()
                        .filter(opinion -> !right.contains(opinion))
                        .allMatch(wrong -> isSure(right, wrong));
    }

    private boolean isSure(List<Opinion> right, Opinion wrong) {
        return right.get(0).differsInKind(wrong)
                || (sample.whole() && right.stream().anyMatch(sound -> sound.isOn(wrong.platform())));
    }

    Verdict verdict(List<Opinion> right) {
        Map<String, Difference> wrong = new HashMap<>();
        for (Opinion opinion : opinions) {
            if (!right.contains(opinion)) {
                wrong.put(opinion.executor(), Difference.of(right.get(0).outputs(), opinion.outputs(), sample.rows()));
            }
        }
        Set<String> always = new HashSet<>(executors(right));
        always.removeAll(wrong.keySet());
        return new Verdict(sample.model(), sample.reason(), always, wrong);
    }
}
