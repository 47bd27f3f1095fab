/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

/**
 * The end of a query.
 *
 * @param label of the answer, such as {@code predicted}; empty if the server does not say, or there is none
 * @param failure a status, or the fault of the connection; empty for an answer
 * @param message of the failure
 */
record Outcome(String label, String failure, String message) {
    private static final int SHOWN = 200;

    static Outcome answered(String label) {
        return new Outcome(label, "", "");
    }

    static Outcome failed(String failure, String message) {
        String line = message.replaceAll("\\s+", " ").strip();
        return new Outcome("", failure, line.length() > SHOWN ? line.substring(0, SHOWN) + " ..." : line);
    }

    /** Returns the outcome of a reply that says that there is no answer in time. */
    static Outcome unavailable(String failure, String message) {
        Outcome failed = failed(failure, message);
        return new Outcome("unavailable", failed.failure, failed.message);
    }

    boolean isAnswer() {
        return failure.isEmpty();
    }
}
