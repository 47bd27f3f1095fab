/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.paritas.inference.serving.FrontEnd;

/** What a server and its models say of themselves. */
public final class Identity {
    /** The name of the server, and the platform of its models. */
    public static final String NAME = "paritas";

    private Identity() {}

    /** The version in the jar's manifest; {@code unknown} without a jar. */
    public static String version() {
        String version = FrontEnd.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }
}
