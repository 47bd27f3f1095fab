/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output of {@code ClassifyFolder}: the results of a plain and a coded classification.
 *
 * @param same images with the same label in both jobs
 * @param sameReconstructed how many of them the coded job reconstructed
 */
record Classification(Job plain, Job coded, long same, long sameReconstructed) {
    private static final String JOB =
            ": (\\d+) rows in (\\S+) s: (\\d+) predicted, (\\d+) reconstructed, (\\d+) unavailable\\R";
    private static final Pattern PRINTED = Pattern.compile("plain" + JOB + "coded" + JOB
            + "same label: (\\d+) of \\d+\\Rsame label, reconstructed: (\\d+) of \\d+\\R");

    /** The outcomes of a job's rows. */
    record Job(long rows, double seconds, long predicted, long reconstructed, long unavailable) {
        private static Job of(Matcher printed, int group) {
            return new Job(
                    Long.parseLong(printed.group(group)),
                    Double.parseDouble(printed.group(group + 1)),
                    Long.parseLong(printed.group(group + 2)),
                    Long.parseLong(printed.group(group + 3)),
                    Long.parseLong(printed.group(group + 4)));
        }

        /** Returns whether every image has one row, and every row a label. */
        boolean complete(long images) {
            return rows == images && predicted + reconstructed == images;
        }
    }

    /**
     * Parses the output.
     *
     * @throws CheckFailed if the output is different
     */
    static Classification parse(String printed) {
        Matcher matcher = PRINTED.matcher(printed);
        CheckFailed.require(
                matcher.find(), "a classification must print both jobs and their agreement, got:" + " %s", printed);
        return new Classification(
                Job.of(matcher, 1),
                Job.of(matcher, 6),
                Long.parseLong(matcher.group(11)),
                Long.parseLong(matcher.group(12)));
    }

    /** Returns for example {@code 100 of 600, 81 alike}: reconstructed rows, and those with the plain label. */
    String reconstructed() {
        return coded.reconstructed == 0
                ? "none"
                : coded.reconstructed + " of " + coded.rows + ", " + sameReconstructed + " alike";
    }
}
