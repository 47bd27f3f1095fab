/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;

/** What the texts in a call name in a session. */
record SessionNames(SparkSession session) {

    /**
     * The rows of a source.
     *
     * @param source a table, a view or a query, also with a semicolon at its end
     * @throws IllegalArgumentException if it is none of these
     */
    Dataset<Row> rows(String source) {
        String text = source.replaceFirst("[;\\s]+$", "");
        if (isIdentifier(text)) {
            return session.table(text);
        }
        try {
            LogicalPlan query = parser().parseQuery(text);
            return Dataset$.MODULE$.ofRows(session, query);
        } catch (ParseException e) {
            throw new IllegalArgumentException(
                    "source must be a table, a view or a query, got '" + source + "': " + e.getMessage(), e);
        }
    }

    private boolean isIdentifier(String source) {
        try {
            parser().parseMultipartIdentifier(source);
            return true;
        } catch (ParseException e) {
            return false;
        }
    }

    /**
     * The name of a temporary view as it is parsed: only in quotes may it have a space.
     *
     * @throws IllegalArgumentException if it is none
     */
    TableIdentifier view(String name) {
        try {
            TableIdentifier identifier = parser().parseTableIdentifier(name);
            if (identifier.database().isEmpty() && identifier.catalog().isEmpty()) {
                return identifier;
            }
        } catch (ParseException e) {
            throw new IllegalArgumentException(viewRule(name), e);
        }
        throw new IllegalArgumentException(viewRule(name));
    }

    private static String viewRule(String name) {
        return "name must be that of a temporary view, without a database, such as kept_rows, got '" + name
                + "': put a name with other characters than letters, digits and _ between backquotes";
    }

    private ParserInterface parser() {
        return session.sessionState().sqlParser();
    }
}
