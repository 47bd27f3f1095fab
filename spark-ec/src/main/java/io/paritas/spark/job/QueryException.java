/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.Map;
import org.apache.spark.SparkThrowable;

/**
 * Says why a query fails to the one who wrote it. With a condition, as those of Spark's own functions have, Spark throws it on
 * the driver as the task threw it, and handlers of SQL scripts take it.
 */
public final class QueryException extends RuntimeException implements SparkThrowable {
    private static final long serialVersionUID = 1;

    /** What raise_error() has. */
    private static final String RAISED = "USER_RAISED_EXCEPTION";

    /** An exception without a cause. */
    public QueryException(String message) {
        super(message);
    }

    /** An exception with a cause. */
    public QueryException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public String getCondition() {
        return RAISED;
    }

    @Override
    public Map<String, String> getMessageParameters() {
        return Map.of("errorMessage", getMessage());
    }
}
