/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

/**
 * How a query ended.
 *
 * @param origin of the answer, such as {@code predicted}; empty if the server does not say, or there is none
 * @param failure a status, or what happened to the connection; empty for an answer
 * @param message what was said about the failure
 */
record Outcome(String origin, String failure, String message) {
    private static final int SHOWN = 200;

    static Outcome answered(String origin) {
        return new Outcome(origin, "", "");
    }

    static Outcome failed(String failure, String message) {
        String line = message.replaceAll("\\s+", " ").strip();
        return new Outcome("", failure, line.length() > SHOWN ? line.substring(0, SHOWN) + " ..." : line);
    }

    /** A reply with a status of its own, which says that there is no answer in time. */
    static Outcome unavailable(String failure, String message) {
        Outcome failed = failed(failure, message);
        return new Outcome("unavailable", failed.failure, failed.message);
    }

    boolean isAnswer() {
        return failure.isEmpty();
    }
}
