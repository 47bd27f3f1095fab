/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.trace;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.net.URI;

/**
 * Options of {@link Traces}.
 *
 * @param endpoint the base of a collector's address for OTLP over HTTP, such as {@code http://127.0.0.1:4318}; empty for no traces
 * @param share of requests without a trace of their own that are traced, 0 to 1; of others, their client has decided
 */
@PublicApi
public record TraceOptions(String endpoint, double share) implements Serializable {
    /** No traces. */
    public static final TraceOptions OFF = new TraceOptions("", 1);

    private static final long serialVersionUID = 1;

    /** Checks them. */
    public TraceOptions {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of requests that are traced must be 0 to 1, got " + share);
        }
        if (!endpoint.isEmpty() && !isHttp(endpoint)) {
            throw new IllegalArgumentException(
                    "traces must go to the address of a collector, such as http://127.0.0.1:4318, got '" + endpoint
                            + "'");
        }
    }

    private static boolean isHttp(String text) {
        try {
            URI uri = URI.create(text);
            return uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Whether nothing is traced. */
    public boolean isOff() {
        return endpoint.isEmpty();
    }
}
