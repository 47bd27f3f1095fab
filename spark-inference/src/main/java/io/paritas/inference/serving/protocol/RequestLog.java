/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The line of a request in the log of requests, as JSON: those that are answered well at DEBUG, the others at INFO. A line is short,
 * whatever a client sends.
 */
public final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("io.paritas.inference.serving.requests");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int REQUEST_LENGTH = 200;
    private static final int ERROR_LENGTH = 500;

    private final String request;
    private final Optional<LineLimit> limit;
    private final long start = System.nanoTime();

    /**
     * A request that begins now.
     *
     * @param request such as {@code GET /v2}
     * @param limit of the lines of requests like this one at INFO; those beyond it are at DEBUG. Empty for none
     */
    public RequestLog(String request, Optional<LineLimit> limit) {
        this.request = cut(request, REQUEST_LENGTH);
        this.limit = limit;
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
        tell(line().putPOJO("status", status).put("error", cut(error, ERROR_LENGTH)));
    }

    /** Its client did not wait for the answer. */
    public void left() {
        tell(line().put("error", "the client has left"));
    }

    private void tell(ObjectNode line) {
        OptionalLong leftOut = limit.map(LineLimit::next).orElse(OptionalLong.of(0));
        if (leftOut.isEmpty()) {
            log(Level.DEBUG, line);
        } else {
            log(Level.INFO, leftOut.getAsLong() == 0 ? line : line.put("left_out", leftOut.getAsLong()));
        }
    }

    private static String cut(String text, int length) {
        return text == null || text.length() <= length ? text : text.substring(0, length) + "...";
    }

    /** This server has a fault. */
    public static void fault(Throwable failure) {
        LOG.error("Paritas: a request could not be answered", failure);
    }

    private ObjectNode line() {
        return JSON.createObjectNode().put("request", request).put("ms", (System.nanoTime() - start) / 1e6);
    }

    private static void log(Level level, ObjectNode line) {
        LOG.atLevel(level).log(line::toString);
    }
}
