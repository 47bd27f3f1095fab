/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The line of a request in the log of requests, as JSON: those that are answered well at DEBUG, the others at INFO. */
public final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("io.paritas.inference.serving.requests");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String request;
    private final long start = System.nanoTime();

    /** A request that begins now, such as {@code GET /v2}. */
    public RequestLog(String request) {
        this.request = request;
    }

    /**
     * It was answered well.
     *
     * @param status a number or a name
     * @param outcome the weakest outcome of its rows; null if it has none
     */
    public void answered(Object status, String outcome) {
        if (LOG.isDebugEnabled()) {
            log(Level.DEBUG, line().putPOJO("status", status).put("outcome", outcome));
        }
    }

    /** It was answered with an error. */
    public void failed(Object status, String error) {
        if (LOG.isInfoEnabled()) {
            log(Level.INFO, line().putPOJO("status", status).put("error", error));
        }
    }

    /** Its client did not wait for the answer. */
    public void left() {
        if (LOG.isInfoEnabled()) {
            log(Level.INFO, line().put("error", "the client has left"));
        }
    }

    /** This server has a fault. */
    public static void fault(Throwable failure) {
        LOG.error("Paritas: a request could not be answered", failure);
    }

    private ObjectNode line() {
        return JSON.createObjectNode().put("request", request).put("ms", (System.nanoTime() - start) / 1e6);
    }

    private static void log(Level level, ObjectNode line) {
        LOG.atLevel(level).log(line.toString());
    }
}
