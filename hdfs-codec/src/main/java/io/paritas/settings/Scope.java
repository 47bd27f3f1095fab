/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import io.paritas.PublicApi;

/** Where a setting can be given. */
@PublicApi
public enum Scope {
    /** As a system property of the JVM, with {@code -D}. */
    JVM("JVM"),
    /** As a Spark property, when the application starts. */
    APPLICATION("startup"),
    /** As a Spark property, at any time in a session; it holds for what is planned from then on. */
    SESSION("session"),
    /** As {@link #SESSION}, and as an option of one call of a function, which wins. */
    OPTION("session, option");

    private final String text;

    Scope(String text) {
        this.text = text;
    }

    /** The word for it in the documentation. */
    @Override
    public String toString() {
        return text;
    }
}
