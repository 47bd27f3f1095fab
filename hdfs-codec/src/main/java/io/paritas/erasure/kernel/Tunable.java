/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A computation that a {@link Tuner} finds the fastest schedule of. All schedules compute the same bytes, at different speeds.
 *
 * @param <S> a schedule; its text is one line without {@code |}, which the {@link TuningFile} keeps
 */
public interface Tunable<S> {
    /** What the tuning file keeps the schedule for. */
    TuningFile.Key key();

    /** The number of units that are read. */
    int inputs();

    /** The number of units that are made. */
    int outputs();

    /** The bytes of a unit that is measured, at most {@code most}. */
    int length(int most);

    /** The schedule that runs without tuning. */
    S standard();

    /** Returns a schedule that differs from this one in a choice, or, now and then, in all of them. */
    S neighbour(S from, Random random);

    /** The number of schedules. */
    int schedules();

    /** Returns, for each choice in which a schedule differs from the standard one, the schedule without it. */
    Map<String, S> without(S schedule);

    /** Returns the kernel, compiled and warm. */
    Kernel compile(S schedule);

    /** Returns one of the values. */
    static <T> T any(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }
}
