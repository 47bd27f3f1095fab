/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.doctor;

/**
 * One line of the report.
 *
 * @param remedy what to do; empty if nothing
 */
record Finding(Level level, String text, String remedy) {
    /** The severity of a finding. */
    enum Level {
        OK("ok  "),
        WARNING("warn"),
        FAILURE("FAIL");

        final String mark;

        Level(String mark) {
            this.mark = mark;
        }
    }

    static Finding ok(String text) {
        return new Finding(Level.OK, text, "");
    }

    static Finding warning(String text, String remedy) {
        return new Finding(Level.WARNING, text, remedy);
    }

    static Finding failure(String text, String remedy) {
        return new Finding(Level.FAILURE, text, remedy);
    }

    @Override
    public String toString() {
        return level.mark + "  " + text + (remedy.isEmpty() ? "" : System.lineSeparator() + "      -> " + remedy);
    }
}
