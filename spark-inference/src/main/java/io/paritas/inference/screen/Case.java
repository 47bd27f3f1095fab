/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A batch before the {@link Jury}, with the opinions that there are. Guarded by the jury. */
final class Case {
    private static final String ALL_PLATFORMS = "";

    final long id;
    final Sample sample;
    final long since;
    private final List<Opinion> opinions = new ArrayList<>();
    /* Until when. */
    private final Map<String, Long> unable = new HashMap<>();
    private String asked;
    private long askedAt;

    Case(long id, Sample sample, String author, String platform, long now) {
        this.id = id;
        this.sample = sample;
        this.since = now;
        add(new Opinion(author, platform, sample.outputs()));
    }

    /** Whether the executor is worth asking now: first those without an opinion, then, if opinions differ, all once more. */
    boolean wants(String executor, Set<String> live) {
        if (asked != null || unable.containsKey(executor)) {
            return false;
        }
        boolean others = live.stream().anyMatch(other -> given(other) == 0 && !unable.containsKey(other));
        return given(executor) == 0 || (!others && isDisputed() && given(executor) == 1);
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

    /** Opinions that agree, together. */
    private List<List<Opinion>> groups() {
        List<List<Opinion>> groups = new ArrayList<>();
        for (Opinion opinion : opinions) {
            groups.stream()
                    .filter(group -> group.get(0).agrees(opinion, sample.whole()))
                    .findFirst()
                    .orElseGet(() -> {
                        groups.add(new ArrayList<>());
                        return groups.get(groups.size() - 1);
                    })
                    .add(opinion);
        }
        return groups;
    }

    private static Set<String> executors(List<Opinion> group) {
        return group.stream().map(Opinion::executor).collect(Collectors.toSet());
    }

    /** What the opinions say: right is what at least two executors say, and more than say anything else. */
    Optional<Verdict> verdict() {
        List<List<Opinion>> groups = groups();
        int most =
                groups.stream().mapToInt(group -> executors(group).size()).max().orElse(0);
        List<List<Opinion>> largest =
                groups.stream().filter(group -> executors(group).size() == most).toList();
        return most >= 2 && largest.size() == 1 ? Optional.of(of(largest.get(0))) : Optional.empty();
    }

    private Verdict of(List<Opinion> right) {
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
